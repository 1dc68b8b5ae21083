//! Endpoints: any OpenAI-compatible chat, and Anthropic's Messages API.
//!
//! One request, and on 400 or 422 a second one with model and messages only, for servers that don't know a parameter. No
//! redirects, no retries: whoever fails makes room for the next in the list. Plain http goes to this machine only, and
//! then never through a proxy; otherwise the proxy environment is honoured. Certificates are checked against the system's
//! trust store.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};

use super::outcome::{Failure, Outcome};
use super::refusal::{message_in, refusal};
use super::{Answer, Attempts, Call, OUTPUT_MAX_BYTES, Secret, reply};
use crate::surrogates;

/// A verdict takes sixty tokens, with a long reason a hundred and fifty.
const OUTPUT_MAX_TOKENS: u32 = 300;

/// Requests end by their own limit; this is for one that doesn't notice.
const GRACE: Duration = Duration::from_millis(30);

/// Which of the two is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    OpenAi,
    Anthropic,
}

/// How much of the API a request uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Full,
    /// Model and messages.
    Bare,
}

pub(super) fn ask(
    call: Call<'_>,
    dialect: Dialect,
    model: &str,
    attempts: &mut Attempts,
) -> Option<Answer> {
    let mut ask = |extent| {
        // The numbers that say "not like this".
        let mut refused_as_sent = false;
        let result = attempts.record(dialect.name(), Some(model), || {
            let endpoint = Endpoint::of(call, dialect)?;
            let body = dialect.body(call, model, extent);
            let (status, body) = endpoint.post(body, call.left())?;
            refused_as_sent = matches!(status, 400 | 422);
            read(dialect, status, &body)
        });
        (result, refused_as_sent)
    };
    match ask(Extent::Full) {
        (Err(_), true) => ask(Extent::Bare).0.ok(),
        (result, _) => result.ok(),
    }
}

impl Dialect {
    fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    fn vendor_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/messages",
        }
    }

    fn headers(self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        if self == Self::Anthropic {
            headers.push(("anthropic-version", "2023-06-01".to_owned()));
        }
        headers.extend(key.map(|key| match self {
            Self::OpenAi => ("authorization", format!("Bearer {}", key.expose())),
            Self::Anthropic => ("x-api-key", key.expose().to_owned()),
        }));
        headers
    }

    /// The request. It is put together as text so that the schema's keys keep their order: models that are held to a
    /// schema write them in it.
    fn body(self, call: Call<'_>, model: &str, extent: Extent) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let (model, schema) = (text(model), call.prompt.schema());
        let (system, user) = (text(call.prompt.system()), text(call.prompt.user()));
        match (self, extent) {
            (Self::OpenAi, extent) => {
                let head = format!(
                    r#"{{"model":{model},"messages":[{{"role":"system","content":{system}}},{{"role":"user","content":{user}}}]"#
                );
                // OpenAI's own models refuse `max_tokens`, other servers don't know its successor.
                let limit = if call.settings.url.is_some() {
                    "max_tokens"
                } else {
                    "max_completion_tokens"
                };
                match extent {
                    Extent::Bare => format!("{head}}}"),
                    Extent::Full => format!(
                        r#"{head},"temperature":0,"{limit}":{OUTPUT_MAX_TOKENS},"response_format":{{"type":"json_schema","json_schema":{{"name":"verdict","strict":true,"schema":{schema}}}}}}}"#
                    ),
                }
            }
            (Self::Anthropic, extent) => {
                let head = format!(
                    r#"{{"model":{model},"max_tokens":{OUTPUT_MAX_TOKENS},"system":{system},"messages":[{{"role":"user","content":{user}}}]"#
                );
                match extent {
                    Extent::Bare => format!("{head}}}"),
                    Extent::Full => format!(
                        r#"{head},"temperature":0,"tools":[{{"name":"verdict","description":"Gives the verdict.","input_schema":{schema}}}],"tool_choice":{{"type":"tool","name":"verdict"}}}}"#
                    ),
                }
            }
        }
    }

    /// The judge's words in a reply of 200.
    fn read(self, reply: &Value) -> Result<Answer, Failure> {
        let (text, finish) = match self {
            Self::OpenAi => {
                let choice = reply.pointer("/choices/0");
                let choice = |place| choice.and_then(|choice| choice.pointer(place));
                if choice("/message/refusal").is_some_and(Value::is_string) {
                    return Err(Outcome::Declined.into());
                }
                (
                    choice("/message/content").cloned(),
                    choice("/finish_reason"),
                )
            }
            Self::Anthropic => {
                let blocks = reply.get("content").and_then(Value::as_array);
                let field = |name| blocks?.iter().find_map(|block: &Value| block.get(name));
                // The tool's input is the answer itself.
                let text = field("input").map(|input| Value::from(input.to_string()));
                (
                    text.or_else(|| field("text").cloned()),
                    reply.get("stop_reason"),
                )
            }
        };
        match finish.and_then(Value::as_str) {
            Some("length" | "max_tokens") => return Err(Outcome::TokenLimit.into()),
            Some("refusal" | "content_filter") => return Err(Outcome::Declined.into()),
            _ => {}
        }
        match text {
            Some(Value::String(text)) => reply::read(text.as_bytes()),
            Some(Value::Null) => Err(Outcome::EmptyReply.into()),
            _ => Err(Outcome::UnreadableReply.into()),
        }
    }
}

