//! What happens to a file: crashes, other systems' habits, bytes that are no text.

use super::random::Random;

/// The file of `lines`, with damage that costs no entry.
pub fn file(lines: Vec<String>, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.one_in(10) {
        bytes.extend_from_slice(b"\xef\xbb\xbf");
    }
    let feed: &[u8] = if random.one_in(6) { b"\r\n" } else { b"\n" };
    let count = lines.len();
    for (at, line) in lines.into_iter().enumerate() {
        match random.below(40) {
            // A line that was torn when the host was killed; the next one is glued to it.
            0 => bytes.extend_from_slice(torn(random)),
            // The same with a line feed.
            1 => [torn(random), feed]
                .iter()
                .for_each(|part| bytes.extend_from_slice(part)),
            // What a file system leaves of blocks that were never written.
            2 => bytes.resize(bytes.len() + random.pick(&[1, 7, 99]), 0),
            3 => bytes.extend_from_slice(feed),
            4 => bytes.extend_from_slice(b"not json at all \xff\xfe \"type\":\"user\"\n"),
            5 => bytes.extend_from_slice(b"[1,2,3]\n42\nnull\n\"user\"\n"),
            // Bad UTF-8 and half a surrogate pair where nobody looks.
            6 => bytes.extend_from_slice(b"{\"type\":\"system\",\"content\":\"\xff\\ud83d\"}\n"),
            7 => bytes.extend_from_slice(b"  \t"),
            8 => bytes.extend_from_slice(
                b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":{\"odd\":true}}}\n",
            ),
            9 => bytes
                .extend_from_slice(b"{\"type\":\"attachment\",\"attachment\":{\"type\":\"file\"}}"),
            _ => {}
        }
        bytes.extend_from_slice(line.as_bytes());
        // Two writers, and one line feed got lost.
        if !(at + 1 < count && random.one_in(30)) {
            bytes.extend_from_slice(feed);
        }
    }
    match random.below(4) {
        0 => bytes.extend_from_slice(torn(random)),
        1 => {
            while bytes.last().is_some_and(u8::is_ascii_whitespace) {
                bytes.pop();
            }
        }
        _ => {}
    }
    bytes
}

fn torn(random: &mut Random) -> &'static [u8] {
    random.pick(&[
        br#"{"parentUuid":"a","message":{"role":"assistant","content":[{"type":"text","text":"I comm"#.as_slice(),
        br#"{"parentUuid":"a","promptId":"p","type":"user","message":{"role":"user","content":"Please"#,
        br#"{"timestamp":"2026-11-30T20:28:15.414Z","ordinal":7,"type":"event_msg","payload":{"type":"item_comp"#,
        br#"{"type":"us"#,
        br#"{"type":"#,
        br#"{"parentUuid":"a","cwd":"/home/dev","message":{"role":"assistant","content":["#,
        br#"{"timestamp":"2026-11-30T20:28:15.414Z","ordinal":7,"type":"event_msg","payload":{"type":"item_completed","#,
        b"{\"parentUuid\":\"a\xe3\x81",
    ])
}
