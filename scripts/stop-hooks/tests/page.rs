//! The page of `stop-hooks stats` in a real browser, at the width of a phone and of a desk.
//!
//! Ignored unless asked for, since it needs Chromium: `cargo test -p stop-hooks --test page -- --ignored`.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

/// A page of hostile texts, long names and long words.
fn page(directory: &TempDir) -> PathBuf {
    let logs = directory.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mut log = String::new();
    for (nth, hook) in (0..60).zip(common::hook::NAMES.iter().cycle()) {
        let record = json!({
            "time": "2026-01-31T12:00:00+01:00", "id": format!("{nth:x}-1"), "hook": hook, "event": "Stop",
            "mode": "block", "decision": if nth % 2 == 0 { "block" } else { "allow" }, "stage": "verdict",
            "verdict": "allow", "signal": "a-signal-with-a-name-that-is-rather-long", "judge_ms": 900, "total_ms": 1000,
            "attempts": [{"backend": "codex", "model": "m".repeat(80), "outcome": "answered", "ms": 900}],
            "reason": "<img src=https://example.invalid/x onerror=alert(1)> \u{202e}reversed",
            "text": format!("</pre><script>console.error('ran')</script> {} \u{0}", "w".repeat(3000)),
        });
        writeln!(log, "{record}").unwrap();
    }
    fs::write(logs.join("stop-hook-llm-decisions-2026-01-31.log"), log).unwrap();
    let page = directory.path().join("page.html");
    let status = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["stats", "--until", "2026-01-31", "--log-dir"])
        .arg(&logs)
        .arg("--html")
        .arg(&page)
        .status()
        .unwrap();
    assert!(status.success());
    page
}

/// Opens `page` in a window of `width` and gives back its document and what the browser wrote on stderr.
fn open(page: &Path, width: u32, log: &Path) -> (String, String) {
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
        ])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            log.with_extension("profile").display()
        ))
        .arg(format!("--window-size={width},800"))
        // What the browser wants for itself goes nowhere.
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap_or_else(|e| panic!("Chromium is needed: {e}"));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
#[ignore = "needs Chromium"]
fn the_browser_has_nothing_to_say_and_nothing_to_fetch() {
    for width in [360, 1280] {
        let directory = tempfile::tempdir().unwrap();
        let page = page(&directory);
        let log = directory.path().join("net.json");
        let (document, said) = open(&page, width, &log);
        assert!(document.contains("<h2>What was judged</h2>"), "{said}");
        assert!(
            !document.contains("<script") && !document.contains("<img"),
            "a text became markup"
        );
        let console: Vec<_> = said
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .collect();
        assert!(console.is_empty(), "{console:?}");
        assert_eq!(requests(&log), Vec::<String>::new());
    }
    // What would be seen if there were something.
    let directory = tempfile::tempdir().unwrap();
    let (page, log) = (
        directory.path().join("page.html"),
        directory.path().join("net.json"),
    );
    fs::write(
        &page,
        "<script>console.error('said')</script><img src=http://example.invalid/x>",
    )
    .unwrap();
    let (_, said) = open(&page, 360, &log);
    assert!(
        said.lines()
            .any(|line| line.contains("CONSOLE") && line.contains("said")),
        "{said}"
    );
    assert_eq!(requests(&log), ["http://example.invalid/x"]);
}

/// Addresses that were asked for, without those that the browser wants for itself.
fn requests(log: &Path) -> Vec<String> {
    const OWN: [&str; 3] = [".google.com/", ".googleapis.com/", ".gvt1.com/"];
    let log = fs::read_to_string(log).unwrap();
    let mut found: Vec<_> = log
        .split("\"url\":\"http")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|url| !OWN.iter().any(|own| url.contains(own)))
        .map(|url| format!("http{url}"))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
#[ignore = "needs Chromium"]
fn nothing_sticks_out_at_the_side() {
    for width in [360, 1280] {
        let directory = tempfile::tempdir().unwrap();
        let page = page(&directory);
        // The policy forbids scripts, so the page is measured in a copy without it, with all texts open.
        let measure = "<script>document.title = 'measured ' + document.documentElement.scrollWidth + ' ' + innerWidth</script>";
        let text = fs::read_to_string(&page).unwrap();
        let (before, rest) = text.split_once("<meta http-equiv").unwrap();
        let (_, after) = rest.split_once('\n').unwrap();
        let text = format!("{before}{after}").replace("<details ", "<details open ");
        fs::write(&page, text.replace("</body>", &format!("{measure}</body>"))).unwrap();
        let (document, said) = open(&page, width, &directory.path().join("net.json"));
        let measured = document
            .split_once("<title>measured ")
            .unwrap_or_else(|| panic!("{said}"))
            .1;
        let (measured, _) = measured.split_once("</title>").unwrap();
        let (scroll, inner) = measured.split_once(' ').unwrap();
        let [scroll, inner] = [scroll, inner].map(|number| number.parse::<u32>().unwrap());
        assert!(scroll <= inner, "{scroll} of {inner} at {width}");
    }
}