fn read(dialect: Dialect, status: u16, body: &str) -> Result<Answer, Failure> {
    if status != 200 {
        let message = message_in(body);
        return Err(Failure::new(
            refusal(Some(status), body),
            format!("{status} {message}"),
        ));
    }
    if body.trim().is_empty() {
        return Err(Outcome::EmptyReply.into());
    }
    match serde_json::from_slice(&surrogates::mended(body.as_bytes())) {
        Ok(reply) => dialect.read(&reply),
        Err(_) => Err(Outcome::UnreadableReply.into()),
    }
}

/// Where a request goes, and what it may take along.
struct Endpoint {
    url: String,
    is_loopback: bool,
    key: Option<Secret>,
    headers: Vec<(&'static str, String)>,
}

impl Endpoint {
    fn of(call: Call<'_>, dialect: Dialect) -> Result<Self, Failure> {
        let settings = call.settings;
        let base = settings
            .url
            .as_deref()
            .unwrap_or(dialect.vendor_url())
            .trim_end_matches('/');
        let url = format!("{base}{}", dialect.path());
        let is_loopback = is_loopback(&url).ok_or(Outcome::UrlRefused)?;
        // With a proxy of its own and a certificate for it, a project would read the key.
        let is_foreign = |path: &PathBuf| path.is_relative() || call.programs.forbids(path);
        if url.starts_with("https") && settings.certificates.iter().any(is_foreign) {
            let words = "SSL_CERT_FILE or SSL_CERT_DIR names certificates of the project";
            return Err(Failure::new(Outcome::Tls, words));
        }
        let vendor_key = match dialect {
            _ if settings.url.is_some() => None,
            Dialect::OpenAi => settings.openai_key.as_ref(),
            Dialect::Anthropic => settings.anthropic_key.as_ref(),
        };
        let key = settings.api_key.as_ref().or(vendor_key).cloned();
        if key.is_none() && settings.url.is_none() {
            return Err(Outcome::KeyMissing.into());
        }
        let headers = dialect.headers(key.as_ref());
        Ok(Self {
            url,
            is_loopback,
            key,
            headers,
        })
    }

