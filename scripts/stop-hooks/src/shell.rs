//! Words of a shell command line: quoted for one, and read back.
//!
//! Both hosts hand an entry's command to a POSIX shell (`/bin/sh -c`, `/bin/bash -c`). Only plain words are understood
//! here; a line with anything that a shell would act on is somebody's own, and left alone.

/// The word as a shell reads it back, quoted only where it has to be: the agent sees the command line.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a command line that is nothing but words; `None` where a shell would do more than split it.
pub fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '\n' | '$' | '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | '#' => {
                return None;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_read_back_as_one_word() {
        for word in [
            "/home/u/.claude/hooks/scope-check",
            "/home/a b/it's",
            "/häuser/日本",
            "",
            "~/x",
            "$HOME",
            "a\\b\"c",
            "openai:llama3.1:8b",
        ] {
            assert_eq!(words(&quote(word)), Some(vec![word.to_owned()]), "{word}");
        }
        assert_eq!(quote("/home/u/.claude/hooks/x"), "/home/u/.claude/hooks/x");
        assert_eq!(quote("/a b"), "'/a b'");
    }

    #[test]
    fn only_plain_words_are_split() {
        #[track_caller]
        fn check(line: &str, expected: Option<&[&str]>) {
            let expected = expected.map(|e| e.iter().map(|&w| w.to_owned()).collect());
            assert_eq!(words(line), expected, "{line}");
        }
        check("  a  b ", Some(&["a", "b"]));
        check(r#""a b"c\ d '' "\$x""#, Some(&["a bc d", "", "$x"]));
        check("a | b", None);
        check("a && b", None);
        check("a > /dev/null", None);
        check("\"$HOME/a\"", None);
        check("'a", None);
    }
}
