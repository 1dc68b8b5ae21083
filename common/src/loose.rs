//! Fields that may hold anything, in a hook's input and in a transcript's lines.
//!
//! Clients change what a field holds; a field that isn't under judgement itself must not cost what it stands in. A
//! value of a type that we don't know counts as absent, unless it tells something by being there. Values are copied,
//! so this is for short ones.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

/// The value, if it is a `T`.
pub fn value<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(known(Value::deserialize(from)?))
}

/// Those of a list that are a `T`.
pub fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Array(items) => items.into_iter().filter_map(known).collect(),
        _ => Vec::new(),
    })
}

/// A text. Something else in its place is a text without words.
pub fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        _ => Some(String::new()),
    })
}

/// False only where the value says no.
pub fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(!matches!(
        Value::deserialize(from)?,
        Value::Null | Value::Bool(false)
    ))
}

fn known<T: DeserializeOwned>(value: Value) -> Option<T> {
    T::deserialize(value).ok()
}
