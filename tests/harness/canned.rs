//! Judges that say what a case tells them to and keep what they were asked: a program, and two HTTP endpoints.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::case::{Failure, Judge};

/// Longer than any deadline of a case, shorter than anybody's patience.
const HANG: Duration = Duration::from_secs(30);

/// A port of loopback that nobody listens at: it belongs to a protocol that nobody uses.
const NOBODY: &str = "127.0.0.1:1";

/// How a hook reaches its judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `command:PROGRAM`.
    Command,
    /// `openai:MODEL` on loopback.
    OpenAi,
    /// `anthropic:MODEL` on loopback.
    Anthropic,
}

impl Way {
    pub const ALL: [Self; 3] = [Self::Command, Self::OpenAi, Self::Anthropic];

    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// A judge that is ready to be asked.
pub enum Canned {
    Program(PathBuf),
    Server(Server),
}

impl Canned {
    /// Sets one up. `program` is the canned judge's file, `dir` an empty directory of the same file system.
    pub fn new(way: Way, judge: Option<&Judge>, program: &Path, dir: &Path) -> Self {
        match way {
            Way::Command => Self::program(judge, program, dir),
            Way::OpenAi | Way::Anthropic => Self::Server(Server::new(way, judge)),
        }
    }

    fn program(judge: Option<&Judge>, program: &Path, dir: &Path) -> Self {
        let linked = dir.join("judge");
        let set = |name: &str, content: &str| {
            fs::write(dir.join(name), content).expect("a file of the judge's");
        };
        match judge {
            None
            | Some(Judge::Fails {
                fails: Failure::Silent | Failure::Missing,
            }) => {}
            Some(Judge::Text(text)) => set("reply", text),
            Some(Judge::Answer(answer)) => set("reply", &Value::from(answer.clone()).to_string()),
            Some(Judge::Fails {
                fails: Failure::Breaks,
            }) => set("exit", "1"),
            Some(Judge::Fails {
                fails: Failure::Hangs,
            }) => set("sleep", &HANG.as_secs().to_string()),
        }
        if !matches!(
            judge,
            Some(Judge::Fails {
                fails: Failure::Missing
            })
        ) {
            // A link, not a copy: a file that this process holds open for writing can't be executed.
            fs::hard_link(program, &linked).expect("the judge can be linked");
        }
        Self::Program(linked)
    }

    /// The flags that aim a hook at it.
    pub fn flags(&self) -> Vec<String> {
        match self {
            Self::Program(program) => {
                vec!["--judge".into(), format!("command:{}", program.display())]
            }
            Self::Server(server) => {
                vec![
                    "--judge".into(),
                    format!("{}:canned", server.way.name()),
                    "--url".into(),
                    format!("http://{}/v1", server.address),
                ]
            }
        }
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        match self {
            Self::Program(program) => {
                read(program, "calls").map_or(0, |calls| calls.lines().count())
            }
            Self::Server(server) => server.requests.lock().expect("no panic").len(),
        }
    }

    /// The whole prompt that it was last asked.
    pub fn prompt(&self) -> Option<String> {
        match self {
            Self::Program(program) => read(program, "asked"),
            Self::Server(server) => server.requests.lock().expect("no panic").last().map(prompt),
        }
    }
}

/// What a program has left beside itself.
fn read(program: &Path, name: &str) -> Option<String> {
    fs::read_to_string(program.with_file_name(name)).ok()
}

/// The user message of a request, which is the whole prompt.
fn prompt(request: &Value) -> String {
    let messages = request["messages"].as_array().expect("messages");
    let users: Vec<_> = messages.iter().filter(|m| m["role"] == "user").collect();
    let [user] = users[..] else {
        panic!("{} user messages", users.len())
    };
    match &user["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().expect("a text"))
            .collect(),
        other => panic!("a user message that is {other}"),
    }
}

/// An HTTP endpoint on loopback.
pub struct Server {
    way: Way,
    address: String,
    requests: Arc<Mutex<Vec<Value>>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn new(way: Way, judge: Option<&Judge>) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let missing = matches!(
            judge,
            Some(Judge::Fails {
                fails: Failure::Missing
            })
        );
        if missing {
            return Self {
                way,
                address: NOBODY.into(),
                requests,
                stopped,
                thread: None,
            };
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address").to_string();
        let (judge, kept, stop) = (judge.cloned(), Arc::clone(&requests), Arc::clone(&stopped));
        let thread = thread::spawn(move || {
            // What hangs stays open until the hook gave up and the server is dropped.
            let mut hanging = Vec::new();
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                hanging.extend(
                    stream
                        .ok()
                        .and_then(|s| serve(s, way, judge.as_ref(), &kept)),
                );
            }
        });
        Self {
            way,
            address,
            requests,
            stopped,
            thread: Some(thread),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = TcpStream::connect(&self.address);
            let _ = thread.join();
        }
    }
}

/// Answers one connection, or gives it back to hang.
fn serve(
    stream: TcpStream,
    way: Way,
    judge: Option<&Judge>,
    requests: &Mutex<Vec<Value>>,
) -> Option<TcpStream> {
    stream.set_read_timeout(Some(HANG)).ok()?;
    let mut reader = BufReader::new(&stream);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 0 && !line.trim().is_empty() {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).expect("a request in JSON");
    let (status, reply) = match judge {
        Some(Judge::Fails {
            fails: Failure::Hangs,
        }) => (0, Value::Null),
        Some(Judge::Fails {
            fails: Failure::Breaks,
        }) => (
            500,
            json!({"error": {"type": "server_error", "message": "the canned judge breaks"}}),
        ),
        None | Some(Judge::Fails { .. }) => {
            (200, reply(way, &request, &Value::String(String::new())))
        }
        Some(Judge::Text(text)) => (200, reply(way, &request, &json!(text))),
        Some(Judge::Answer(answer)) => (200, reply(way, &request, &Value::from(answer.clone()))),
    };
    requests.lock().expect("no panic").push(request);
    if status == 0 {
        return Some(stream);
    }
    let body = reply.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = (&stream)
        .write_all(head.as_bytes())
        .and_then(|()| (&stream).write_all(body.as_bytes()));
    None
}

/// A reply as the endpoint gives it: an object goes into the tool call that an Anthropic request forces.
fn reply(way: Way, request: &Value, said: &Value) -> Value {
    let text = said
        .as_str()
        .map_or_else(|| said.to_string(), str::to_owned);
    match way {
        Way::Anthropic if said.is_object() => json!({
            "type": "message", "role": "assistant", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": request["tool_choice"]["name"], "input": said}],
        }),
        Way::Anthropic => json!({
            "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
        }),
        Way::OpenAi | Way::Command => json!({
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        }),
    }
}
