//! Recognises what an input is by its first bytes.

use std::fmt;
use std::io::{self, BufRead, Cursor, Read};

use thiserror::Error;

/// How many bytes it takes to tell: the header of a tar archive.
const LENGTH: usize = 512;

/// What begins some texts that were saved on Windows.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip, RFC 1952.
    Gzip,
    /// Zstandard, RFC 8878.
    Zstd,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing at all.
    Empty,
    /// A callgrind profile, or something unknown.
    Text,
    /// webgrind's format, of whatever version.
    Preprocessed,
    /// Compressed data.
    Compressed(Compression),
    /// A known kind of file that is not read.
    Foreign(Foreign),
}

/// Files that people mistake for profiles, with messages that say what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Foreign {
    #[error("it is {name} data, which have to be decompressed first, as with \"{command}\"")]
    Compressed {
        name: &'static str,
        /// Decompresses it to standard output.
        command: &'static str,
    },
    #[error("it is a tar archive: extract it and name the profiles in it")]
    Tar,
    #[error(
        "it is an Xdebug function trace, not a profile: run the script again with xdebug.mode=profile"
    )]
    XdebugTrace,
    #[error(
        "it is a flame-graph trace of Xdebug, or other collapsed stacks, not a profile: open it with inferno-flamegraph or speedscope, or run the script again with xdebug.mode=profile"
    )]
    Stacks,
    #[error(
        "it is text in UTF-16, as PowerShell's > writes it: convert it with \"iconv -f UTF-16 -t UTF-8\""
    )]
    Utf16,
    #[error(
        "it is a recording of Linux perf: look at it with \"perf report\", or run the program under \"valgrind --tool=callgrind\""
    )]
    Perf,
    #[error("it is a pprof profile: convert it with \"pprof -callgrind\" first")]
    Pprof,
    #[error(
        "it is a CPU profile of gperftools: convert it with \"google-pprof --callgrind PROGRAM PROFILE\" first"
    )]
    Gperftools,
    #[error(
        "it is a profile in speedscope's own format: open it in speedscope, or name the profile it was made from"
    )]
    Speedscope,
    #[error("it is JSON, not a callgrind profile: name the profile it was made from")]
    Json,
    #[error(
        "it is a program, not a profile: run it under \"valgrind --tool=callgrind\" and name the file that Valgrind writes"
    )]
    Elf,
}

