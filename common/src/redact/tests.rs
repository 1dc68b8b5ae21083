//! Whole texts through `redact`. Every secret is made here, at run time: none stands in the source.

use proptest::prelude::*;

use super::tokens::tests::any_token;
use super::*;

/// `len` characters that look drawn at random.
fn random(len: usize) -> String {
    const LETTERS: &[u8] = b"q8Zt4LmW2cR7vK9xB3nD5hJ6sF1pG0yT";
    (0..len)
        .map(|i| char::from(LETTERS[(i * 7 + i / 32) % 32]))
        .collect()
}

fn token() -> String {
    format!("ghp_{}", random(36))
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chunk = |bytes: &[u8]| {
        let at = |i| bytes.get(i).map_or(0, |b| u32::from(*b));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let letter = |i: usize| char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]);
        let letter = move |i: usize| if i <= bytes.len() { letter(i) } else { '=' };
        (0..4).map(letter).collect::<String>()
    };
    text.as_bytes().chunks(3).map(chunk).collect()
}

fn pem(label: &str, lines: usize) -> String {
    let body: Vec<_> = (0..lines).map(|_| random(64)).collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----",
        body.join("\n")
    )
}

#[track_caller]
fn check(text: &str, redacted: &str) {
    assert_eq!(redact(text).as_str(), redacted, "{text:?}");
}

/// `◆` is where the secret stands.
#[track_caller]
fn check_place(place: &str, secret: &str, kind: &str) {
    let marker = format!("[REDACTED:{kind}]");
    check(&place.replace('◆', secret), &place.replace('◆', &marker));
}

#[test]
fn tokens_go_wherever_they_stand() {
    for place in [
        "◆",
        "the token is ◆.",
        "キーは◆です。",
        "**◆**",
        "`◆`",
        "“◆”",
        "(◆)",
        "<a>◆</a>",
        "| ◆ |",
        "x=◆;y",
        "{\"out\":\"a\\n◆\\nexit 0\"}",
        "{\\\"a\\\":\\\"◆\\\"}",
        "?state%3D◆%26next=1",
        "+◆\n-old",
    ] {
        check_place(place, &token(), "github-token");
    }
}

#[test]
fn secrets_go_where_their_place_gives_them_away() {
    for (place, kind) in [
        ("postgres://app:◆@db:5432/x", "url-password"),
        (
            "curl -H \"Authorization: Bearer ◆\" https://x.example",
            "auth-header",
        ),
        ("authorization: token ◆", "auth-header"),
        ("DB_PASSWORD=◆", "password"),
        ("password = \"◆\"", "password"),
        ("**Password:** `◆`", "password"),
        ("the password is `◆`", "password"),
        ("| password | `◆` |", "password"),
        ("<add key=\"Password\" value=\"◆\" />", "password"),
        ("\"apiKey\": \"◆\",", "secret"),
        ("X-Api-Key: ◆", "secret"),
        ("export ACME_TOKEN='◆'", "secret"),
        ("?q=1&api_key=◆&x=2", "secret"),
        ("tool --token ◆ --region eu", "secret"),
        ("- name: X\n  value: \"◆\"", "secret"),
        ("//npm.corp.example/:_authToken=◆\n", "npm-auth"),
        ("machine x.example login me password ◆", "netrc"),
        ("Cookie: lang=de; sessionid=◆; theme=dark", "cookie"),
        ("curl -b 'session=◆' https://x.example", "cookie"),
        ("curl -u me:◆ https://x.example", "curl-user"),
        (
            "aws configure set aws_secret_access_key ◆",
            "aws-secret-key",
        ),
    ] {
        check_place(place, &random(40), kind);
    }
    let pair = base64(&format!("me:{}", random(14)));
    check_place("Authorization: Basic ◆", &pair, "auth-header");
    check_place("{\"auths\":{\"x\":{\"auth\":\"◆\"}}}", &pair, "docker-auth");
}

#[test]
fn an_ampersand_ends_a_secret_in_a_query_alone() {
    let (a, b) = (random(9), random(6));
    for place in [
        "password=◆",
        "export DB_PASSWORD=◆ && make",
        "password: ◆",
        "PASSWORD=◆&",
        "PASSWORD=◆& make",
        "PASSWORD=◆&&make",
        "client_secret=◆\nx",
    ] {
        for secret in [
            format!("{a}&{b}"),
            format!("{b}&{a}&{b}"),
            format!("{b}&{b}"),
        ] {
            let kind = if place.starts_with('c') {
                "secret"
            } else {
                "password"
            };
            check_place(place, &secret, kind);
        }
    }
    for place in [
        "https://x.example/?user=me&password=◆&debug&y=1",
        "https://x.example/?password=◆&debug",
        "curl -d 'password=◆&user=me'",
        "password=◆&amp;user=me",
        "password=◆&user=",
    ] {
        check_place(place, &a, "password");
    }
    for text in [
        "if passwd == a1 & b2 & c3",
        "pwd=/srv/x1&&make",
        "password=$a1&b2c3d4e5",
    ] {
        check(text, text);
    }
}

