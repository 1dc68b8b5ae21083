//! An endpoint on loopback that misbehaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

/// What a server does with a connection.
#[derive(Clone)]
pub enum Fault {
    /// Reads the request, sends these bytes and closes.
    Sends(Vec<u8>),
    /// Sends these bytes without having read, and closes.
    SendsUnasked(Vec<u8>),
    /// Reads the request and sends nothing.
    Hangs,
    /// Sends a head, then a byte ten times a second.
    Dribbles,
    /// Sends a head that promises 50 MB, and as much of it as is taken.
    Floods,
}

impl Fault {
    pub fn sends(status: u16, body: &str) -> Self {
        let length = body.len();
        Self::Sends(
            format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
            .into(),
        )
    }

    /// A status with an error of the usual shape.
    pub fn refuses(status: u16) -> Self {
        Self::sends(status, r#"{"error":{"message":"not now","type":"error"}}"#)
    }

    /// What a model says, in the reply of an OpenAI-compatible chat.
    pub fn says(content: &str) -> Self {
        Self::sends(
            200,
            &json!({"choices": [{"finish_reason": "stop", "message": {"content": content}}]})
                .to_string(),
        )
    }
}

/// A server that runs until the test's process ends.
pub struct Server {
    pub port: u16,
    calls: Arc<AtomicUsize>,
}

impl Server {
    pub fn new(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (fault, counted) = (fault.clone(), Arc::clone(&counted));
                thread::spawn(move || {
                    counted.fetch_add(1, Ordering::SeqCst);
                    // The client may be gone at any point.
                    let _ = stream.and_then(|stream| serve(&stream, fault));
                });
            }
        });
        Self { port, calls }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// A port at which nobody listens.
pub fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .port()
}

fn serve(mut stream: &TcpStream, fault: Fault) -> std::io::Result<()> {
    const HEAD: &[u8] = b"HTTP/1.1 200 X\r\ncontent-length: 50000000\r\n\r\n";
    if let Fault::SendsUnasked(bytes) = &fault {
        return stream.write_all(bytes);
    }
    read_request(stream)?;
    match fault {
        Fault::Sends(bytes) | Fault::SendsUnasked(bytes) => stream.write_all(&bytes),
        Fault::Hangs => stream.read_to_end(&mut Vec::new()).map(drop),
        Fault::Dribbles => {
            stream.write_all(HEAD)?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(100));
            }
        }
        Fault::Floods => {
            stream.write_all(HEAD)?;
            (0..50).try_for_each(|_| stream.write_all(&vec![b' '; 1_000_000]))
        }
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    reader.take(length).read_to_end(&mut Vec::new()).map(drop)
}
