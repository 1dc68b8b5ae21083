//! Asking, over HTTP on loopback: what is sent, what a reply means, who is asked next.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::json;

use super::*;
use crate::Field;
use crate::project::Project;
use crate::redact::redact;
use crate::wrap::{Material, wrap};

const ANSWER: &str = r#"{"new_proposal":true,"reason":"because"}"#;

fn prompt() -> Prompt {
    let latest = redact("I will commit it now.");
    let material = Material {
        command: None,
        earlier: None,
        latest: &latest,
        activity: None,
        user: None,
    };
    wrap(
        "Judge it.",
        &[Field::NewProposal, Field::DirectionQuery],
        &material,
    )
}

fn settings(judges: &str, url: Option<&str>) -> Settings {
    Settings {
        judges: choices(judges).unwrap(),
        timeout: Duration::from_secs(5),
        url: url.map(str::to_owned),
        api_key: None,
        openai_key: None,
        anthropic_key: None,
        codex_user_config: false,
        search_path: Vec::new(),
        project: Project::default(),
        certificates: Vec::new(),
        temp_dir: std::env::temp_dir(),
    }
}

fn ask_in(settings: &Settings, time: Duration) -> Asked {
    ask(&prompt(), settings, Instant::now() + time)
}

fn words(asked: &Asked) -> Vec<String> {
    asked
        .attempts
        .iter()
        .map(|a| format!("{} {}", a.backend, a.outcome.word()))
        .collect()
}

/// One request: its head as text, its body as JSON.
struct Request {
    head: String,
    body: Value,
}

/// Answers one connection after the other with these bytes; an empty reply hangs until the client is gone.
fn server(replies: Vec<String>) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let (send, requests) = mpsc::channel();
    thread::spawn(move || {
        for reply in replies {
            let (stream, _) = listener.accept().unwrap();
            let request = request(&stream);
            if send.send(request).is_err() {
                return;
            }
            (&stream).write_all(reply.as_bytes()).unwrap();
            if reply.is_empty() {
                let _ = (&stream).read_to_end(&mut Vec::new());
            }
        }
    });
    (url, requests)
}