#[test]
fn what_names_a_secret_without_being_one_stays() {
    for text in [
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password=${DB_PASSWORD2}",
        "api_key=os.environ[\"API_KEY_2\"]",
        "let token = self.lexer2.next_token()?;",
        "postgres://user:password@localhost/app",
        "mongodb://$USER:$PASS@mongo:27017",
        "Authorization: Bearer <token>",
        "GITHUB_TOKEN=[REDACTED:github-token]",
        "[REDACTED:github-token]: a1b2c3d4e5f6",
        "max_tokens=4096, total_tokens=18234",
        "access_token_url = \"https://login.example/oauth2/token\"",
        "key: \"retry-after-milliseconds\"",
        "secret: sha256-hashed-value",
        "Authorization: Basic understanding of the protocol",
        "https://registry.example/@types/x:1/-/x-9.0.6.tgz",
        "-----BEGIN PRIVATE KEY----- is the first line",
        "Regex::new(r\"ghp_[A-Za-z0-9]{36}\")",
    ] {
        check(text, text);
    }
    for stand_in in ["ghp_", "sk-ant-api03-", "npm_", "hf_", "AKIA"] {
        let text = format!("KEY={stand_in}{} and {stand_in}…", "x".repeat(40));
        check(&text, &text);
    }
    let documented = format!("AKIA{}EXAMPLE", "IOSFODNN7");
    check(&documented, &documented);
}

#[test]
fn disfigured_tokens_go_whole() {
    let token = token();
    let (head, tail) = token.split_at(26);
    for joint in [
        "\u{200b}",
        "\u{ad}",
        "\u{1b}[0m",
        "\n",
        "\n    ",
        "\\\n",
        "\" + \"",
        "' + '",
        "` `",
        "`\n`",
    ] {
        check(
            &format!("x {head}{joint}{tail} y"),
            "x [REDACTED:github-token] y",
        );
    }
    check(
        &format!("… it ended with {head}"),
        "… it ended with [REDACTED:github-token]",
    );
    check(
        &format!("A_TOKEN={token}\nB_VERSION=2x4y6z"),
        "A_TOKEN=[REDACTED:github-token]\nB_VERSION=2x4y6z",
    );
}

#[test]
fn private_keys_go_however_they_are_written() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let key = pem(label, 5);
        let quoted = format!("> {}", key.replace('\n', "\n> "));
        let added = format!("+{}", key.replace('\n', "\n+"));
        let literal = format!("\"{}\"", key.replace('\n', "\\n\" +\n  \""));
        let (head, tail) = key.split_at(key.len() / 2);
        for (before, key, after) in [
            ("a ", key.as_str(), " b"),
            ("{\"k\":\"", &key.replace('\n', "\\n"), "\"}"),
            ("", quoted.trim_start_matches("> "), "\n> b"),
            ("+", added.trim_start_matches('+'), "\n+b"),
            ("\"", literal.trim_matches('"'), "\""),
            ("", &key.replace('\n', "\r\n"), ""),
            ("a ", head, ""),
            ("", tail, " b"),
        ] {
            check(
                &format!("{before}{key}{after}"),
                &format!("{before}[REDACTED:private-key]{after}"),
            );
        }
    }
    for public in ["PUBLIC KEY", "CERTIFICATE"] {
        let public = pem(public, 3);
        check(&public, &public);
    }
}

#[test]
fn one_secret_is_counted_once() {
    let text = format!("GITHUB_TOKEN={} then {}", token(), pem("PRIVATE KEY", 9));
    let counts = redact(&text).counts();
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        [("github-token", 1), ("private-key", 1)]
    );
}

#[test]
fn a_line_is_cleaned_before_it_is_cut() {
    let line = format!(
        "\u{1b}[31mno\u{1b}[0m\n\tfile\0: {}\u{85}x\u{1b}]8;;y\u{7}",
        token()
    );
    assert_eq!(
        clean_line(&line, 200).as_str(),
        "no file: [REDACTED:github-token] x"
    );
    assert_eq!(clean_line(&"é ".repeat(1 << 20), 4).as_str(), "é ");
    assert_eq!(clean_line(&format!("abc {}", token()), 8).as_str(), "abc ");
}

#[test]
fn cuts_spare_characters_and_markers() {
    let redacted = redact(&format!("é {} ü", token()));
    assert_eq!(redacted.as_str(), "é [REDACTED:github-token] ü");
    assert_eq!(redacted.head(1).as_str(), "");
    assert_eq!(redacted.head(10).as_str(), "é ");
    assert_eq!(redacted.head(26).as_str(), "é [REDACTED:github-token]");
    assert_eq!(redacted.tail(1).as_str(), "");
    assert_eq!(redacted.tail(10).as_str(), " ü");
    assert_eq!(redacted.tail(26).counts()["github-token"], 1);
    assert!(redacted.tail(25).counts().is_empty());
}

