//! Tokens that show what they are: a fixed start, then characters of one class.
//!
//! A token ends where the next character is not in its class, whatever that character is: prose has no fixed set of
//! delimiters. One pass over the word starts finds them all, so no pattern is compiled.

use std::ops::Range;

use super::shape;
use super::{Found, joint};

/// One issuer's token.
struct Token {
    kind: &'static str,
    starts: &'static [&'static str],
    body: Class,
    /// The lengths that a whole body has.
    whole: (usize, usize),
    /// The start alone is proof enough that a body at least this long is a token that was cut.
    cut: Option<usize>,
    /// What the body must look like.
    proof: Proof,
    /// The start is the place, not part of the secret.
    keep_start: bool,
}

type Class = fn(u8) -> bool;

#[derive(Clone, Copy)]
enum Proof {
    /// Drawn at random: digits and letters, no words.
    Random,
    /// Letters of both cases; there may be no digit.
    MixedCase,
    /// The format is narrow enough: anything but a placeholder.
    Format,
    /// Dotted base64 of JSON objects.
    Jwt,
    /// [`Self::Random`], or groups of digits alone: the beginning of a Slack token.
    Numbered,
    /// Three random parts of known lengths with dots between.
    Discord,
}

fn base62(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}
fn base62_(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}
fn url64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
}
fn url64_dots(b: u8) -> bool {
    url64(b) || matches!(b, b'.' | b'=')
}
fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}
fn any64(b: u8) -> bool {
    base64(b) || url64(b) || b == b'%'
}
fn base32(b: u8) -> bool {
    matches!(b, b'A'..=b'Z' | b'2'..=b'7')
}
fn upper36(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}
fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}
fn hex_dashes(b: u8) -> bool {
    hex(b) || matches!(b, b'-' | b'_')
}

/// Too short to tell anything: a cut token with fewer characters of its body stays.
const CUT: usize = 10;

/// Of a longer body only the beginning is looked at before it is believed: a text of nothing but starts stays cheap.
const JUDGED_MAX_BYTES: usize = 1024;

/// A start that nothing else has, and a body of at least `whole`.
const fn open(
    kind: &'static str,
    starts: &'static [&'static str],
    body: Class,
    whole: usize,
) -> Token {
    Token {
        kind,
        starts,
        body,
        whole: (whole, usize::MAX),
        cut: Some(CUT),
        proof: Proof::Random,
        keep_start: false,
    }
}

/// A start that other words have too: only a body of exactly `whole` is a token.
const fn exact(
    kind: &'static str,
    starts: &'static [&'static str],
    body: Class,
    whole: usize,
) -> Token {
    Token {
        whole: (whole, whole),
        cut: None,
        proof: Proof::Format,
        ..open(kind, starts, body, whole)
    }
}

