//! Secrets that only their place gives away: behind a key, in a header, in a URL.
//!
//! A rule is a pattern whose only group is the secret. Patterns are ASCII and are compiled only when one of their literals
//! occurs: compiling one costs what scanning a hundred texts does.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::shape;
use super::{Found, joint, query};

struct Rule {
    kind: &'static str,
    /// One of these is in every text that the pattern matches; lower case.
    literals: &'static [&'static str],
    scope: Scope,
    /// Fewer bytes are no secret. Counted here because a counted repetition is slow to compile.
    least: usize,
    proof: Proof,
    /// ASCII and lower case, as is what it is matched with.
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

#[derive(Clone, Copy)]
enum Scope {
    /// The pattern begins anywhere.
    Text,
    /// It is looked for between a literal and the end of its line.
    RestOfLine,
}

#[derive(Clone, Copy)]
enum Proof {
    /// The format is narrow enough when this piece of it is there, in this case.
    Has(&'static str),
    /// Digits and letters, no words: what stands behind `token =` in code is mostly a name.
    Random,
    /// [`Self::Random`], long, with letters of both cases: the place says little.
    Strong,
    /// A password that a person may have made up.
    Password,
    /// The password of a URL: not one of those that every example has.
    UrlPassword,
    /// Base64 of `user:password`.
    Pair,
}

const fn rule(
    kind: &'static str,
    literals: &'static [&'static str],
    scope: Scope,
    least: usize,
    proof: Proof,
    pattern: &'static str,
) -> Rule {
    Rule {
        kind,
        literals,
        scope,
        least,
        proof,
        pattern,
        compiled: OnceLock::new(),
    }
}

/// What may stand between a key and its value: `key: `, `"key": "`, `KEY=`, `key => '`, `**Key:** ` and a backtick.
macro_rules! assigned {
    ($key:literal) => {
        concat!(
            $key,
            r#"["'`*_]*\s*\]?\s*(?:(?:=>|:=|==?|:|value=)[*_]*\s*(?:"([!-~--"]+)"|'([!-~--']+)'|"#,
            r#"["'`]?([!-~--"'`,;<>(){}\[\]|&]+))|(?:is|was|\|)\s+["'`]([!-~--"'`]+)["'`])"#,
        )
    };
}

