//! Reads a hook's input and parses it, no more: what `scripts/bench.sh` counts a hook's instructions against.

use std::io;

fn main() -> serde_json::Result<()> {
    let text = io::read_to_string(io::stdin()).map_err(serde_json::Error::io)?;
    std::hint::black_box(serde_json::from_str::<serde_json::Value>(&text)?);
    Ok(())
}
