//! Turns `src/signal/vocabulary/*.txt` into the tables of `signal::vocabulary`: an enum of the concepts and a trie of
//! their words, laid out flat, so that a hook run builds nothing. Bytes that only ever follow each other are one step of
//! it, and endings that are alike are kept once: byte by byte it would be four times the size, a fifth of a hook. A set of
//! the three bytes that words begin with tells of most other words, without a step, that they are none of these.

use std::collections::{BTreeMap, HashMap};
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

    /// The kinds of byte that may stand behind a word that ends here with a `last` one; none where no word does.
    fn behind(&self, last: u8) -> impl Iterator<Item = u8> {
        let (whole, prefix) = (self.whole != 0, self.prefix != 0);
        (0..KINDS).filter(move |next| prefix || whole && (last >= LETTERS || *next >= LETTERS))
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

    let kinds: Vec<u8> = (0..=u8::MAX).map(kind).collect();
    let beginnings = beginnings(root);
    writeln!(
        out,
        "/// What a byte is: below `LETTERS` a letter or digit of ASCII, then what else there is in ASCII, then parts of other characters.\n\
         pub(super) static KINDS: [u8; {}] = {kinds:?};\n\n\
         pub(super) const LETTERS: u8 = {LETTERS};\n\n\
         /// The kinds of the three bytes that a word begins with; the first two say which number, the third which bit.\n\
         pub(super) static BEGINNINGS: [u32; {}] = {beginnings:?};\n",
        kinds.len(),
        beginnings.len()
    )?;

    let mut table = Table::default();
    let top = table.lay(root);
    writeln!(
        out,
        "/// The step by which a word begins, by its first byte; past the end of `NODES` where none does."
    )?;
    let initials = table.initials();
    let mut first = vec![u16::MAX; 256];
    for (step, byte) in initials
        .iter()
        .enumerate()
        .skip(top.first)
        .take(top.children)
    {
        if let Some(first) = first.get_mut(usize::from(*byte)) {
            *first = u16::try_from(step)?;
        }
    }
    writeln!(out, "pub(super) static FIRST: [u16; 256] = {first:?};\n")?;
    writeln!(
        out,
        "pub(super) static NODES: [Node; {}] = [",
        table.steps.len()
    )?;
    for step in &table.steps {
        writeln!(out, "    {},", Table::node(*step))?;
    }
    writeln!(out, "];\n")?;
    let (sets, labels) = (&table.sets, &table.labels);
    writeln!(
        out,
        "pub(super) static SETS: [(u64, u64); {}] = {sets:?};",
        sets.len()
    )?;
    writeln!(
        out,
        "pub(super) static LABELS: [u8; {}] = {labels:?};",
        labels.len()
    )?;
    Ok(out)
}

/// How many kinds of byte are letters, digits or the underscore; they come first.
const LETTERS: u8 = 27;

/// How many kinds of byte there are.
const KINDS: u8 = 32;

/// Five bits that say most about a byte.
fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' | b'_' => LETTERS - 1,
        _ if byte.is_ascii() => LETTERS,
        _ => LETTERS + 1 + byte % (KINDS - LETTERS - 1),
    }
}

/// The kinds of the first three bytes of all words, whatever may stand behind a shorter one among them.
fn beginnings(root: &Node) -> Vec<u32> {
    let mut found = vec![0; usize::from(KINDS) * usize::from(KINDS)];
    let mut add = |first, second, third| {
        if let Some(bits) =
            found.get_mut(usize::from(first) * usize::from(KINDS) + usize::from(second))
        {
            *bits |= 1u32 << third;
        }
    };
    for (byte, node) in &root.next {
        let first = kind(*byte);
        for second in node.behind(first) {
            (0..KINDS).for_each(|third| add(first, second, third));
        }
        for (byte, node) in &node.next {
            let second = kind(*byte);
            let thirds = node.next.keys().map(|byte| kind(*byte));
            thirds
                .chain(node.behind(second))
                .for_each(|third| add(first, second, third));
        }
    }
    found
}

/// A step of the trie as it is written: the label that leads to it, the sets of the word that ends there, and the steps
/// that follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    label: usize,
    length: usize,
    sets: usize,
    first: usize,
    children: usize,
}

/// The trie while it is laid out. What follows a step stands side by side; what is alike is there once.
#[derive(Default)]
struct Table {
    steps: Vec<Step>,
    known: HashMap<Vec<Step>, usize>,
    sets: Vec<(u64, u64)>,
    labels: Vec<u8>,
    /// Where what stands in `labels` begins.
    labelled: HashMap<Vec<u8>, usize>,
}

impl Table {
    /// Labels up to this length are looked for within others.
    const SHORT: usize = 8;

    /// Lays out all below `node`; gives the step to it, as yet without a label.
    fn lay(&mut self, node: &Node) -> Step {
        let below: Vec<Step> = node
            .next
            .iter()
            .map(|(byte, node)| {
                let (mut label, mut end) = (vec![*byte], node);
                while let (0, 0, 1) = (end.whole, end.prefix, end.next.len()) {
                    for (byte, node) in &end.next {
                        label.push(*byte);
                        end = node;
                    }
                }
                let mut step = self.lay(end);
                step.length = label.len();
                step.label = self.place(&label);
                step
            })
            .collect();
        let children = below.len();
        let first = *self.known.entry(below).or_insert_with_key(|below| {
            self.steps.extend(below);
            self.steps.len() - below.len()
        });
        let sets = (node.whole, node.prefix);
        let sets = self
            .sets
            .iter()
            .position(|known| *known == sets)
            .unwrap_or_else(|| {
                self.sets.push(sets);
                self.sets.len() - 1
            });
        Step {
            label: 0,
            length: 0,
            sets,
            first,
            children,
        }
    }

    /// Where `label` stands in `labels`: where it happens to stand already, or else at the end.
    fn place(&mut self, label: &[u8]) -> usize {
        if let Some(at) = self.labelled.get(label) {
            return *at;
        }
        let at = self.labels.len();
        self.labels.extend(label);
        for length in 1..=label.len().max(Self::SHORT) {
            let from = (at + 1).saturating_sub(length);
            for (part, start) in self.labels.windows(length).skip(from).zip(from..) {
                self.labelled.entry(part.to_vec()).or_insert(start);
            }
        }
        at
    }

    /// What the label of each step begins with.
    fn initials(&self) -> Vec<u8> {
        let initial = |step: &Step| self.labels.get(step.label).copied();
        self.steps.iter().filter_map(initial).collect()
    }

    fn node(step: Step) -> String {
        let Step {
            label,
            length,
            sets,
            first,
            children,
        } = step;
        format!(
            "Node {{ label: {label}, first: {first}, sets: {sets}, length: {length}, children: {children} }}"
        )
    }
}

fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| {
            let (first, rest) = part.split_at(1);
            first.to_uppercase() + rest
        })
        .collect()
}
