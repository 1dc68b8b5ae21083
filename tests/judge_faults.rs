//! The fault table of the judges: whatever a judge does, the stop passes in time, the log names the fault, and neither a
//! process nor a file is left. One test a row, with the real executable.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what fails here fails the test"
)]

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

#[path = "judge_faults/run.rs"]
mod run;
#[path = "judge_faults/server.rs"]
mod server;

use run::{Ran, Scene, VIOLATION};
use server::{Fault, Server, closed_port};

/// For judges that end by themselves; a busy machine needs some of it.
const SOON: Duration = Duration::from_secs(3);

/// The deadline of those that don't.
const DEADLINE: Duration = Duration::from_secs(1);

#[track_caller]
fn check(scene: &Scene, args: &[&str], outcomes: &[&str], limit: Duration) -> Ran {
    let what = format!("{args:?}");
    let timeout = limit.as_secs().to_string();
    let ran = scene.run(&[args, &["--timeout-s", &timeout]].concat());
    ran.check_allowed(&what);
    assert_eq!(ran.outcomes(), outcomes, "{what}");
    ran.check_time(&what, limit);
    scene.check_nothing_is_left(&what);
    ran
}

/// A program that misbehaves as judge.
#[track_caller]
fn program(fault: &str, outcome: &str, limit: Duration) {
    let scene = Scene::new();
    let judge = scene.faulty(fault);
    check(&scene, &["--judge", &judge], &[outcome], limit);
    assert!(!scene.pids().is_empty(), "{fault} did not run");
}

/// A program that answers all the same.
#[track_caller]
fn program_answers(fault: &str, reply: &str) {
    let scene = Scene::new();
    scene.reply(reply);
    let ran = scene.run(&["--judge", &scene.faulty(fault)]);
    ran.check_blocked(fault);
    ran.check_time(fault, SOON);
    scene.check_nothing_is_left(fault);
}

/// An endpoint that misbehaves as judge.
#[track_caller]
fn endpoint(fault: Fault, outcomes: &[&str], limit: Duration) -> Ran {
    let server = Server::new(fault);
    let ran = check(
        &Scene::new(),
        &["--judge", "openai:m", "--url", &server.url()],
        outcomes,
        limit,
    );
    assert_eq!(server.calls(), outcomes.len());
    ran
}

