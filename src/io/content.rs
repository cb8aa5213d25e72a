//! Recognises inputs by their first bytes.

use std::fmt;
use std::io::{self, BufRead, Cursor, Read};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::memmem;

/// The number of bytes that are needed: the header of a tar archive.
const LENGTH: usize = 512;

/// The mark at the beginning of some texts that were saved on Windows.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
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

/// How compressed data end too early, after how many bytes. It is set once this is known.
pub(super) type Cut = Arc<OnceLock<(Compression, u64)>>;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A callgrind profile, or something unknown or empty.
    Text,
    /// webgrind's format, of any version.
    Preprocessed,
    /// Compressed data.
    Compressed(Compression),
    /// Something that people mistake for a profile, with a message that says what to do.
    Foreign(&'static str),
}

impl Content {
    /// Recognises the first bytes of an input: [`LENGTH`], or all of a shorter one.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Content::Compressed(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Content::Compressed(Compression::Zstd),
            // A skippable frame may come before the first one with data.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Content::Compressed(Compression::Zstd),
            _ => match foreign(head) {
                Some(advice) => Content::Foreign(advice),
                // A version, little-endian; text has no zero bytes.
                None if matches!(head, [_, 0, 0, 0, ..]) => Content::Preprocessed,
                None => Content::Text,
            },
        }
    }

    /// Checks that it can be read, as it is or decompressed.
    pub fn check(self, decompressed: Option<Compression>) -> io::Result<()> {
        match (self, decompressed) {
            (Content::Compressed(inner), Some(outer)) => Err(unsupported(format!(
                "it is {inner} data within {outer} data: decompress it once"
            ))),
            (Content::Foreign(advice), _) => Err(unsupported(advice)),
            _ => Ok(()),
        }
    }
}

/// The error for an input that cannot be read, with advice.
pub(super) fn unsupported(advice: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, advice.into())
}

/// What to do with something that is mistaken for a profile.
fn foreign(head: &[u8]) -> Option<&'static str> {
    let contains = |text: &str| memmem::find(head, text.as_bytes()).is_some();
    Some(match head {
        [0xfd, b'7', b'z', b'X', ..] => "it is xz data: decompress it first, as with \"xz -dc\"",
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => {
            "it is bzip2 data: decompress it first, as with \"bzip2 -dc\""
        }
        [0x04, 0x22, 0x4d, 0x18, ..] => "it is LZ4 data: decompress it first, as with \"lz4 -dc\"",
        [b'P', b'K', 0x03, 0x04, ..] => "it is ZIP data: decompress it first, as with \"unzip -p\"",
        [0x7f, b'E', b'L', b'F', ..] => {
            "it is a program, not a profile: run it under \"valgrind --tool=callgrind\" and use the file that Valgrind writes"
        }
        // With or without its mark; the first characters of every profile are ASCII.
        [0xff, 0xfe, ..]
        | [0xfe, 0xff, ..]
        | [1..=127, 0, 1..=127, 0, ..]
        | [0, 1..=127, 0, 1..=127, ..] => {
            "it is text in UTF-16, as PowerShell's > writes it: convert it with \"iconv -f UTF-16 -t UTF-8\""
        }
        // A message whose first field is a message whose first field is a number. No text has a
        // backspace there.
        [0x0a, 2..=24, 0x08, ..] => {
            "it is a pprof profile: convert it with \"go tool pprof -callgrind\" first"
        }
        // Machine words 0, 3 and 0, little-endian.
        _ if head.starts_with(b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")
            || head.starts_with(b"\0\0\0\0\x03\0\0\0\0\0\0\0") =>
        {
            "it is a CPU profile of gperftools: convert it with \"google-pprof --callgrind PROGRAM PROFILE\" first"
        }
        _ if head.starts_with(b"PERFILE2") || head.starts_with(b"2ELIFREP") => {
            "it is a recording of Linux perf: view it with \"perf report\", or run the program under \"valgrind --tool=callgrind\""
        }
        _ if is_tar(head) => "it is a tar archive: extract it and use the profiles in it",
        // For people, for computers and as HTML.
        _ if head.starts_with(b"TRACE START [")
            || head.starts_with(b"Version: ") && contains("\nTRACE START [")
            || head.starts_with(b"<table") && contains("xdebug-trace") =>
        {
            "it is an Xdebug function trace, not a profile: run the script again with xdebug.mode=profile"
        }
        _ if head.starts_with(b"{main};") || head.starts_with(b"{main} ") => {
            "it is a flame-graph trace of Xdebug, or other collapsed stacks, not a profile: open it with inferno-flamegraph or speedscope, or run the script again with xdebug.mode=profile"
        }
        // No line of a profile begins with one of these brackets.
        _ => match head.trim_ascii_start() {
            text if begins_with_tag(text, b"<!doctype html") || begins_with_tag(text, b"<html") => {
                "it is an HTML page, such as a report of cg-preprocess: use the profile it was made from"
            }
            [b'{', ..] if contains("speedscope.app/file-format") => {
                "it is a speedscope file: open it in speedscope, or use the profile it was made from"
            }
            [b'{' | b'[', ..] => {
                "it is JSON, not a callgrind profile: use the profile it was made from"
            }
            _ => return None,
        },
    })
}

