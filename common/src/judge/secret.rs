//! An API key that can't be printed by accident.

use std::fmt;

const SECRET_MIN_BYTES: usize = 8;

/// An API key. It is shown nowhere: not by `Debug`, not by `Display`, and `hidden_in` takes it out of
/// what a server says.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the key; white space around it is a slip of the shell.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into().trim().to_owned())
    }

    /// For the request's header alone.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key. A server may quote it in an error message, and a key of a format that redaction doesn't
    /// know would get through. A short one is a stand-in for servers that want any key at all, and a common word.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        if self.0.len() < SECRET_MIN_BYTES {
            text.to_owned()
        } else {
            text.replace(&self.0, "[REDACTED:api-key]")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[REDACTED:api-key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_printed() {
        let secret = Secret::new(" open sesame\n");
        assert_eq!(secret.expose(), "open sesame");
        for shown in [
            format!("{secret}"),
            format!("{secret:?}"),
            format!("{:?}", Some(&secret)),
        ] {
            assert!(!shown.contains("sesame"), "{shown}");
        }
        assert_eq!(
            secret.hidden_in("bad key open sesame!"),
            "bad key [REDACTED:api-key]!"
        );
        for word in ["", "true"] {
            assert_eq!(Secret::new(word).hidden_in("it is true"), "it is true");
        }
    }
}