impl Content {
    /// Tells it from the first bytes, of which there are fewer than [`LENGTH`] only in a shorter
    /// input.
    pub fn of(head: &[u8]) -> Self {
        let compressed = |name, command| Content::Foreign(Foreign::Compressed { name, command });
        match head {
            [] => Content::Empty,
            [0x1f, 0x8b, ..] => Content::Compressed(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Content::Compressed(Compression::Zstd),
            // A frame to be skipped may stand before the first one with data.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Content::Compressed(Compression::Zstd),
            [0xfd, b'7', b'z', b'X', ..] => compressed("xz", "xz -dc"),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => compressed("bzip2", "bzip2 -dc"),
            [0x04, 0x22, 0x4d, 0x18, ..] => compressed("LZ4", "lz4 -dc"),
            [b'P', b'K', 0x03, 0x04, ..] => compressed("ZIP", "unzip -p"),
            _ => match Foreign::of(head) {
                Some(foreign) => Content::Foreign(foreign),
                // A version, little-endian; text has no zero bytes.
                None if matches!(head, [_, 0, 0, 0, ..]) => Content::Preprocessed,
                None => Content::Text,
            },
        }
    }
}

impl Foreign {
    fn of(head: &[u8]) -> Option<Self> {
        Some(match head {
            [0x7f, b'E', b'L', b'F', ..] => Foreign::Elf,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Foreign::Utf16,
            // Without a mark; the first characters are ASCII in any profile.
            [1..=127, 0, 1..=127, 0, ..] | [0, 1..=127, 0, 1..=127, ..] => Foreign::Utf16,
            _ if head.starts_with(b"PERFILE2") || head.starts_with(b"2ELIFREP") => Foreign::Perf,
            _ if is_tar(head) => Foreign::Tar,
            _ if is_xdebug_trace(head) => Foreign::XdebugTrace,
            _ if head.starts_with(b"{main};") || head.starts_with(b"{main} ") => Foreign::Stacks,
            _ if is_pprof(head) => Foreign::Pprof,
            _ if is_gperftools(head) => Foreign::Gperftools,
            // A bracket, with which no line of a profile begins.
            _ => match head.trim_ascii_start() {
                [b'{', rest @ ..] if contains(rest, b"speedscope.app/file-format") => {
                    Foreign::Speedscope
                }
                [b'{' | b'[', ..] => Foreign::Json,
                _ => return None,
            },
        })
    }
}

/// Whether the first 512 bytes are a header of tar, which holds the sum of its own bytes.
fn is_tar(head: &[u8]) -> bool {
    /// The sum, in octal digits; itself it counts as blanks.
    const SUM: std::ops::Range<usize> = 148..156;
    let Some(header) = head.first_chunk::<512>() else {
        return false;
    };
    let digits = header[SUM].iter().skip_while(|&&byte| byte == b' ');
    let digits = digits.take_while(|byte| (b'0'..=b'7').contains(byte));
    let stated = digits.fold(0, |sum, digit| 8 * sum + u32::from(digit - b'0'));
    let all: u32 = header.iter().copied().map(u32::from).sum();
    let field: u32 = header[SUM].iter().copied().map(u32::from).sum();
    let blanks = 8 * u32::from(b' ');
    header[0] != 0 && stated == all - field + blanks
}

/// The function traces of Xdebug 2 and 3, in each of their formats.
fn is_xdebug_trace(head: &[u8]) -> bool {
    // For people.
    head.starts_with(b"TRACE START [")
        // For computers.
        || head.starts_with(b"Version: ") && contains(head, b"\nTRACE START [")
        // As HTML.
        || head.starts_with(b"<table") && contains(head, b"xdebug-trace")
}

fn contains(head: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(head, text).is_some()
}

/// pprof's `profile.proto`: a message whose first field holds the type of a sample, which is a
/// message of two numbers.
fn is_pprof(head: &[u8]) -> bool {
    let [0x0a, length @ 2..=24, rest @ ..] = head else {
        return false;
    };
    let Some(mut fields) = rest.get(..usize::from(*length)) else {
        return false;
    };
    for tag in [0x08, 0x10] {
        // A field's tag, and the bytes of its number up to the first without the highest bit.
        let number = fields.strip_prefix(&[tag]).unwrap_or_default();
        let Some(last) = number.iter().position(|byte| byte & 0x80 == 0) else {
            return false;
        };
        fields = &number[last + 1..];
    }
    fields.is_empty()
}

/// The header of gperftools' own format: machine words 0, 3 and 0, little-endian.
fn is_gperftools(head: &[u8]) -> bool {
    let of_words = |size: usize| {
        let mut header = vec![0; 3 * size];
        header[size] = 3;
        head.starts_with(&header)
    };
    of_words(8) || of_words(4)
}

/// Whether the first bytes are those of a callgrind profile, other than one that this program
/// wrote.
pub(super) fn is_profile(head: &[u8]) -> bool {
    let head = &head[..head.len().min(LENGTH)];
    const KEYS: [&[u8]; 8] = [
        b"# callgrind format",
        b"version:",
        b"creator:",
        b"pid:",
        b"cmd:",
        b"desc:",
        b"positions:",
        b"events:",
    ];
    const OURS: &[u8] = concat!("creator: ", env!("CARGO_PKG_NAME")).as_bytes();
    let mut lines = head.split(|&byte| byte == b'\n');
    let begins_with_key = lines
        .clone()
        .any(|line| KEYS.iter().any(|key| line.starts_with(key)));
    begins_with_key && !lines.any(|line| line.starts_with(OURS))
}

/// A stream whose first bytes were looked at. Those that had to be taken from it, because it gave
/// too few at a time, come first again.
pub(super) type Recognised<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// Looks at the first bytes of a stream.
pub(super) fn recognise<R: BufRead>(mut stream: R) -> io::Result<(Content, Recognised<R>)> {
    let mut taken = Vec::new();
    let buffered = fill(&mut stream)?;
    let head = if buffered.len() >= LENGTH {
        &buffered[..LENGTH]
    } else {
        stream
            .by_ref()
            .take(LENGTH as u64)
            .read_to_end(&mut taken)?;
        &taken
    };
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let (content, mark) = (Content::of(text), head.len() - text.len());
    let mut stream = Cursor::new(taken).chain(stream);
    if mark > 0 {
        fill(&mut stream)?;
        stream.consume(mark);
    }
    Ok((content, stream))
}

/// The bytes that are in the buffer, after filling it if there are none.
pub(super) fn fill(stream: &mut impl BufRead) -> io::Result<&[u8]> {
    while let Err(error) = stream.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    stream.fill_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell() {
        let gzip = Content::Compressed(Compression::Gzip);
        let zstd = Content::Compressed(Compression::Zstd);
        for (head, content) in [
            (&b"even"[..], Content::Text),
            (b"", Content::Empty),
            (&[7, 0, 0], Content::Text),
            (&[7, 0, 0, 0], Content::Preprocessed),
            (&[7, 0, 0, 0, 0], Content::Preprocessed),
            (&[99, 0, 0, 0], Content::Preprocessed),
            (&[0x1f, 0x8b], gzip),
            (&0xfd2f_b528_u32.to_le_bytes(), zstd),
            (&0x184d_2a5f_u32.to_le_bytes(), zstd),
            (&0x184d_2a60_u32.to_le_bytes(), Content::Text),
            (b"BZh0", Content::Text),
        ] {
            assert_eq!(Content::of(head), content, "{head:?}");
        }
    }

    #[test]
    fn what_is_almost_something_else_is_text() {
        for head in [
            // A profile may hold these further on.
            &b"cmd: {}\nevents: Ir\n"[..],
            b"# TRACE START [\nevents: Ir\n",
            b"Version: 1\nevents: Ir\n",
            b"\n\nevents: Ir\n",
            b"\n\x04\x08\x01\x10\x02\x00"[..5].as_ref(),
            b"\n\x05\x08\x01\x10\x02\x00",
            b"\n\x04\x08\x01\x18\x02\x00",
            b"\n\x04\x08\x81\x81\x82\x00",
            &[b'0'; 512],
            &[b' '; 512],
        ] {
            assert_eq!(Content::of(head), Content::Text, "{head:?}");
        }
        assert_eq!(Content::of(&[0; 512]), Content::Preprocessed);
    }

    #[test]
    fn text_in_utf_16_is_told_with_and_without_its_mark() {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}events: Ir\n");
            let little = text.encode_utf16().flat_map(u16::to_le_bytes);
            let big = text.encode_utf16().flat_map(u16::to_be_bytes);
            let utf16 = Content::Foreign(Foreign::Utf16);
            assert_eq!(Content::of(&little.collect::<Vec<_>>()), utf16);
            assert_eq!(Content::of(&big.collect::<Vec<_>>()), utf16);
        }
    }

    #[test]
    fn numbers_of_any_length_are_known_to_pprof() {
        for head in [
            &b"\n\x04\x08\x01\x10\x02rest"[..],
            b"\n\x06\x08\x81\x01\x10\x82\x01rest",
        ] {
            assert_eq!(Content::of(head), Content::Foreign(Foreign::Pprof));
        }
    }

    fn through(data: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        let (_, mut stream) = recognise(data).unwrap();
        stream.read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn nothing_is_lost_but_the_byte_order_mark() {
        let long = "a".repeat(LENGTH + 1);
        for text in ["", "a", "abcd", "abcde", "events: Ir\n", &long[1..], &long] {
            assert_eq!(through(text.as_bytes()), text.as_bytes());
            let marked = format!("\u{feff}{text}");
            assert_eq!(through(marked.as_bytes()), text.as_bytes());
        }
        assert_eq!(through(b"\xef\xbbx"), b"\xef\xbbx");
    }
}
