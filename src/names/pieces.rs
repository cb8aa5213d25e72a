//! The pieces of a name: brackets, separators, operators and paths.

use std::ops::Range;

/// A kind of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Text in brackets, with these.
    Brackets,
    /// `::`, `->` or `#`, before a member.
    Member,
    /// `\`, after a namespace.
    Namespace,
    /// `/`, after a directory.
    Directory,
    Blank,
    /// `'`, before a caller.
    Quote,
    /// The word `operator` of C++, with a sign.
    Operator,
    /// An absolute path, which PHP and profilers add to names.
    Path,
}

/// A piece of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub kind: PieceKind,
    pub range: Range<usize>,
    /// The number of brackets around it.
    pub depth: usize,
}

/// The pieces of a name, in the order of their ends. Other text is not a piece.
pub(super) struct Pieces<'a> {
    name: &'a [u8],
    at: usize,
    /// The positions of open brackets.
    open: Vec<usize>,
    /// Whether a bracket so far has no partner.
    is_unpaired: bool,
}

/// The signs of operators in C++. Longer ones come before their beginnings.
const SIGNS: &str = "<<= >>= <=> ->* () [] \"\" -> ++ -- << >> <= >= == != && || += -= *= /= %= ^= \
                     &= |= + - * / % ^ & | ~ ! = < > ,";

impl<'a> Pieces<'a> {
    pub fn of(name: &'a [u8]) -> Self {
        Pieces {
            name,
            at: 0,
            open: Vec::new(),
            is_unpaired: false,
        }
    }

    /// The pieces of a name that are not in brackets.
    pub fn outer(name: &'a str) -> impl Iterator<Item = Piece> {
        Pieces::of(name.as_bytes()).filter(|piece| piece.depth == 0)
    }

    /// Whether every bracket so far has a partner.
    pub fn is_paired(&self) -> bool {
        self.open.is_empty() && !self.is_unpaired
    }

    /// The kind and length of what is at the current position, except brackets.
    fn here(&self) -> (Option<PieceKind>, usize) {
        let (before, here) = self.name.split_at(self.at);
        match here {
            // The arguments of a generic function in Rust follow: `run::<u8>`.
            [b':', b':', b'<', ..] if !here.starts_with(b"::<impl ") => (None, 2),
            [b':', b':', ..] | [b'-', b'>', ..] => (Some(PieceKind::Member), 2),
            [b'#', ..] => (Some(PieceKind::Member), 1),
            [b'\\', ..] => (Some(PieceKind::Namespace), 1),
            [b' ', ..] => (Some(PieceKind::Blank), 1),
            [b'\'', ..] => (Some(PieceKind::Quote), 1),
            // The number of arguments follows in Erlang: `lists:map/2`.
            [b'/', b'0'..=b'9', ..] => (None, 1),
            [b'/', ..] | [_, b':', b'\\' | b'/', ..] => match path_length(before, here) {
                Some(length) => (Some(PieceKind::Path), length),
                None if here[0] == b'/' => (Some(PieceKind::Directory), 1),
                None => (None, 1),
            },
            [b'o', ..] => match operator_length(before, here) {
                Some(length) => (Some(PieceKind::Operator), length),
                None => (None, 1),
            },
            _ => (None, 1),
        }
    }

    /// Removes the partner of a closing bracket from the open ones, and returns its position.
    fn close(&mut self, closing: u8) -> Option<usize> {
        let opening = match closing {
            b'>' => b'<',
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        // `<` between other brackets is an operator.
        while closing != b'>' && self.open.pop_if(|at| self.name[*at] == b'<').is_some() {
            self.is_unpaired = true;
        }
        let partner = self.open.pop_if(|at| self.name[*at] == opening);
        self.is_unpaired |= partner.is_none();
        partner
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        while let Some(&byte) = self.name.get(self.at) {
            let mut start = self.at;
            let (kind, length) = match byte {
                b'<' | b'(' | b'[' | b'{' => {
                    self.open.push(start);
                    (None, 1)
                }
                b'>' | b')' | b']' | b'}' => match self.close(byte) {
                    Some(partner) => {
                        start = partner;
                        (Some(PieceKind::Brackets), 1)
                    }
                    None => (None, 1),
                },
                _ => self.here(),
            };
            self.at += length;
            if let Some(kind) = kind {
                return Some(Piece {
                    kind,
                    range: start..self.at,
                    depth: self.open.len(),
                });
            }
        }
        None
    }
}

/// The length of an absolute path that begins here, of Unix or Windows.
fn path_length(before: &[u8], here: &[u8]) -> Option<usize> {
    if !matches!(before, [] | [.., b':' | b'{' | b' ' | 0]) && !before.ends_with(b"\\x00") {
        return None;
    }
    let drive = match here {
        [b'/', next, ..] if *next != b' ' => 0,
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 2,
        _ => return None,
    };
    let is_end = |byte: &u8| matches!(byte, b':' | b'}');
    let length = here[drive..].iter().position(is_end);
    Some(length.map_or(here.len(), |length| drive + length))
}

/// The length of an operator's name that begins here; of a conversion's, without the type.
fn operator_length(before: &[u8], here: &[u8]) -> Option<usize> {
    let rest = here.strip_prefix(b"operator")?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if before.last().is_some_and(is_word) {
        return None;
    }
    let mut signs = SIGNS.split(' ');
    let sign = signs.find(|sign| rest.starts_with(sign.as_bytes()));
    match sign {
        Some(sign) => Some(here.len() - rest.len() + sign.len()),
        None => rest.starts_with(b" ").then_some(here.len() - rest.len()),
    }
}
