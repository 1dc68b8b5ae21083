//! Where a value ends that holds an ampersand: in a query string it parts two parameters, elsewhere it is a character
//! like any other, or a shell's operator.

/// The end of the value that seems to end at `end`, of a key that begins at `key` or before.
pub(super) fn end_of_value(view: &str, key: usize, end: usize) -> usize {
    let mut end = end;
    while let Some(rest) = view.get(end..).and_then(|rest| rest.strip_prefix('&')) {
        let length = rest.bytes().take_while(|b| is_value_byte(*b)).count();
        let (piece, behind) = rest.split_at_checked(length).unwrap_or_default();
        let is_entity = behind.starts_with(';');
        // `&&` and `& ` are the shell's.
        if piece.is_empty() || is_entity || is_parameter(piece) || is_in_query(view, key) {
            break;
        }
        end += '&'.len_utf8() + length;
    }
    end
}

/// What may stand in a value without quotes.
fn is_value_byte(b: u8) -> bool {
    b.is_ascii_graphic() && !b"\"'`,;<>(){}[]|&".contains(&b)
}

/// `name=…`: the next one.
fn is_parameter(piece: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    };
    piece.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// A question mark or an ampersand leads to the key, as in `?user=me&password=`.
fn is_in_query(view: &str, key: usize) -> bool {
    let before = view.get(..key).unwrap_or_default();
    let name = |c: char| c.is_ascii_alphanumeric() || "_-.%".contains(c);
    before.trim_end_matches(name).ends_with(['?', '&'])
}
