//! Turns `src/signal/vocabulary/*.txt` into the tables of `signal::vocabulary`: an enum of the concepts and a trie of
//! their words, laid out flat, so that a hook run builds nothing.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A node while the trie grows: what follows each byte, and the concepts of the words that end here.
#[derive(Default)]
struct Node {
    next: BTreeMap<u8, Node>,
    whole: u64,
    prefix: u64,
}

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/signal/vocabulary");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<std::io::Result<_>>()?;
    files.sort_by_key(fs::DirEntry::path);

    let mut concepts = Vec::new();
    let mut root = Node::default();
    for file in files {
        for line in fs::read_to_string(file.path())?.lines() {
            if let Some(head) = line.strip_prefix('@') {
                let (name, meaning) = head.split_once("  ").ok_or(head)?;
                concepts.push((name.to_owned(), meaning.to_owned()));
            } else if let Some((_, words)) = line.split_once(' ').filter(|_| !line.starts_with('#'))
            {
                let bit = 1u64.wrapping_shl(u32::try_from(concepts.len() - 1)?);
                words.split(", ").for_each(|word| root.add(word, bit));
            }
        }
    }
    if concepts.len() > 64 {
        return Err("a set of concepts is a u64".into());
    }
    // The build script is told where to write by the environment, and in no other way.
    #[allow(
        clippy::disallowed_methods,
        reason = "Cargo's own variable, at build time"
    )]
    let out = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    fs::write(
        Path::new(&out).join("vocabulary.rs"),
        tables(&concepts, &root)?,
    )?;
    Ok(())
}

impl Node {
    /// Adds a word of the vocabulary; a trailing `*` stands for any ending.
    fn add(&mut self, word: &str, concept: u64) {
        let (word, any_ending) = match word.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (word, false),
        };
        let mut node = self;
        for byte in word.bytes() {
            node = node.next.entry(byte).or_default();
        }
        if any_ending {
            node.prefix |= concept;
        } else {
            node.whole |= concept;
        }
    }
}

fn tables(concepts: &[(String, String)], root: &Node) -> Result<String> {
    let mut out = String::from(
        "/// What a word does in a sentence.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\n#[repr(u8)]\npub enum Concept {\n",
    );
    for (name, meaning) in concepts {
        writeln!(out, "    /// {meaning}\n    {},", camel(name))?;
    }
    writeln!(
        out,
        "}}\n\nimpl Concept {{\n    /// All, in the order of the vocabulary."
    )?;
    writeln!(out, "    pub const ALL: [Self; {}] = [", concepts.len())?;
    for (name, _) in concepts {
        writeln!(out, "        Self::{},", camel(name))?;
    }
    out.push_str("    ];\n}\n\n");

    // Breadth first: the children of a node stand side by side.
    let mut sets = vec![0u64];
    let mut nodes = String::new();
    let mut count = 0;
    let mut layer = vec![(0u8, root)];
    while !layer.is_empty() {
        let mut below = Vec::new();
        let first_below = count + layer.len();
        for (byte, node) in &layer {
            let first = first_below + below.len();
            let (whole, prefix) = (
                number(&mut sets, node.whole),
                number(&mut sets, node.prefix),
            );
            writeln!(
                nodes,
                "    Node {{ byte: {byte}, children: {}, first: {first}, whole: {whole}, prefix: {prefix} }},",
                node.next.len()
            )?;
            below.extend(node.next.iter().map(|(byte, node)| (*byte, node)));
        }
        count = first_below;
        layer = below;
    }
    writeln!(
        out,
        "pub(super) static NODES: [Node; {count}] = [\n{nodes}];\n"
    )?;
    writeln!(
        out,
        "pub(super) static SETS: [u64; {}] = {sets:?};",
        sets.len()
    )?;
    Ok(out)
}

/// The number of a set of concepts; equal sets share one.
fn number(sets: &mut Vec<u64>, set: u64) -> usize {
    sets.iter().position(|s| *s == set).unwrap_or_else(|| {
        sets.push(set);
        sets.len() - 1
    })
}

fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| {
            let (first, rest) = part.split_at(1);
            first.to_uppercase() + rest
        })
        .collect()
}