#[rustfmt::skip]
const TOKENS: &[Token] = &[
    exact("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], base32, 16),
    open("aws-session-token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz"], base64, 300),
    open("aws-bedrock-key", &["ABSK", "bedrock-api-key-"], base64, 60),
    open("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], base62, 36),
    Token { proof: Proof::Jwt, ..open("github-token", &["ghs_"], url64_dots, 100) },
    open("github-pat", &["github_pat_"], base62_, 82),
    open("gitlab-token", &["glpat-", "glrt-", "gldt-", "glft-", "glsoat-", "glcbt-", "glptt-", "glimt-", "glagent-",
                           "gloas-", "glffct-", "GR1348941"], url64_dots, 20),
    open("anthropic-key", &["sk-ant-"], url64, 100),
    open("openrouter-key", &["sk-or-"], url64, 64),
    open("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-"], url64, 120),
    Token { whole: (32, 64), cut: Some(20), ..open("openai-key", &["sk-"], base62, 32) },
    Token { proof: Proof::Numbered, ..open("slack-token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxe-", "xoxe.xoxp-",
                          "xoxe.xoxb-", "xapp-"], url64, 50) },
    open("slack-token", &["xoxd-"], any64, 60),
    open("slack-webhook", &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
         |b| base62(b) || b == b'/', 44),
    Token { cut: Some(16), ..exact("gcp-api-key", &["AIza"], url64, 35) },
    open("gcp-oauth", &["GOCSPX-", "AQ.Ab8"], url64, 28),
    open("gcp-oauth", &["ya29."], url64_dots, usize::MAX),
    Token { cut: Some(40), ..open("gcp-oauth", &["1//0"], url64, 90) },
    Token { cut: Some(20), keep_start: true, ..open("azure-sas", &["sig="], any64, 43) },
    open("stripe-key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"], base62, 24),
    open("stripe-key", &["whsec_"], base64, 32),
    open("npm-token", &["npm_"], base62, 36),
    open("pypi-token", &["pypi-AgE"], url64, 130),
    Token { cut: Some(20), ..exact("crates-io-token", &["cio"], base62, 32) },
    open("rubygems-token", &["rubygems_"], hex, 48),
    Token { proof: Proof::MixedCase, ..open("huggingface-token", &["hf_", "api_org_"], base62, 34) },
    open("replicate-token", &["r8_"], base62, 37),
    open("groq-key", &["gsk_"], base62, 52),
    open("xai-key", &["xai-"], base62_, 80),
    open("cerebras-key", &["csk-"], base62, 48),
    open("perplexity-key", &["pplx-"], base62, 48),
    open("nvidia-key", &["nvapi-"], url64, 64),
    open("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], base62_, 43),
    exact("twilio-key", &["SK"], hex, 32),
    open("sendgrid-key", &["SG."], url64_dots, 66),
    exact("mailgun-key", &["key-"], hex, 32),
    open("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], hex, 64),
    open("databricks-token", &["dapi"], hex_dashes, 32),
    open("vault-token", &["hvs.", "hvb.", "hvr."], url64, 90),
    open("linear-key", &["lin_api_", "lin_oauth_"], base62, 40),
    open("notion-token", &["ntn_"], base62, 46),
    Token { cut: Some(20), ..exact("notion-token", &["secret_"], base62, 43) },
    open("age-key", &["AGE-SECRET-KEY-1"], upper36, 58),
    open("cloudflare-token", &["cfut_", "cfat_", "cfk_"], base62, 48),
    open("dockerhub-token", &["dckr_pat_", "dckr_oat_"], url64, 27),
    open("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], hex, 32),
    open("grafana-token", &["glsa_"], base62_, 41),
    open("grafana-token", &["glc_"], base64, 32),
    open("sentry-token", &["sntryu_", "sntrys_"], any64, 64),
    open("figma-token", &["figd_"], url64, 40),
    open("vercel-token", &["vcp_", "vck_", "vca_", "vci_", "vcr_"], url64, 56),
    open("supabase-key", &["sbp_"], hex, 40),
    open("supabase-key", &["sb_secret_"], url64, 31),
    open("atlassian-token", &["ATATT", "ATCTT"], url64_dots, 180),
    open("tailscale-key", &["tskey-"], url64, 48),
    open("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], url64_dots, 40),
    Token { proof: Proof::Discord, cut: Some(41), ..open("discord-token", &["M", "N", "O"], url64_dots, 58) },
    open("pulumi-token", &["pul-"], hex, 40),
    open("postman-key", &["PMAK-"], hex_dashes, 59),
    open("heroku-key", &["HRKU-"], url64, 60),
    open("newrelic-key", &["NRAK-", "NRII-"], url64, 27),
    open("onepassword-key", &["ops_eyJ"], url64_dots, 250),
    Token { cut: None, ..open("onepassword-key", &["A3-"], |b| upper36(b) || b == b'-', 34) },
    exact("elevenlabs-key", &["sk_"], hex, 48),
    open("mapbox-token", &["sk.eyJ"], url64_dots, 60),
    Token { cut: Some(20), ..open("api-key", &["ATBB", "bkua_", "CCIPAT_", "CFPAT-", "dt0c01.", "FLWSECK-", "FLWSECK_TEST-",
        "nfp_", "pcsk_", "pnu_", "pscale_oauth_", "pscale_pw_", "pscale_tkn_", "rdme_", "sgp_", "shippo_live_",
        "shippo_test_", "sq0atp-", "sq0csp-", "tfp_", "tgp_v1_", "tvly-", "wandb_v1_", "xkeysib-"], url64_dots, 32) },
    // "-----BEGIN", a space, and the kinds of private key, in base64.
    Token { proof: Proof::Format, ..open("private-key", &["LS0tLS1CRUdJTiBQUklWQVRF", "LS0tLS1CRUdJTiBSU0EgUFJJ",
        "LS0tLS1CRUdJTiBFQyBQUklW", "LS0tLS1CRUdJTiBPUEVOU1NI", "LS0tLS1CRUdJTiBFTkNSWVBU",
        "LS0tLS1CRUdJTiBEU0EgUFJJ", "LS0tLS1CRUdJTiBQR1AgUFJJ"], base64, usize::MAX) },
    Token { proof: Proof::Jwt, ..open("jwt", &["eyJ"], url64_dots, usize::MAX) },
];

/// All tokens in `view`, by their bytes there.
pub(super) fn find(view: &str, found: &mut Vec<Found>) {
    // By first byte: most words begin like no token at all.
    let mut starts = [const { Vec::new() }; 128];
    for token in TOKENS {
        for start in token.starts {
            let first = start.bytes().next().map(usize::from);
            if let Some(same) = first.and_then(|first| starts.get_mut(first)) {
                same.push((*start, token));
            }
        }
    }
    let mut before = b' ';
    let mut done = 0;
    for (at, b) in view.bytes().enumerate() {
        if at >= done && b.is_ascii_alphanumeric() && !before.is_ascii_alphanumeric() {
            let rest = view.get(at..).unwrap_or_default();
            for (start, token) in starts.get(usize::from(b)).into_iter().flatten() {
                let body = rest.strip_prefix(start);
                if let Some(hit) = body.and_then(|body| token.behind(start, body)) {
                    done = done.max(at + hit.end);
                    found.push(Found {
                        kind: token.kind,
                        specific: true,
                        at: at + hit.start..at + hit.end,
                    });
                }
            }
        }
        before = b;
    }
}

impl Token {
    /// Its bytes, counted from the start, when `after` goes on like it.
    fn behind(&self, start: &str, after: &str) -> Option<Range<usize>> {
        let run = after.bytes().take_while(|b| (self.body)(*b));
        let len = run.take(JUDGED_MAX_BYTES).count();
        let body = after.get(..len)?.trim_end_matches(['.', '-']);
        let (least, most) = self.whole;
        let ends = !after.as_bytes().get(body.len()).is_some_and(|b| url64(*b));
        let whole = (least..=most).contains(&body.len()) && (ends || most == usize::MAX);
        let cut = self
            .cut
            .is_some_and(|cut| (cut..least).contains(&body.len()))
            && ends
            && (shape::is_random(body) || !matches!(self.proof, Proof::Format));
        if !(whole || cut) || !self.proof.holds(body) {
            return None;
        }
        let mut end = body.len();
        if len == JUDGED_MAX_BYTES {
            end = after.bytes().take_while(|b| (self.body)(*b)).count();
        }
        if end != least {
            end = joint::extend(after, end);
        }
        let from = if self.keep_start { start.len() } else { 0 };
        Some(from..start.len() + end)
    }
}

impl Proof {
    fn holds(self, body: &str) -> bool {
        let looks_right = match self {
            Self::Discord => {
                let lengths: Vec<_> = body.split('.').map(str::len).collect();
                let known = matches!(lengths.as_slice(), [23..=27, 6, 10..=38]);
                known && shape::is_random(body)
            }
            Self::Random => shape::is_random(body),
            Self::Numbered => {
                shape::is_random(body) || body.bytes().filter(u8::is_ascii_digit).count() >= 8
            }
            Self::MixedCase => shape::is_random(body) || shape::is_mixed_case(body),
            Self::Format => true,
            Self::Jwt => {
                // {"alg": {"typ": {"kid": {"cty": or a second object.
                const HEADERS: &[&str] = &["hbGciOi", "0eXAiOi", "raWQiOi", "jdHkiOi"];
                body.contains(".eyJ")
                    || body.contains("_eyJ")
                    || HEADERS.iter().any(|h| body.starts_with(h))
            }
        };
        looks_right && !shape::is_placeholder(body)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One whole token of any issuer, made from the table.
    pub(in super::super) fn any_token() -> impl Strategy<Value = String> {
        let row = (0..TOKENS.len()).prop_filter("it has parts of its own", |row| {
            !matches!(TOKENS[*row].proof, Proof::Jwt | Proof::Discord)
        });
        (
            row,
            any::<prop::sample::Index>(),
            prop::collection::vec(any::<u8>(), 400),
        )
            .prop_filter_map("looks drawn at random", |(row, start, noise)| {
                let token = &TOKENS[row];
                let letters: Vec<u8> = (b'!'..=b'~').filter(|b| (token.body)(*b)).collect();
                let len = token.whole.0.min(noise.len());
                let body = noise.iter().take(len);
                let body: String = body
                    .map(|n| char::from(letters[usize::from(*n) % letters.len()]))
                    .collect();
                let ends_well = !body.ends_with(['.', '-']);
                let whole = ends_well && token.proof.holds(&body);
                whole.then(|| format!("{}{body}", start.get(token.starts)))
            })
    }

    #[test]
    fn kinds_are_short_slugs() {
        for token in TOKENS {
            let slug = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!(
                token.kind.len() <= 24 && token.kind.bytes().all(slug),
                "{}",
                token.kind
            );
        }
    }
}