    /// Sends `body` and reads the whole reply, without the key if it is quoted there.
    fn post(&self, body: String, left: Duration) -> Result<(u16, String), Failure> {
        if left.is_zero() {
            return Err(Outcome::Timeout.into());
        }
        let proxy = if self.is_loopback {
            None
        } else {
            ureq::Proxy::try_from_env()
        };
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(left))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .tls_config(
                TlsConfig::builder()
                    .root_certs(RootCerts::PlatformVerifier)
                    .build(),
            )
            .user_agent(concat!("stop-hooks/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let request = self
            .headers
            .iter()
            .fold(agent.post(&self.url), |request, (name, value)| {
                request.header(*name, value)
            });
        // The limit is kept by ureq at every step that it takes itself; a thread keeps it for those that it doesn't.
        let (send, receive) = mpsc::channel();
        thread::Builder::new()
            .spawn(move || {
                let reply = request.send(body).and_then(|mut response| {
                    let status = response.status().as_u16();
                    let limit = OUTPUT_MAX_BYTES as u64;
                    Ok((
                        status,
                        response
                            .body_mut()
                            .with_config()
                            .limit(limit)
                            .read_to_vec()?,
                    ))
                });
                // Nobody listens any more when the time is up.
                let _ = send.send(reply);
            })
            .map_err(|e| Failure::new(Outcome::NotStarted, e.to_string()))?;
        let (status, bytes) = match receive.recv_timeout(left + GRACE) {
            Ok(reply) => reply.map_err(|e| self.failure(&e))?,
            Err(_) => return Err(Outcome::Timeout.into()),
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok((status, self.without_key(&text))),
            Err(_) if status == 200 => Err(Outcome::UnreadableReply.into()),
            Err(e) => Ok((
                status,
                self.without_key(&String::from_utf8_lossy(e.as_bytes())),
            )),
        }
    }

    fn failure(&self, error: &ureq::Error) -> Failure {
        use std::io::ErrorKind;
        let outcome = match error {
            ureq::Error::Timeout(_) => Outcome::Timeout,
            ureq::Error::HostNotFound => Outcome::Dns,
            ureq::Error::BodyExceedsLimit(_) => Outcome::TooLarge,
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Outcome::UrlRefused,
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => Outcome::Tls,
            ureq::Error::Protocol(_) | ureq::Error::BodyStalled => Outcome::ConnectionLost,
            ureq::Error::Io(e) => match e.kind() {
                ErrorKind::ConnectionRefused => Outcome::ConnectRefused,
                ErrorKind::TimedOut | ErrorKind::WouldBlock => Outcome::Timeout,
                ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe => Outcome::ConnectionLost,
                ErrorKind::InvalidData => Outcome::Tls,
                // A failed look-up has no kind of its own.
                _ if e.to_string().contains("lookup address") => Outcome::Dns,
                _ => Outcome::Unreachable,
            },
            _ => Outcome::Unreachable,
        };
        Failure::new(outcome, self.without_key(&error.to_string()))
    }

    fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.hidden_in(text),
            None => text.to_owned(),
        }
    }
}

/// Whether a text may be sent to `url`: https anywhere, plain http to this machine alone.
pub fn is_url(url: &str) -> bool {
    is_loopback(url).is_some()
}

/// Whether `url` leads to this machine; nothing for an address that no text may be sent to.
fn is_loopback(url: &str) -> Option<bool> {
    let uri: Uri = url.parse().ok()?;
    let host = uri.host()?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    match uri.scheme_str() {
        Some("https") => Some(is_loopback),
        Some("http") if is_loopback => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_leads_to_this_machine_alone() {
        for (url, expected) in [
            ("https://api.openai.com/v1", Some(false)),
            ("https://localhost:8443/v1", Some(true)),
            ("http://localhost:11434/v1", Some(true)),
            ("http://127.0.0.1:8080/v1", Some(true)),
            ("http://127.8.9.10/v1", Some(true)),
            ("http://[::1]:8080/v1", Some(true)),
            ("http://api.openai.com/v1", None),
            ("http://localhost.example.com/v1", None),
            ("http://127.0.0.1@example.com/v1", None),
            ("http://0.0.0.0/v1", None),
            ("http://[::2]/v1", None),
            ("ftp://localhost/v1", None),
            ("localhost:8080/v1", None),
            ("/v1", None),
            ("", None),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }
}
