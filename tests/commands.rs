//! The gate's reader of shell command lines: every row of `commands.tsv`, what bash itself says, and what holds for
//! any line.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::command::shared_change;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The rows: what is expected, the command line.
fn rows() -> Vec<(Option<&'static str>, String)> {
    let lines = include_str!("commands.tsv").lines();
    let rows = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (what, command) = line.split_once('\t').unwrap_or((line, ""));
            let command = command.replace('⏎', "\n").replace('⇥', "\t");
            ((what != "-").then_some(what), command)
        });
    rows.collect()
}

fn what(line: &str) -> Option<&'static str> {
    shared_change(line).map(|change| change.what)
}

/// One word that a shell reads as `text`.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[track_caller]
fn check_all(rows: impl Iterator<Item = (Option<&'static str>, String)>) {
    let wrong: Vec<String> = rows
        .filter(|(expected, line)| what(line) != *expected)
        .map(|(expected, line)| format!("{:?}, not {expected:?}: {line:?}", what(&line)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_row_is_told_right() {
    check_all(rows().into_iter());
}

#[test]
fn there_are_enough_rows_of_both_kinds() {
    let (changes, others): (Vec<_>, Vec<_>) = rows().into_iter().partition(|(w, _)| w.is_some());
    assert!(
        changes.len() >= 150 && others.len() >= 150,
        "{} {}",
        changes.len(),
        others.len()
    );
}

#[test]
fn a_change_is_found_behind_and_inside_of_anything_that_runs_it() {
    let wraps: [fn(&str) -> String; 8] = [
        |line| format!("(\n{line}\n)"),
        |line| format!("true && {line}"),
        |line| format!("if true; then\n{line}\nfi"),
        |line| format!("sh -c {}", quoted(line)),
        |line| format!("sudo -u x bash -lc {}", quoted(line)),
        |line| format!("eval {}", quoted(line)),
        |line| format!("echo \"$(\n{line}\n)\""),
        |line| format!("bash <<'END'\n{line}\nEND"),
    ];
    // A here-document inside of a here-document ends with the outer one, and so on: whole lines only.
    let whole = |line: &str| !line.ends_with('\\') && !line.contains("END");
    for wrap in wraps {
        let rows = rows()
            .into_iter()
            .filter(|(what, line)| what.is_some() && whole(line));
        check_all(rows.map(|(what, line)| (what, wrap(&line))));
    }
}

#[test]
fn a_simple_change_is_found_behind_prefixes() {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -./:@_".contains(c);
    for prefix in [
        "sudo",
        "A=b",
        "env -i A=b",
        "nohup",
        "time",
        "timeout -k 1 5",
        "xargs -n 1",
    ] {
        let simple = rows().into_iter().filter(|(what, line)| {
            what.is_some() && line.chars().all(plain) && !line.starts_with('.')
        });
        // Keywords and names that a shell alone knows don't stand behind a program.
        let simple = simple.filter(|(_, line)| {
            !["case", "if", "time", "eval", "exec", "source"]
                .iter()
                .any(|word| line.starts_with(word))
        });
        check_all(simple.map(|(what, line)| (what, format!("{prefix} {line}"))));
    }
}

#[test]
fn comments_and_quoted_words_change_nothing() {
    let additions = [
        "\n# git push",
        "\necho 'git push'",
        "\n: \"git push; kubectl apply\"",
    ];
    for addition in additions {
        let rows = rows()
            .into_iter()
            .map(|(what, line)| (what, format!("{line}{addition}")));
        // These end inside of a word, a here-document or a command, and go on in what is added.
        let whole = |line: &str| {
            let open = [
                "\n\"", "\n$(", "\n`", "\n<<", "\nsh -c", "\n|", "\nxargs", "\nsudo", "\n(",
            ];
            !open
                .iter()
                .any(|o| format!("\n{line}").starts_with(&format!("{o}\n")))
        };
        check_all(rows.filter(|(_, line)| whole(line)));
    }
}

#[test]
fn the_place_is_that_of_the_command() {
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let at = shared_change(line).map(|change| change.at);
        assert_eq!(at.and_then(|at| line.get(at)), Some(expected), "{line:?}");
    }
    check("git push", "git push");
    check(
        "cd é && sudo -u x git push -f origin; ls",
        "git push -f origin",
    );
    check("A=b git push >log 2>&1", "git push");
    check("git commit -m \"a b\" && git push", "git commit -m \"a b\"");
    check("git push $(git commit)", "git push $(git commit)");
    check("echo $(git commit -a) && git push", "git commit -a");
    check("sh -c 'ls; git push'", "git push");
    check("sh -c \"ls; git 'push'\"", "git 'push'");
    check(
        r#"sh -c "echo \"a\"; git push""#,
        r#""echo \"a\"; git push""#,
    );
    check("eval git push", "git push");
    check("eval g\"it\" push", "g\"it\" push");
    check("bash <<EOF\nls\ngit push\nEOF\n", "git push");
    check("echo 'ls; git push' | sh", "git push");
    check("echo `ls; git push`", "git push");
    check("bash ./deploy.sh prod", "bash ./deploy.sh prod");
}

/// Pieces of shell that meet each other in random order.
#[rustfmt::skip] // as many as go on a line
const PIECES: &[&str] = &[
    "git push", "git", " push", " ", "\n", "\t", "'", "\"", "\\", "\\\n", "$(", ")", "(", "`", ";",
    "&&", "||", "|", "&", "<<EOF\n", "<<'EOF'\n", "<<-E\n", "\nEOF\n", "<<<", "<(", ">(", ">",
    "2>&1", "#", " # ", "{ ", "}", "${x:-", "$'", "\\x67", "((", "))", "$((1<<2))", "x=(",
    "case a in a) ", ";; esac", "if ", "then ", "fi", "f() ", "sh -c ", "bash", "eval ", "sudo -u ",
    "env -S ", "find . -exec ", "flock f -c ", "xargs ", "é", "\u{3000}", "⏎", "\0", "--", "-", "+",
    "=", "A=b ", "$[", "]", "a[", "time ", "coproc ", "| tee f", "- ", "%s", "printf ", "git-", "npm run ", "./deploy.sh", "migrate prod", "rsync a b:", "ssh ", "@", ":", "://",
];

fn shell_soup() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_line_is_read_and_the_place_is_a_part_of_it(line in prop_oneof![shell_soup(), any::<String>()]) {
        if let Some(change) = shared_change(&line) {
            let part = line.get(change.at.clone());
            prop_assert!(part.is_some_and(|part| !part.is_empty()), "{:?} in {line:?}", change.at);
        }
    }

    #[test]
    fn what_is_quoted_or_commented_out_is_data(text in shell_soup()) {
        prop_assert_eq!(what(&format!("echo {}", quoted(&text))), None);
        prop_assert_eq!(what(&format!("grep -r -- {} src", quoted(&text))), None);
        prop_assert_eq!(what(&format!("ls # {}", text.replace('\n', " "))), None);
        prop_assert_eq!(what(&format!("cat > f <<'~END~'\n{text}\n~END~\n")), None);
    }
}

#[rustfmt::skip] // as many as go on a line
const UNITS: &[&str] = &[
    "(", "$(", "`", "'", "\"", "${", "$'", "\"$(", "<(", "((", "\\", "`\\`", "<<E\n", "<<E $(\n",
    "<<E;", "bash <<E\n", "$(bash <<E\n", "a;", "git ", "git;", "git -m ", "sudo ",
    "sudo docker exec x ", "sh -c '", "bash -c \"", "eval `", "flock f ", "find . -exec ",
    "env -S ", "cat |", "bash|", "echo x|bash;", "a=(", "case x in ", "rails migrate ", "./deploy ",
    "npm run ", "é", "\n", "# ", "{ echo x;} | bash;", "{ ", "bash <(", "$[", "a[ ", "find -exec x \\;",
    "cat |tee|", "printf %s ", "git merge a;", "{ { a;}|bash;", "{ a;} <<<x;", "x | { ", "{ a; } <<<", "tee >(", "env --split-string=x ",
];

/// Quadratic time over so many would take minutes.
const BYTES: usize = 50_000;

/// Lines made for nesting, for long searches and for second readings.
#[test]
fn anything_is_read_in_bounded_time() {
    let lines = UNITS.iter().map(|unit| unit.repeat(BYTES / unit.len()));
    let openers: Vec<String> = (0..BYTES / 50)
        .map(|i| format!("$(bash <<E{i}\n"))
        .collect();
    let nested = openers.concat() + &"x\n".repeat(BYTES / 4);
    let groups = "{ ".repeat(BYTES / 20) + "echo a;" + &"} | bash; ".repeat(BYTES / 20);
    for line in lines.chain([nested, groups]) {
        let started = Instant::now();
        shared_change(&line);
        // A megabyte of the slowest takes about a second in a release build.
        let start: String = line.chars().take(20).collect();
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{:?} for {start:?}",
            started.elapsed()
        );
    }
}

/// A line of shell in which `git push` runs, or stands as data, and how it was made.
fn shell_line() -> impl Strategy<Value = String> {
    let leaf = select(
        &[
            "git push",
            "g\"it\" pu\\sh",
            "echo git push",
            "true",
            "git status",
        ][..],
    );
    leaf.prop_map(str::to_owned)
        .prop_recursive(5, 24, 2, |inner| {
            (0..WRAPS.len(), inner.clone(), inner).prop_map(|(wrap, a, b)| {
                let escaped = a
                    .replace('\\', r"\\")
                    .replace('`', r"\`")
                    .replace('$', r"\$");
                let wrap = WRAPS.get(wrap).copied().unwrap_or_default();
                wrap.replace("«q»", &quoted(&a))
                    .replace("«d»", &format!("\"{}\"", escaped.replace('"', "\\\"")))
                    .replace("«`»", &format!("`{escaped}`"))
                    .replace("«#»", &a.replace('\n', " "))
                    .replace("«b»", &b)
                    .replace("«a»", &a)
            })
        })
}

/// `«a»` and `«b»` are lines; `«q»`, `«d»`, `` «`» `` and `«#»` are `«a»` in quotes, double quotes, backticks, a comment.
#[rustfmt::skip] // as many as go on a line
const WRAPS: &[&str] = &[
    "«a» && «b»", "«a»; «b»", "«a» | «b»", "«a»\n«b»", "! «a»\n«b»", "(«a»\n)", "{ «a»\n}",
    "echo $(«a»\n)", "echo \"$(«a»\n)\"", "echo «`»", "bash -c «q»", "bash -c «d»", "eval «q»",
    "env A=b bash -c «q»", "echo «q»", "echo «d»; «b»", "bash <<'E'\n«a»\nE\n",
    "cat <<E\n$(«a»\n)\nE\n", "cat <<'E'\n«a»\nE\n«b»", "if true; then «a»\nfi",
    "case a in (a) «a»\nesac", "x=$(case a in a) «a»\nesac)", "for i in 1; do «a»\ndone",
    "# «#»\n«b»", "f() { «a»\n}; f", "A=\"$(«a»\n)\" true", "cat <(«a»\n)", "y=(a b); «a»",
    "echo $((1<<2))\n«a»", "[[ a == b ]] || «a»", "echo \"${z:-\"a b\"}\"; «a»", "echo «q» | bash",
    "bash <<< «q»", "time { «a»\n}", "echo $[1<<2]\n«a»", "a[1<<2]=3\n«a»", "bash <(echo «q»)",
    "bash < <(echo «q»)", "source <(printf '%s\\n' «q»)", "bash - <<'E'\n«a»\nE\n",
    "eval \"$(echo «q»)\"", "{ echo true; echo «q»; } | bash", "(echo «q») | cat | bash",
    "echo «q» | { bash; }", "bash <<< \"$(cat <<'E'\n«a»\nE\n)\"", "{ bash; } <<< «q»",
    "(true; bash) <<'E'\n«a»\nE\n", "echo «q» | { true; bash; }", "true &>/dev/null; «a»",
    "echo \"${z:-$(«a»\n)}\"", "echo \"it's\"; «a»",
];

/// Runs `line` in bash, where `git` is a program that writes a file when it is told to push.
fn bash_pushes(line: &str, dir: &Path) -> bool {
    let pushed = dir.join("pushed");
    let _ = fs::remove_file(&pushed);
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(line)
        .env_clear()
        .env("PATH", dir)
        .current_dir(dir);
    let status = bash
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok(), "{status:?}");
    pushed.exists()
}

/// How many lines bash is asked about.
const LINES: usize = 400;

#[test]
fn what_bash_runs_is_found() {
    let dir = tempfile::tempdir().unwrap();
    for program in ["bash", "cat", "env"] {
        let real = ["/bin", "/usr/bin"]
            .iter()
            .map(|d| Path::new(d).join(program))
            .find(|p| p.exists());
        std::os::unix::fs::symlink(real.unwrap(), dir.path().join(program)).unwrap();
    }
    let git = dir.path().join("git");
    let pushed = dir.path().join("pushed");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = push ]; then : > '{}'; fi\n",
        pushed.display()
    );
    fs::write(&git, script).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();

    let mut runner = TestRunner::deterministic();
    let lines = (0..LINES).map(|_| shell_line().new_tree(&mut runner).unwrap().current());
    let pushing: Vec<String> = lines.filter(|line| bash_pushes(line, dir.path())).collect();
    assert!(
        pushing.len() > LINES / 8,
        "only {} lines pushed",
        pushing.len()
    );
    check_all(pushing.into_iter().map(|line| (Some("git-push"), line)));
}