#[rustfmt::skip]
static RULES: [Rule; 18] = [
    rule("url-password", &["://"], Scope::Text, 3, Proof::UrlPassword,
        r#"[a-z][a-z0-9+.-]*://[!-~--:/@"'`<>]*:([!-~--/@"'`<>]+)@[a-z0-9\[]"#),
    rule("auth-header", &["bearer"], Scope::Text, 16, Proof::Random, r"\bbearer\s+([a-z0-9._~+/-]+=*)"),
    rule("auth-header", &["basic"], Scope::Text, 8, Proof::Pair, r"\bbasic\s+([a-z0-9+/_-]+=*)"),
    rule("auth-header", &["authorization"], Scope::Text, 16, Proof::Random,
        r#"\bauthorization["']?\s*[:=,]\s*["']?(?:(?:token|apikey|key)\s+)?([a-z0-9._~+/-]+=*)"#),
    rule("docker-auth", &["auth\""], Scope::Text, 8, Proof::Pair, r#""auth"\s*:\s*"([a-z0-9+/]+=*)"#),
    rule("npm-auth", &["_auth"], Scope::Text, 16, Proof::Random, r#"(?:^|[:\s])_auth(?:token)?\s*=\s*["']?([a-z0-9+/_=-]+)"#),
    rule("netrc", &["machine"], Scope::RestOfLine, 4, Proof::Password, r"\slogin\s+[!-~]+\s+password\s+([!-~]+)"),
    rule("cookie", &["cookie", "-b "], Scope::RestOfLine, 16, Proof::Random,
        r"\b[\w.-]*(?:sess(?:ion)?|sid|auth|token|jwt)[\w.-]*=([a-z0-9%._~+/-]+)"),
    rule("curl-user", &["curl"], Scope::RestOfLine, 4, Proof::Password, r#"\s(?:-u|--user)[\s=]+["']?[!-~--:"']*:([!-~--"'`]+)"#),
    rule("aws-secret-key", &["secret"], Scope::Text, 20, Proof::Random,
        r#"secret_?access_?key["']?(?:\s*[=:]\s*|\s+)["']?([a-z0-9/+]+=*)"#),
    rule("password", &["passw", "passphrase", "pwd"], Scope::Text, 8, Proof::Password,
        assigned!("(?:passw(?:or)?d|passphrase|pwd)(?:[_.-]?(?:value|prod|dev|test|[0-9]))?")),
    rule("secret", &["secret", "token", "key", "credential", "_pat", "-pat"], Scope::Text, 8, Proof::Random, assigned!(
        r"(?:secret|token|credentials?|[_-]pat|(?:api|access|private|secret|account|auth|signing|encryption|master|license|app|client|storage|session|shared)[_.-]?key)(?:[_.-]?(?:key|value|hex|b64|base64|prod|dev|test|[0-9]))?")),
    rule("secret", &["value", "key"], Scope::Text, 24, Proof::Strong, r#"\b(?:value|key)["']?\s*[:=]\s*["']?([a-z0-9+/_=-]+)"#),
    rule("secret", &["--"], Scope::Text, 8, Proof::Random,
        r#"\s--[\w-]*(?:password|token|secret|api-?key)\s+["']?([!-~--"'`,;<>(){}\[\]|&]+)"#),
    rule("telegram-token", &[":aa"], Scope::Text, 27, Proof::Has(":AA"), r"\b([0-9]+:aa[\w-]+)"),
    rule("azure-client-secret", &["q~"], Scope::Text, 36, Proof::Has("Q~"), r"([\w~.-]+q~[\w~.-]+)"),
    rule("azure-devops-pat", &["azdo"], Scope::Text, 84, Proof::Has("AZDO"), r"\b([a-z0-9]+azdo[a-z0-9]{4})\b"),
    rule("terraform-token", &[".atlasv1."], Scope::Text, 43, Proof::Has(".atlasv1."), r"\b([a-z0-9]+\.atlasv1\.[\w=-]+)"),
];

/// A longer value that is no secret is not searched again.
const AGAIN_MAX_BYTES: usize = 200;

/// All secrets in `view` that their place gives away, by their bytes there.
pub(super) fn find(view: &str, found: &mut Vec<Found>) {
    let lower = without_markers(view.to_ascii_lowercase());
    for rule in &RULES {
        if !rule.literals.iter().any(|literal| lower.contains(literal)) {
            continue;
        }
        let Some(regex) = rule.compiled() else {
            continue;
        };
        match rule.scope {
            Scope::Text => rule.find(regex, view, &lower, 0..view.len(), found),
            Scope::RestOfLine => {
                let mut at = 0;
                for line in lower.split_inclusive('\n') {
                    let literals = rule
                        .literals
                        .iter()
                        .filter_map(|literal| line.find(literal));
                    if let Some(first) = literals.min() {
                        rule.find(regex, view, &lower, at + first..at + line.len(), found);
                    }
                    at += line.len();
                }
            }
        }
    }
}

/// The same with our own markers blotted out: `token]:` at the end of one is no key.
fn without_markers(lower: String) -> String {
    const MARKER: &str = "[redacted:";
    let mut blotted = String::new();
    let mut rest = lower.as_str();
    while let Some((before, marker)) = rest.split_once(MARKER) {
        let kind = marker
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'-')
            .count();
        blotted.push_str(before);
        blotted.push_str(&"[".repeat(MARKER.len() + kind));
        rest = marker.get(kind..).unwrap_or_default();
    }
    if blotted.is_empty() {
        return lower;
    }
    blotted + rest
}

impl Rule {
    /// `None` only for a pattern that a test rejects.
    fn compiled(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(self.pattern).unicode(false).build().ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    /// `lower` is `view` in lower case: matching without case would make a pattern three times as slow to compile.
    fn find(
        &self,
        regex: &Regex,
        view: &str,
        lower: &str,
        part: Range<usize>,
        found: &mut Vec<Found>,
    ) {
        let searched = lower.get(part.clone()).unwrap_or_default();
        let mut from = 0;
        while let Some(captures) = regex.captures_at(searched, from) {
            let (Some(all), Some(group)) =
                (captures.get(0), captures.iter().skip(1).flatten().next())
            else {
                return;
            };
            from = all.end();
            let start = part.start + group.start();
            let end = start + group.len();
            let whole = if matches!(self.kind, "password" | "secret") {
                query::end_of_value(view, part.start + all.start(), end)
            } else {
                end
            };
            let holds = |end: usize| {
                let value = view.get(start..end)?.trim_end_matches(['.', ':', '\\']);
                let end = start + value.len();
                let after = view.get(end..)?;
                (value.len() >= self.least && self.proof.holds(value, after)).then_some(end)
            };
            if let Some(end) = holds(whole).or_else(|| holds(end)) {
                found.push(Found {
                    kind: self.kind,
                    specific: false,
                    at: start..joint::extend(view, end),
                });
            } else if group.start() > all.start() && group.len() <= AGAIN_MAX_BYTES {
                // What is no secret may name one: `token: "password=…`.
                from = group.start();
            }
        }
    }
}

impl Proof {
    fn holds(self, value: &str, after: &str) -> bool {
        if shape::is_placeholder(value) {
            return false;
        }
        match self {
            Self::Has(piece) => value.contains(piece),
            Self::Random => !is_reference(value, after) && shape::is_random(value),
            Self::Strong => shape::is_random(value) && shape::is_mixed_case(value),
            Self::Password => !is_reference(value, after) && is_password(value),
            Self::UrlPassword => !value.starts_with(['$', '{', '[', '%']) && !is_stock(value),
            Self::Pair => is_pair(value),
        }
    }
}

/// Code that names the value instead of being it: `${VAR}`, `config.get(…)`, `vault://…`, `Token::Ident`.
fn is_reference(value: &str, after: &str) -> bool {
    value.starts_with(['$', '%', '{', '<', '*', '/', '.', '~', '[', '@'])
        || ["${", "{{", "::", "://", "$("]
            .iter()
            .any(|sign| value.contains(sign))
        || after.starts_with(['(', '[', '{', '<'])
}

fn is_password(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let one_word = value.bytes().all(|b| b.is_ascii_alphanumeric());
    digits > 0 && letters > 0 && (!shape::is_wordy(value) || (one_word && digits >= 2))
}

/// The passwords of examples and local set-ups.
fn is_stock(value: &str) -> bool {
    const STOCK: &[&str] = &[
        "password", "passwd", "pass", "pwd", "secret", "postgres", "mysql", "root", "admin",
        "user", "guest", "test", "dev", "foo", "bar", "local", "token", "pw",
    ];
    STOCK.iter().any(|stock| stock.eq_ignore_ascii_case(value))
}

/// Base64 of printable characters with a colon among them.
fn is_pair(value: &str) -> bool {
    let mut bits = 0_u32;
    let mut count = 0;
    let mut colon = false;
    for b in value.trim_end_matches('=').bytes() {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            let Ok(byte) = u8::try_from(bits >> count & 0xff) else {
                return false;
            };
            if !(b' '..=b'~').contains(&byte) {
                return false;
            }
            colon |= byte == b':';
        }
    }
    colon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_groups() {
        for rule in &RULES {
            let regex = rule.compiled();
            assert!(
                regex.is_some_and(|r| r.captures_len() > 1),
                "{}",
                rule.pattern
            );
        }
    }
}
