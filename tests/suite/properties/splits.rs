//! However the reads are split, the result is the same.

use std::io::{self, Read};

use proptest::prelude::*;

use super::spelling::spell;
use super::strategies::{Size, aggregate, style, trace};
use crate::common::Random;
use crate::library::{Reading, write};
use cg_preprocess::webgrind::Version;

/// Gives bytes in pieces of odd sizes, with interruptions.
struct OddReader<'a> {
    data: &'a [u8],
    random: Random,
    largest: u64,
}

impl Read for OddReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.largest > 1 && self.random.below(20) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let wanted = self.random.below(self.largest) as usize + 1;
        let count = wanted.min(buffer.len()).min(self.data.len());
        let (now, later) = self.data.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.data = later;
        Ok(count)
    }
}

/// The file in v4 and in v7, and the warnings.
type Outcome = (Vec<u8>, Vec<u8>, Vec<String>);

/// What comes of a text, read in pieces of up to so many bytes.
fn outcome(text: &[u8], seed: u64, largest: u64) -> Result<Outcome, String> {
    let mut reading = Reading::default();
    reading.profile.invocations = true;
    reading.read.lenient = seed.is_multiple_of(2);
    let reader = OddReader {
        data: text,
        random: Random(seed),
        largest,
    };
    let (profile, warnings) = reading.read([reader])?;
    Ok((
        write(&profile, Version::V4),
        write(&profile, Version::V7),
        warnings,
    ))
}

/// Reads a text in pieces of several sizes.
pub fn assert_same_in_pieces(text: &[u8], seed: u64) {
    let whole = outcome(text, seed, u64::MAX);
    for largest in [1, 3, 100, 5000] {
        assert_eq!(outcome(text, seed, largest), whole, "pieces of {largest}");
    }
}

proptest! {
    #![proptest_config(super::config(48))]

    /// Sound profiles, and what is left of them when they end anywhere.
    #[test]
    fn aggregates(
        document in aggregate(Size::Small),
        style in style(),
        seed: u64,
        end in 0..10_000usize,
    ) {
        let text = spell(&document, &style).text;
        assert_same_in_pieces(&text, seed);
        assert_same_in_pieces(&text[..end % text.len()], seed);
    }

    /// The same for traces.
    #[test]
    fn traces(
        trace in trace(Size::Small),
        style in style(),
        seed: u64,
        end in 0..10_000usize,
    ) {
        let text = spell(&trace.document, &style).text;
        assert_same_in_pieces(&text, seed);
        assert_same_in_pieces(&text[..end % text.len()], seed);
    }
}

/// A profile of several buffers, so that their borders fall everywhere.
#[test]
fn longer_than_a_buffer() {
    let mut text = b"version: 1\ncreator: xdebug 3\nevents: Time Memory\n\n".to_vec();
    text.extend(b"fl=(1) a\nfn=(1) f\n1 1 0\n\nfl=(1)\nfn=(2) g\n1 1 0\n\n");
    for number in 0..4000 {
        let block = format!(
            "fl=(1)\nfn=({})\n{number} {} {number}\ncfl=(1)\ncfn=({})\ncalls=1 0 0\n{} 7\n\n",
            1 + number % 2,
            number * 37,
            2 - number % 3 % 2,
            number % 90,
        );
        text.extend(block.into_bytes());
    }
    assert!(text.len() > 200_000);
    assert_same_in_pieces(&text, 4);
    assert_same_in_pieces(&text[..text.len() - 9], 5);
}
