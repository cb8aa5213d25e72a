//! What an input is, told by its first bytes.

use std::fmt;

/// How many bytes it takes to tell.
pub(super) const LENGTH: usize = 4;

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// gzip, RFC 1952.
    Gzip,
    /// Zstandard, RFC 8878.
    Zstd,
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        })
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A callgrind profile, or something unknown.
    Text,
    /// webgrind's format, of whatever version.
    Preprocessed,
    /// Compressed data.
    Packed(Packing),
    /// What others pack, and have to unpack.
    Foreign(Foreign),
}

/// A format that is known, but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    pub name: &'static str,
    /// The command that unpacks it to standard output.
    pub unpacker: &'static str,
}

impl Content {
    /// Tells it from the first bytes, of which there are fewer only in a shorter input.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Content::Packed(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] => Content::Packed(Packing::Zstd),
            // A frame to be skipped may stand before the first one with data.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Content::Packed(Packing::Zstd),
            [0xfd, b'7', b'z', b'X'] => Content::foreign("xz", "xz -dc"),
            [b'B', b'Z', b'h', b'1'..=b'9'] => Content::foreign("bzip2", "bzip2 -dc"),
            [0x04, 0x22, 0x4d, 0x18] => Content::foreign("LZ4", "lz4 -dc"),
            [b'P', b'K', 0x03, 0x04] => Content::foreign("ZIP", "unzip -p"),
            // A version, little-endian; text has no zero bytes.
            [_, 0, 0, 0] => Content::Preprocessed,
            _ => Content::Text,
        }
    }

    fn foreign(name: &'static str, unpacker: &'static str) -> Self {
        Content::Foreign(Foreign { name, unpacker })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell() {
        assert_eq!(Content::of(b"even"), Content::Text);
        assert_eq!(Content::of(b""), Content::Text);
        assert_eq!(Content::of(&[7, 0, 0]), Content::Text);
        assert_eq!(Content::of(&[7, 0, 0, 0]), Content::Preprocessed);
        assert_eq!(Content::of(&[99, 0, 0, 0]), Content::Preprocessed);
        let gzip = Content::Packed(Packing::Gzip);
        assert_eq!(Content::of(&[0x1f, 0x8b]), gzip);
        let zstd = Content::Packed(Packing::Zstd);
        assert_eq!(Content::of(&0xfd2f_b528_u32.to_le_bytes()), zstd);
        assert_eq!(Content::of(&0x184d_2a5f_u32.to_le_bytes()), zstd);
        assert_eq!(Content::of(&0x184d_2a60_u32.to_le_bytes()), Content::Text);
        assert_eq!(Content::of(b"BZh0"), Content::Text);
    }
}