#[test]
fn a_text_of_nothing_but_beginnings_costs_no_more_than_its_length() {
    for piece in [
        "sk-",
        "eyJ.",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----\n",
        "token=\"",
        "a://b:",
        "curl -u a:b2c3d4e5 ",
        "Cookie: session=a1b2c3d4e5f6g7h8i9 ",
        "machine x login a password ",
        "\\",
        "%41",
        "&#65;",
        "\u{1b}[",
        "aQ~",
        "1:AA",
        "[REDACTED:",
        "ghp_a1B2c3D4e5F6g7\n",
        "basic YTpi ",
    ] {
        let started = std::time::Instant::now();
        let _ = redact(&piece.repeat(64_000 / piece.len()));
        // A quadratic rule took minutes for what a linear one does in a tenth of a second without optimisation.
        assert!(
            started.elapsed().as_secs() < 10,
            "{piece:?}: {:?}",
            started.elapsed()
        );
    }
}

/// Prose, code, markup and their punctuation; words of any script.
fn junk() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        "[a-zA-Z_.-]{1,12}",
        "[ \\n\\t\"'`,;:=(){}<>|&%\\\\/@#$+*_~.-]{1,6}",
        Just("password=".to_owned()),
        Just("token: \"".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("https://me:".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----\\n".to_owned()),
        Just("[REDACTED:secret]".to_owned()),
        Just("\\n".to_owned()),
        Just("%3D".to_owned()),
        Just("&amp;".to_owned()),
        Just("\u{200b}".to_owned()),
        Just("\u{1b}[1m".to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Does any run of twelve characters of `secret` stand in `text`?
fn leaks(text: &str, secret: &str) -> Option<String> {
    let runs = secret.as_bytes().windows(12);
    let runs = runs.filter_map(|run| std::str::from_utf8(run).ok());
    runs.map(str::to_owned).find(|run| text.contains(run))
}

/// What is no secret may be the name of one; the first look has to see both.
#[test]
fn a_name_behind_a_name_is_seen_at_once() {
    let value = "Xk7pQ9rT2vW4z";
    for text in [
        format!("token: \"token: \"{value}"),
        format!("secret=token={value}"),
        format!("x: \"key: \"api_key: \"{value}\""),
    ] {
        let once = redact(&text);
        assert_eq!(leaks(once.as_str(), value), None, "{once:?}");
        assert_eq!(redact(once.as_str()).as_str(), once.as_str());
    }
}

proptest! {
    #[test]
    fn no_run_of_a_planted_token_is_left(before in junk(), token in any_token(), after in junk()) {
        let redacted = redact(&format!("{before} {token} {after}"));
        prop_assert_eq!(leaks(redacted.as_str(), &token), None, "{:?}", redacted);
    }

    #[test]
    fn redacting_twice_changes_nothing(before in junk(), token in any_token(), after in junk()) {
        for text in [format!("{before}{token}{after}"), format!("{before} {token} {after}")] {
            let once = redact(&text);
            let twice = redact(once.as_str());
            prop_assert_eq!(twice.as_str(), once.as_str());
        }
    }

    #[test]
    fn text_around_a_token_is_kept_to_the_byte(before in "(\\PC| |\\n){0,20}", token in any_token(), after in "(\\PC| |\\n){0,20}") {
        let redacted = redact(&format!("{before}\n{token}\n。{after}"));
        prop_assert!(redacted.as_str().starts_with(&before), "{:?}", redacted);
        prop_assert!(redacted.as_str().ends_with(&format!("\n。{after}")), "{:?}", redacted);
    }

    #[test]
    fn what_is_no_secret_is_kept_in_its_order(before in junk(), token in any_token(), after in junk()) {
        let text = format!("{before}{token}{after}");
        let redacted = redact(&text);
        let mut kept = Vec::new();
        let mut done = 0;
        for Marker { at, .. } in &redacted.markers {
            kept.push(redacted.text.get(done..at.start).expect("a marker between characters"));
            done = at.end;
        }
        let last = redacted.text.get(done..).expect("a marker between characters");
        let mut rest = text.as_str();
        for part in kept {
            let at = rest.find(part);
            prop_assert!(at.is_some(), "{part:?} is not in {rest:?}");
            rest = rest.get(at.unwrap_or_default() + part.len()..).unwrap_or_default();
        }
        prop_assert!(rest.ends_with(last), "{last:?} does not end {rest:?}");
    }

    #[test]
    fn text_without_secrets_is_byte_identical(text in "([a-zA-Z]{1,9}[ ,.\n:=\"'(){}/_-]{1,2}|\\p{Han}|\\p{Cyrillic}|\u{200b}|\\\\n|%20|&lt;){0,60}") {
        let redacted = redact(&text);
        prop_assert_eq!(redacted.as_str(), text.as_str());
    }

    #[test]
    fn cuts_never_split_a_marker(before in junk(), token in any_token(), after in junk(), max in 0_usize..400) {
        let redacted = redact(&format!("{before} {token} {after}"));
        for part in [redacted.head(max), redacted.tail(max)] {
            prop_assert!(part.as_str().len() <= max);
            prop_assert!(redacted.as_str().contains(part.as_str()));
            let forged = redact(&before).as_str().matches("[REDACTED:").count()
                + redact(&after).as_str().matches("[REDACTED:").count();
            let ours: usize = part.counts().values().sum();
            prop_assert!(part.as_str().matches("[REDACTED:").count() <= ours + forged);
        }
    }
}
