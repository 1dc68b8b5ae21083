//! JSON values as hosts really write them.

use std::borrow::Cow;
use std::fmt;

use super::any::{Take, take};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A JSON string as hosts write it. They cut texts in the middle of a UTF-16 pair and pass on what programs print, so
/// lone surrogates and bad UTF-8 occur; they become U+FFFD instead of costing the line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Text<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| {
        // Half a UTF-16 pair in three bytes, none of which is one in UTF-8: one character is lost, not three.
        let mut bytes = e.into_bytes();
        let mut from = 0;
        while let Some(rest) = bytes.get_mut(from..) {
            if let [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] = rest {
                for (byte, lost) in rest.iter_mut().zip("\u{fffd}".bytes()) {
                    *byte = lost;
                }
            } else if rest.is_empty() {
                break;
            }
            from += 1;
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn lossy_ref(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(lossy(bytes.to_vec())),
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(lossy_ref(bytes)))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(lossy(bytes.to_vec()))))
            }
        }
        // serde_json hands out a string's bytes unchecked when asked for bytes.
        from.deserialize_bytes(Bytes)
    }
}

/// What a program printed: a string or a list of parts with a text, of which as much is kept as anyone looks at. An
/// output of many MB is nothing to copy.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Printed(pub String);

/// How much is kept of the beginning and of the end.
const BEGINNING_BYTES: usize = 1 << 10;
const END_BYTES: usize = 5 << 10;

impl Printed {
    fn of(bytes: &[u8]) -> Self {
        let end = bytes.len().saturating_sub(END_BYTES);
        if end <= BEGINNING_BYTES {
            return Self(lossy(bytes.to_vec()));
        }
        let part = |range| lossy_ref(bytes.get(range).unwrap_or_default());
        Self(format!(
            "{}\n{}",
            part(0..BEGINNING_BYTES),
            part(end..bytes.len())
        ))
    }
}

impl<'de> Deserialize<'de> for Printed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Part {
            text: Option<Printed>,
        }
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Printed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of texts")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Printed::of(bytes))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut all = String::new();
                while let Some(Member(part)) = list.next_element::<Member<Part>>()? {
                    let Some(Part { text }) = part else { continue };
                    let between = if all.is_empty() || text.is_none() {
                        ""
                    } else {
                        "\n\n"
                    };
                    all = Printed::of((all + between + &text.unwrap_or_default().0).as_bytes()).0;
                }
                Ok(Printed(all))
            }
        }
        // As for `Text`.
        from.deserialize_bytes(Parts)
    }
}

/// A string; whatever else stands in its place is passed over.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Loose<'a>(pub Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de: 'a, 'a> Take<'de> for Loose<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(Some(text))
    }
}

/// The keys of an object, whose values are passed over.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Keys(pub Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        from.deserialize_map(Object)
    }
}

/// One of a list of objects. What is none costs itself alone.
struct Member<T>(Option<T>);

impl<T> Default for Member<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Member<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de, T: Deserialize<'de>> Take<'de> for Member<T> {
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|member| Self(Some(member)))
    }
}

/// A value that is a string or a list of the objects `T`.
#[derive(Debug, Clone)]
pub enum TextOr<'a, T> {
    /// A string.
    Text(Text<'a>),
    /// A list.
    List(Vec<T>),
}

impl<T> Default for TextOr<'_, T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for TextOr<'a, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = TextOr<'de, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(lossy_ref(bytes))))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(Cow::Owned(lossy(bytes.to_vec())))))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(Member(item)) = list.next_element()? {
                    items.extend(item);
                }
                Ok(TextOr::List(items))
            }
        }
        // As for `Text`: a list answers to this call too.
        from.deserialize_bytes(Either(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_costs_one() {
        for (json, text) in [
            (r#""on\ud83de""#, "on\u{fffd}e"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ude00é""#, "😀é"),
        ] {
            let read: Text<'_> = serde_json::from_str(json).unwrap();
            assert_eq!(read.as_str(), text, "{json}");
            let read: Printed = serde_json::from_str(json).unwrap();
            assert_eq!(read.0, text, "{json}");
        }
        let read: Text<'_> = serde_json::from_slice(b"\"a\xed\xa0\xff\"").unwrap();
        assert_eq!(read.as_str(), "a\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_member_that_is_no_object_costs_itself_alone() {
        let list = r#"[null,"x",{"text":"one"},7,[{"text":"in"}],{"text":"two"},true]"#;
        let read: Printed = serde_json::from_str(list).unwrap();
        assert_eq!(read.0, "one\n\ntwo");
        let TextOr::List(read) = serde_json::from_str::<TextOr<'_, Keys>>(list).unwrap() else {
            panic!("it is a list");
        };
        assert_eq!(read, vec![Keys(vec!["text".to_owned()]); 2]);
    }
}