fn request(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let head = head.to_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .unwrap()
        .split('\r')
        .next()
        .unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Request {
        head,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

fn response(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn chat(content: &Value) -> String {
    response(
        200,
        &json!({"choices": [{"finish_reason": "stop", "message": {"content": content}}]})
            .to_string(),
    )
}

#[test]
fn an_openai_endpoint_gets_prompt_schema_and_limits() {
    let (url, requests) = server(vec![chat(&json!(ANSWER))]);
    let asked = ask_in(
        &settings("openai:qwen3:8b", Some(&url)),
        Duration::from_secs(5),
    );

    assert_eq!(words(&asked), ["openai answered"]);
    assert_eq!(asked.attempts[0].model.as_deref(), Some("qwen3:8b"));
    let answer = asked.answer.unwrap();
    assert_eq!(answer.raw, ANSWER);
    assert_eq!(
        Value::Object(answer.object),
        json!({"new_proposal": true, "reason": "because"})
    );

    let Request { head, body } = requests.recv().unwrap();
    assert!(
        head.starts_with("post /v1/chat/completions http/1.1\r\n"),
        "{head}"
    );
    assert!(!head.contains("authorization"), "{head}");
    let prompt = prompt();
    let schema: Value = serde_json::from_str(prompt.schema()).unwrap();
    assert_eq!(
        body,
        json!({
            "model": "qwen3:8b",
            "temperature": 0,
            "max_tokens": 300,
            "messages": [
                {"role": "system", "content": prompt.system()},
                {"role": "user", "content": prompt.user()},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": true, "schema": schema},
            },
        })
    );
}

#[test]
fn an_anthropic_endpoint_gets_one_forced_tool() {
    let input: Value = serde_json::from_str(ANSWER).unwrap();
    let reply = json!({"stop_reason": "tool_use", "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "name": "verdict", "input": input},
    ]});
    let (url, requests) = server(vec![response(200, &reply.to_string())]);
    let mut settings = settings("anthropic:claude-haiku-4-5", Some(&url));
    settings.api_key = Some(Secret::new("open-sesame"));
    let asked = ask_in(&settings, Duration::from_secs(5));

    assert_eq!(words(&asked), ["anthropic answered"]);
    assert_eq!(Value::Object(asked.answer.unwrap().object), input);

    let Request { head, body } = requests.recv().unwrap();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    assert!(head.contains("x-api-key: open-sesame\r\n"), "{head}");
    assert!(head.contains("anthropic-version: 2023-06-01\r\n"), "{head}");
    let prompt = prompt();
    let schema: Value = serde_json::from_str(prompt.schema()).unwrap();
    assert_eq!(
        body,
        json!({
            "model": "claude-haiku-4-5",
            "temperature": 0,
            "max_tokens": 300,
            "system": prompt.system(),
            "messages": [{"role": "user", "content": prompt.user()}],
            "tools": [{"name": "verdict", "description": "Gives the verdict.", "input_schema": schema}],
            "tool_choice": {"type": "tool", "name": "verdict"},
        })
    );
}

#[test]
fn a_server_that_does_not_know_a_parameter_is_asked_without() {
    for status in [400, 422] {
        let refused = response(
            status,
            r#"{"error":{"message":"unknown field response_format"}}"#,
        );
        let (url, requests) = server(vec![
            refused,
            chat(&json!(format!("```json\n{ANSWER}\n```"))),
        ]);
        let asked = ask_in(&settings("openai:m", Some(&url)), Duration::from_secs(5));
        assert_eq!(words(&asked), ["openai schema-refused", "openai answered"]);
        let full = requests.recv().unwrap().body;
        let bare = requests.recv().unwrap().body;
        assert_eq!(bare, json!({"model": "m", "messages": full["messages"]}));
    }
}

#[test]
fn a_key_goes_where_it_was_meant_for() {
    let (url, requests) = server(vec![chat(&json!(ANSWER)), chat(&json!(ANSWER))]);
    let mut settings = settings("openai:m", Some(&url));
    settings.openai_key = Some(Secret::new("vendor-key"));
    ask_in(&settings, Duration::from_secs(5));
    let head = requests.recv().unwrap().head;
    assert!(
        !head.contains("vendor-key"),
        "the vendor's key went elsewhere: {head}"
    );

    settings.api_key = Some(Secret::new("named-key"));
    ask_in(&settings, Duration::from_secs(5));
    let head = requests.recv().unwrap().head;
    assert!(
        head.contains("authorization: bearer named-key\r\n"),
        "{head}"
    );
}

#[test]
fn a_key_that_the_server_quotes_is_hidden() {
    let quoting = response(
        401,
        r#"{"error":{"message":"no such key: open-sesame\n\u001b[31m"}}"#,
    );
    let answering = chat(&json!(r#"{"new_proposal":true,"reason":"open-sesame"}"#));
    let (url, _requests) = server(vec![quoting, answering]);
    let mut settings = settings("openai:m,openai:m", Some(&url));
    settings.api_key = Some(Secret::new("open-sesame"));
    let asked = ask_in(&settings, Duration::from_secs(5));
    assert_eq!(words(&asked), ["openai not-logged-in", "openai answered"]);
    let detail = asked.attempts[0].detail.as_ref().unwrap().as_str();
    assert_eq!(detail, "401 no such key: [REDACTED:api-key]");
    assert!(!format!("{asked:?}").contains("sesame"), "{asked:?}");
}

#[test]
fn without_a_key_a_vendor_is_not_asked() {
    let asked = ask_in(
        &settings("openai:m,anthropic:m", None),
        Duration::from_secs(5),
    );
    assert_eq!(
        words(&asked),
        ["openai key-missing", "anthropic key-missing"]
    );
}

#[track_caller]
fn check_reply(judge: &str, reply: &Value, expected: &str) {
    let (url, _requests) = server(vec![response(200, &reply.to_string())]);
    let asked = ask_in(&settings(judge, Some(&url)), Duration::from_secs(5));
    assert_eq!(words(&asked), [expected], "{reply}");
}

#[test]
fn a_reply_without_an_answer_is_named() {
    let chat = |finish: &str, content: Value| json!({"choices": [{"finish_reason": finish, "message": {"content": content}}]});
    check_reply(
        "openai:m",
        &chat("length", json!(r#"{"new_prop"#)),
        "openai token-limit",
    );
    check_reply("openai:m", &chat("stop", Value::Null), "openai empty-reply");
    check_reply("openai:m", &chat("stop", json!("")), "openai empty-reply");
    check_reply(
        "openai:m",
        &chat("stop", json!("fine")),
        "openai unreadable-reply",
    );
    check_reply(
        "openai:m",
        &chat("content_filter", json!("")),
        "openai declined",
    );
    check_reply(
        "openai:m",
        &json!({"choices": [{"message": {"refusal": "I can't."}}]}),
        "openai declined",
    );
    check_reply(
        "openai:m",
        &json!({"choices": []}),
        "openai unreadable-reply",
    );
    check_reply("openai:m", &json!([]), "openai unreadable-reply");

    let message = |stop: &str, block: Value| json!({"stop_reason": stop, "content": [block]});
    let text = json!({"type": "text", "text": ANSWER});
    check_reply(
        "anthropic:m",
        &message("end_turn", text.clone()),
        "anthropic answered",
    );
    check_reply(
        "anthropic:m",
        &message("max_tokens", text),
        "anthropic token-limit",
    );
    check_reply(
        "anthropic:m",
        &message("refusal", json!({})),
        "anthropic declined",
    );
    check_reply(
        "anthropic:m",
        &json!({"content": []}),
        "anthropic unreadable-reply",
    );
    check_reply(
        "anthropic:m",
        &json!({"content": "x"}),
        "anthropic unreadable-reply",
    );
}

#[test]
fn a_hanging_backend_leaves_the_next_its_share() {
    let (url, _requests) = server(vec![String::new(), chat(&json!(ANSWER))]);
    let asked = ask_in(
        &settings("openai:slow,openai:m", Some(&url)),
        Duration::from_secs(1),
    );
    assert_eq!(words(&asked), ["openai timeout", "openai answered"]);
    let waited = asked.attempts[0].elapsed.as_millis();
    assert!((450..650).contains(&waited), "{waited} ms");
}

#[test]
fn after_the_deadline_nobody_is_asked() {
    let (url, requests) = server(vec![chat(&json!(ANSWER))]);
    let asked = ask_in(&settings("openai:m,command:sh", Some(&url)), Duration::ZERO);
    assert_eq!(words(&asked), ["openai timeout", "command program-missing"]);
    assert!(requests.try_recv().is_err());
}

#[test]
fn what_cannot_be_asked_is_recorded() {
    let asked = ask_in(
        &settings("gemini:pro,auto,command:no-such-judge,none", None),
        Duration::from_secs(5),
    );
    assert!(asked.answer.is_none());
    assert_eq!(
        words(&asked),
        [
            "gemini:pro unknown-backend",
            "auto none-found",
            "command program-missing"
        ]
    );
    assert!(
        ask_in(&settings("none", None), Duration::from_secs(5))
            .attempts
            .is_empty()
    );
}

#[test]
fn an_attempt_that_is_not_the_last_gets_half_of_the_time() {
    let now = Instant::now();
    let deadline = now + Duration::from_secs(8);
    assert_eq!(share(deadline, now, 3), now + Duration::from_secs(4));
    assert_eq!(
        share(deadline, now + Duration::from_secs(4), 2),
        now + Duration::from_secs(6)
    );
    assert_eq!(share(deadline, now + Duration::from_secs(6), 1), deadline);
    assert_eq!(
        share(now, deadline, 2),
        deadline,
        "a deadline that has passed leaves no time"
    );
}