/// Whether a text begins with an HTML tag, in any case of letters.
fn begins_with_tag(text: &[u8], tag: &[u8]) -> bool {
    text.get(..tag.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(tag))
}

/// Whether the first 512 bytes are a header of tar, which contains the sum of its own bytes.
fn is_tar(head: &[u8]) -> bool {
    /// Where the sum is, in octal digits, blanks and NULs. In the sum, all of it counts as blanks.
    const CHECKSUM: Range<usize> = 148..156;
    let Some(header) = head.first_chunk::<512>() else {
        return false;
    };
    // Of five to eight digits; programs end them with blanks and NULs in any order.
    let stated = str::from_utf8(&header[CHECKSUM]).unwrap_or_default();
    let stated = stated.trim_matches([' ', '\0']);
    let counted = header.iter().enumerate().map(|(at, &byte)| match at {
        at if CHECKSUM.contains(&at) => u32::from(b' '),
        _ => u32::from(byte),
    });
    header[0] != 0 && u32::from_str_radix(stated, 8) == Ok(counted.sum())
}

/// Whether the first bytes are those of a callgrind profile that another program wrote.
pub(super) fn is_profile(head: &[u8]) -> bool {
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
    const OWN_CREATOR: &[u8] = concat!("creator: ", env!("CARGO_PKG_NAME")).as_bytes();
    let mut lines = head.split(|&byte| byte == b'\n');
    let begins_with_key = lines
        .clone()
        .any(|line| KEYS.iter().any(|key| line.starts_with(key)));
    begins_with_key && !lines.any(|line| line.starts_with(OWN_CREATOR))
}

/// Looks at the first bytes of a stream. It then begins with them again.
pub(super) fn recognise<R: BufRead>(mut stream: R) -> io::Result<(Content, impl BufRead)> {
    let mut head = Vec::with_capacity(LENGTH);
    let length = LENGTH as u64;
    stream.by_ref().take(length).read_to_end(&mut head)?;
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head);
    let (content, mark) = (Content::of(text), head.len() - text.len());
    head.drain(..mark);
    Ok((content, Cursor::new(head).chain(stream)))
}

/// The bytes in the buffer, which is filled first if it is empty.
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
            (b"", Content::Text),
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
            // A profile may contain these later.
            &b"cmd: {}\nevents: Ir\n"[..],
            b"# TRACE START [\nevents: Ir\n",
            b"Version: 1\nevents: Ir\n",
            b"\n\nevents: Ir\n",
            b"\n\x04\n\x01\x10\x02\x00",
            b"\n\x19\x08\x01\x10\x02\x00",
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
            for head in [little.collect::<Vec<_>>(), big.collect()] {
                let advice = foreign(&head).unwrap();
                assert!(advice.starts_with("it is text in UTF-16"), "{advice}");
            }
        }
    }

    #[test]
    fn a_checksum_of_tar_may_be_written_in_any_usual_way() {
        let mut header = include_bytes!("../../fixtures/foreign/gnu.tar")[..512].to_vec();
        let digits = str::from_utf8(&header[148..154]).unwrap();
        let sum = u32::from_str_radix(digits, 8).unwrap();
        for stated in [
            format!("{sum:06o}\0 "),
            format!("{sum:6o}\0 "),
            format!("{sum:6o} \0"),
            format!("{sum:07o}\0"),
            format!("{sum:08o}"),
            format!("{sum:o}\0\0\0 ")[..8].to_owned(),
        ] {
            header[148..156].copy_from_slice(stated.as_bytes());
            assert!(is_tar(&header), "{stated:?}");
        }
        header[148..156].copy_from_slice(format!("{:07o}\0", sum + 1).as_bytes());
        assert!(!is_tar(&header));
    }

    #[test]
    fn numbers_of_any_length_are_known_to_pprof() {
        for head in [
            &b"\n\x04\x08\x01\x10\x02rest"[..],
            b"\n\x06\x08\x81\x01\x10\x82\x01rest",
        ] {
            let advice = foreign(head).unwrap();
            assert!(advice.starts_with("it is a pprof profile"), "{advice}");
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