macro_rules! rows {
    ($($name:ident => $check:expr;)*) => { $(#[test] fn $name() { let _ = $check; })* };
}

rows! {
    program_exits_1 => program("exits-1", "exit-1", SOON);
    program_is_killed_by_a_signal => program("is-killed", "killed-11", SOON);
    program_prints_nothing => program("prints-nothing", "empty-reply", SOON);
    program_prints_10_mb => program("prints-10-MB", "too-large", SOON);
    program_floods => program("floods", "too-large", SOON);
    program_prints_invalid_utf_8 => program("prints-invalid-UTF-8", "unreadable-reply", SOON);
    program_prints_half_a_json => program("prints-half", "unreadable-reply", SOON);
    program_prints_two_jsons => program("prints-two", "ambiguous-reply", SOON);
    program_forks_and_fails => program("forks-and-fails", "exit-1", SOON);
    program_sleeps => program("sleeps", "timeout", DEADLINE);
    program_ignores_signals => program("ignores-signals", "timeout", DEADLINE);
    program_dribbles => program("dribbles", "timeout", DEADLINE);
    program_closes_its_pipes_and_sleeps => program("closes-and-sleeps", "timeout", DEADLINE);
    program_forks_and_sleeps => program("forks-and-sleeps", "timeout", DEADLINE);

    program_answers_plainly => program_answers("answers", VIOLATION);
    program_answers_without_reading => program_answers("answers-unasked", VIOLATION);
    program_answers_in_a_fence_with_prose =>
        program_answers("answers", &format!("Here it is:\n\n```json\n{VIOLATION}\n```\nThat is all."));
    program_answers_and_leaves_a_child_with_the_pipe => program_answers("forks-and-answers", VIOLATION);

    endpoint_answers_301 => endpoint_redirects(301);
    endpoint_answers_302 => endpoint_redirects(302);
    endpoint_answers_307 => endpoint_redirects(307);
    endpoint_answers_400 => endpoint(Fault::refuses(400), &["http-400", "http-400"], SOON);
    endpoint_answers_422 => endpoint(Fault::refuses(422), &["http-422", "http-422"], SOON);
    endpoint_answers_401 => endpoint(Fault::refuses(401), &["not-logged-in"], SOON);
    endpoint_answers_404 => endpoint(Fault::refuses(404), &["http-404"], SOON);
    endpoint_has_no_such_model =>
        endpoint(Fault::sends(404, r#"{"error":{"code":"model_not_found"}}"#), &["model-refused"], SOON);
    endpoint_answers_429 => endpoint(Fault::refuses(429), &["rate-limited"], SOON);
    endpoint_answers_500 => endpoint(Fault::refuses(500), &["http-500"], SOON);
    endpoint_answers_503 => endpoint(Fault::refuses(503), &["http-503"], SOON);
    endpoint_answers_200_with_nothing => endpoint(Fault::sends(200, ""), &["empty-reply"], SOON);
    endpoint_answers_200_with_html =>
        endpoint(Fault::sends(200, "<html>{\"new_proposal\":true}</html>"), &["unreadable-reply"], SOON);
    endpoint_answers_json_of_another_shape => endpoint(Fault::sends(200, VIOLATION), &["unreadable-reply"], SOON);
    endpoint_answers_invalid_utf_8 =>
        endpoint(Fault::Sends(b"HTTP/1.1 200 X\r\ncontent-length: 3\r\n\r\n\"\xff\"".to_vec()), &["unreadable-reply"], SOON);
    endpoint_cuts_the_body =>
        endpoint(Fault::Sends(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{".to_vec()), &["connection-lost"], SOON);
    endpoint_cuts_a_chunk =>
        endpoint(Fault::Sends(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n50\r\n{".to_vec()), &["connection-lost"], SOON);
    endpoint_closes => endpoint(Fault::Sends(Vec::new()), &["connection-lost"], SOON);
    endpoint_speaks_no_http => endpoint(Fault::Sends(b"220 mail ready\r\n".to_vec()), &["connection-lost"], SOON);
    endpoint_floods => endpoint(Fault::Floods, &["too-large"], SOON);
    endpoint_sends_no_header => endpoint(Fault::Hangs, &["timeout"], DEADLINE);
    endpoint_dribbles => endpoint(Fault::Dribbles, &["timeout"], DEADLINE);
}

#[test]
fn program_is_missing() {
    let scene = Scene::new();
    check(
        &scene,
        &["--judge", "command:/nowhere/judge"],
        &["program-missing"],
        SOON,
    );
    let scene = Scene::new();
    check(
        &scene,
        &["--judge", "command:no-such-judge,codex,claude"],
        &["program-missing"; 3],
        SOON,
    );
    let scene = Scene::new();
    check(&scene, &["--judge", "auto"], &["none-found"], SOON);
}

#[test]
fn program_is_not_executable() {
    let scene = Scene::new();
    let judge = format!("command:{}", scene.path("bin/reply").display());
    check(&scene, &["--judge", &judge], &["not-executable"], SOON);
}

/// Only the agent's own directory holds a `codex`: it is not started, whichever way it is found.
#[test]
fn program_lies_in_the_project() {
    let scene = Scene::new();
    let program = scene.link("judge.sh", "answers");
    fs::rename(program, scene.path("project/codex")).unwrap();
    fs::remove_dir_all(scene.path("bin")).unwrap();
    std::os::unix::fs::symlink(scene.path("project"), scene.path("bin")).unwrap();
    check(&scene, &["--judge", "codex"], &["program-in-project"], SOON);
    assert!(
        scene.pids().is_empty(),
        "a program of the project was started"
    );
}

#[test]
fn word_names_no_backend() {
    let scene = Scene::new();
    let ran = check(
        &scene,
        &["--judge", "gemini:pro"],
        &["unknown-backend"],
        SOON,
    );
    assert_eq!(ran.record["attempts"][0]["backend"], "gemini:pro");
}

#[test]
fn endpoint_refuses_the_connection() {
    let url = format!("http://127.0.0.1:{}/v1", closed_port());
    check(
        &Scene::new(),
        &["--judge", "openai:m", "--url", &url],
        &["connect-refused"],
        SOON,
    );
}

/// A label of 64 letters is no name: the look-up fails without a network too.
#[test]
fn endpoint_has_no_address() {
    let url = format!("https://{}.example/v1", "x".repeat(64));
    check(
        &Scene::new(),
        &["--judge", "anthropic:m", "--url", &url],
        &["dns"],
        SOON,
    );
}

#[test]
fn endpoint_speaks_no_tls() {
    let server = Server::new(Fault::SendsUnasked(b"HTTP/1.1 400 X\r\n\r\n".to_vec()));
    let url = format!("https://127.0.0.1:{}/v1", server.port);
    check(
        &Scene::new(),
        &["--judge", "openai:m", "--url", &url],
        &["tls"],
        SOON,
    );
}

/// With a proxy and a certificate of its own, a project would read the key.
#[test]
fn certificates_of_the_project_are_not_trusted() {
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
        for certificate in ["ca.pem", "/proc/self/cwd/ca.pem"] {
            let scene = Scene::new();
            fs::write(scene.path("project/ca.pem"), "").unwrap();
            let proxy = Server::new(Fault::refuses(403));
            let args = ["--judge", "openai:m", "--url", "https://judge.example/v1"];
            let env = [("HTTPS_PROXY", &*proxy.url()), (name, certificate)];
            let ran = scene.run_with(&args, &env);
            ran.check_allowed(certificate);
            assert_eq!(ran.outcomes(), ["tls"], "{name}={certificate}");
            assert_eq!(proxy.calls(), 0, "{name}={certificate}");
        }
    }
}

/// A judge's client looks for its settings in the directories above its own.
#[test]
fn judge_runs_outside_the_project() {
    for temp_dir in ["project", ".", "", "/nowhere", "/dev/null"] {
        let scene = Scene::new();
        let chosen = match temp_dir {
            "project" => scene.path(temp_dir),
            other => other.into(),
        };
        let judge = scene.faulty("tells-where");
        let ran = scene.run_with(
            &["--judge", &judge],
            &[("TMPDIR", chosen.to_str().unwrap())],
        );
        ran.check_blocked(temp_dir);
        let place = fs::read_to_string(scene.path("bin/where")).unwrap();
        assert!(!place.contains("/project/"), "{temp_dir}: {place}");
        scene.check_nothing_is_left(temp_dir);
    }
}

/// An object is no verdict yet: another judge may have one.
#[test]
fn object_without_a_verdict_is_no_answer() {
    for reply in [
        "{}",
        r#"{"error":"overloaded"}"#,
        r#"{"new_proposal":"true"}"#,
    ] {
        let scene = Scene::new();
        scene.reply(reply);
        let judge = scene.faulty("answers");
        let judges = format!("{judge},command:no-such-judge");
        check(
            &scene,
            &["--judge", &judges],
            &["schema-ignored", "program-missing"],
            SOON,
        );
    }
}

/// What goes to this machine stays on it.
#[test]
fn loopback_has_no_proxy() {
    let proxy = Server::new(Fault::refuses(403));
    let server = Server::new(Fault::says(VIOLATION));
    let (proxied, url) = (proxy.url(), server.url());
    let variables = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "http_proxy"];
    let env = variables.map(|name| (name, proxied.as_str()));
    let ran = Scene::new().run_with(&["--judge", "openai:m", "--url", &url], &env);
    ran.check_blocked("an endpoint on loopback");
    assert_eq!((proxy.calls(), server.calls()), (0, 1));
}

#[test]
fn elsewhere_goes_through_the_proxy() {
    let proxy = Server::new(Fault::refuses(403));
    let args = ["--judge", "openai:m", "--url", "https://judge.example/v1"];
    let ran = Scene::new().run_with(&args, &[("HTTPS_PROXY", &proxy.url())]);
    ran.check_allowed("a proxy that refuses");
    assert_eq!((ran.outcomes(), proxy.calls()), (vec!["unreachable"], 1));
}

#[track_caller]
fn endpoint_redirects(status: u16) {
    let elsewhere = Server::new(Fault::says(VIOLATION));
    let head = format!(
        "HTTP/1.1 {status} X\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        elsewhere.url()
    );
    endpoint(
        Fault::Sends(head.into()),
        &[&format!("http-{status}")],
        SOON,
    );
    assert_eq!(elsewhere.calls(), 0, "a redirect was followed");
}

/// A first judge that hangs leaves the second its share of the deadline.
#[test]
fn second_judge_has_its_share() {
    let scene = Scene::new();
    let judges = format!("{},{}", scene.faulty("sleeps"), scene.faulty("answers"));
    let ran = scene.run(&["--judge", &judges, "--timeout-s", "2"]);
    ran.check_blocked("the second judge");
    assert_eq!(ran.outcomes(), ["timeout", "answered"]);
    ran.check_time("two judges", Duration::from_secs(2));
    scene.check_nothing_is_left("two judges");
}

#[test]
fn accounts_without_the_first_model_get_the_second() {
    let scene = Scene::new();
    scene.link("codex-without-spark.sh", "codex");
    let ran = scene.run(&["--judge", "auto"]);
    ran.check_blocked("codex");
    let attempts = ran.record["attempts"].as_array().unwrap();
    let told: Vec<_> = attempts
        .iter()
        .map(|a| (a["model"].as_str(), a["outcome"].as_str()))
        .collect();
    let expected = [
        (Some("gpt-5.3-codex-spark"), Some("model-refused")),
        (Some("gpt-6-luna"), Some("answered")),
    ];
    assert_eq!(told, expected);
    scene.check_nothing_is_left("codex");
    // A model that was asked for by name has no substitute.
    let scene = Scene::new();
    scene.link("codex-without-spark.sh", "codex");
    check(
        &scene,
        &["--judge", "codex:gpt-5.3-codex-spark"],
        &["model-refused"],
        SOON,
    );
}

#[test]
fn clients_without_safe_mode_are_isolated_another_way() {
    let scene = Scene::new();
    scene.link("claude-without-safe-mode.sh", "claude");
    let ran = scene.run(&["--judge", "auto"]);
    ran.check_blocked("claude");
    assert_eq!(ran.outcomes(), ["client-too-old", "answered"]);
    scene.check_nothing_is_left("claude");
}

/// There is no other way to keep a user's own hooks and servers out of Codex.
#[test]
fn clients_that_cannot_be_isolated_are_not_asked() {
    let scene = Scene::new();
    scene.link("codex-too-old.sh", "codex");
    let ran = check(&scene, &["--judge", "auto"], &["client-too-old"], SOON);
    let detail = ran.record["attempts"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("'--ignore-user-config'"), "{detail}");
}

/// The host, the user or the kernel may end a hook at any moment.
#[test]
fn hook_is_killed() {
    for signal in ["KILL", "TERM"] {
        for fault in ["forks-and-sleeps", "ignores-signals"] {
            let scene = Scene::new();
            let mut hook = scene.start(&["--judge", &scene.faulty(fault)], &[]);
            let started = Instant::now();
            let wanted = if fault == "forks-and-sleeps" { 2 } else { 1 };
            while scene.pids().len() < wanted {
                assert!(
                    started.elapsed() < Duration::from_secs(10),
                    "{fault} did not start"
                );
                thread::sleep(Duration::from_millis(5));
            }
            let pid = hook.id().to_string();
            assert!(
                Command::new("kill")
                    .args(["-s", signal, &pid])
                    .status()
                    .unwrap()
                    .success()
            );
            assert_eq!(hook.wait().unwrap().code(), None);
            scene.check_nothing_is_left(&format!("{fault} and SIG{signal}"));
        }
    }
}

/// What a judge says is hostile, and a violation all the same.
#[track_caller]
fn hostile(reason: &str, shown: &str) {
    let violation = |reason: &str| {
        json!({"new_proposal": true, "verification_reported": false, "reason": reason}).to_string()
    };
    let raw = violation("R").replace('R', &reason.replace('\\', "\\\\").replace('"', "\\\""));
    for reply in [violation(reason), raw] {
        let scene = Scene::new();
        scene.reply(&reply);
        let by_program = scene.run(&["--judge", &scene.faulty("answers")]);
        let server = Server::new(Fault::says(&reply));
        let by_endpoint = Scene::new().run(&["--judge", "openai:m", "--url", &server.url()]);
        for ran in [by_program, by_endpoint] {
            ran.check_blocked(shown);
            assert!(ran.stderr.contains(shown), "{shown:?} in {:?}", ran.stderr);
            assert!(
                ran.stderr.chars().count() <= 1000,
                "{} characters",
                ran.stderr.len()
            );
            assert!(
                ran.line.len() < 20_000,
                "a record of {} bytes",
                ran.line.len()
            );
            let mut told = vec![ran.stderr.trim_end()];
            told.extend(["reason", "reply"].map(|key| ran.record[key].as_str().expect("a text")));
            for text in told {
                assert!(!text.contains(char::is_control), "{text:?}");
            }
        }
    }
}

#[test]
fn reason_has_terminal_sequences() {
    hostile(
        "\u{1b}[2J\u{1b}[31mred\u{1b}[0m and\r\nmore\u{7}",
        "red and more",
    );
}

#[test]
fn reason_has_nul() {
    hostile("before\0after", "before");
}

#[test]
fn reason_has_a_megabyte() {
    hostile(&"long ".repeat(200_000), "long long");
}

#[test]
fn reason_reads_like_a_shell_that_found_no_hook() {
    hostile(
        "sh: can't open hook: No such file or directory",
        "No such file or directory",
    );
}

#[test]
fn reason_has_a_secret() {
    let secret: String = ["ghp", "_"].concat() + &"aB3dE6gH9jK2".repeat(3);
    let scene = Scene::new();
    scene.reply(json!({"new_proposal": true, "verification_reported": false, "reason": format!("it prints {secret}")}).to_string());
    let ran = scene.run(&["--judge", &scene.faulty("answers")]);
    ran.check_blocked("a secret");
    assert!(
        ran.stderr.contains("it prints [REDACTED:github-token]"),
        "{}",
        ran.stderr
    );
    assert!(
        !ran.stderr.contains(&secret) && !ran.line.contains(&secret),
        "{}",
        ran.line
    );
}

/// A key goes into a header and nowhere else, though the endpoint quotes it.
#[test]
fn key_stays_hidden() {
    let key = "my-key-of-no-known-format-7";
    let quoting = format!(r#"{{"error":{{"message":"no such key: {key}"}}}}"#);
    let server = Server::new(Fault::sends(401, &quoting));
    let scene = Scene::new();
    let url = server.url();
    let args = [
        "--judge",
        "openai:m",
        "--url",
        &url,
        "--api-key-env",
        "JUDGE_KEY",
    ];
    let ran = scene.run_with(&args, &[("JUDGE_KEY", key)]);
    ran.check_allowed("a key that is quoted");
    assert_eq!(ran.outcomes(), ["not-logged-in"]);
    assert!(!ran.line.contains(key), "{}", ran.line);
}
