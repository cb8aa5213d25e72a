//! Shortcuts through lines of common shape change nothing: each profile is read with and without
//! them, whole and in pieces, sound and damaged.

use std::io::{Cursor, Read};

use cg_preprocess::callgrind::{self, KindChoice, Options, Outcome};
use cg_preprocess::profile::{EventChoice, Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, Version};

use proptest::prelude::*;

use crate::common::{Random, fixtures};
use crate::library::{profile_options, read_options, write_options};
use crate::properties;
use crate::properties::spelling::spell;
use crate::properties::strategies::{Size, aggregate, style, trace};

/// Hands out so many bytes at a time.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

/// Everything that a reader can see of a profile, or why there is none.
fn describe(builder: ProfileBuilder, outcome: Result<Outcome, callgrind::Error>) -> String {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return format!("error: {error}"),
    };
    let warnings: Vec<_> = outcome.warnings.iter().map(ToString::to_string).collect();
    let profile = match builder.finish() {
        Ok(profile) => profile,
        Err(error) => return format!("{warnings:?}\nerror: {error}"),
    };
    let functions: Vec<_> = profile.functions().map(|(_, function)| function).collect();
    let edges: Vec<_> = profile.edges().collect();
    let files = [Version::V4, Version::V7].map(|version| written(&profile, version));
    format!("{warnings:?}\n{functions:?}\n{edges:?}\n{files:?}")
}

fn written(profile: &Profile, version: Version) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let options = write_options(|options| {
        options.version = version;
        options.on_overflow = OnOverflow::Saturate;
    });
    webgrind::write(profile, &options, &mut file).unwrap();
    file.into_inner()
}

struct Case {
    options: Options,
    profile: ProfileOptions,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let kind = match random.below(6) {
            0 => KindChoice::Trace,
            1 => KindChoice::Aggregate,
            _ => KindChoice::Auto,
        };
        let options = read_options(|options| {
            options.kind = kind;
            options.lenient = random.below(2) == 0;
        });
        let events = match random.below(4) {
            0 => EventChoice::Named(vec![b"Memory_(bytes)".to_vec()]),
            _ => EventChoice::First,
        };
        let profile = profile_options(|options| {
            options.events = events;
            options.invocations = random.below(2) == 0;
            options.call_files = random.below(2) == 0;
        });
        Case { options, profile }
    }

    /// Reads the text in pieces of so many bytes, with and without shortcuts.
    fn check(&self, text: &[u8], size: usize) {
        let mut short = ProfileBuilder::new(self.profile.clone());
        let pieces = Pieces { bytes: text, size };
        let outcome = callgrind::read(pieces, "a.cg", &self.options, &mut short);
        let short = describe(short, outcome);
        let mut long = ProfileBuilder::new(self.profile.clone());
        let outcome = callgrind::read_line_by_line(text, "a.cg", &self.options, &mut long);
        let long = describe(long, outcome);
        let text = String::from_utf8_lossy(text);
        assert!(
            short == long,
            "{text}\n--- short\n{short}\n--- long\n{long}"
        );
    }
}

/// Replaces, inserts or removes a few bytes, or repeats a few lines.
fn damage(text: &mut Vec<u8>, random: &mut Random) {
    const BYTES: &[u8] = b"0019+-* \n\n\rx()=,cfnlijoe#\t";
    for _ in 0..=random.small(4) {
        let at = random.index(text.len());
        let byte = BYTES[random.index(BYTES.len())];
        match random.below(5) {
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => _ = text.remove(at),
            3 => text.insert(at, text[at]),
            _ => {
                let end = text.len().min(at + 60);
                let lines = text[at..end].to_vec();
                let to = random.index(text.len());
                text.splice(to..to, lines);
            }
        }
    }
}

/// The header of a profile and some of its blocks.
fn part(text: &[u8], random: &mut Random) -> Vec<u8> {
    let blocks = memchr::memmem::find_iter(text, b"\nfn=").map(|at| at + 1);
    let blocks: Vec<usize> = blocks.chain([text.len()]).collect();
    let from = blocks[random.index(blocks.len())];
    let to = blocks.iter().find(|&&at| at >= from + 3000);
    [&text[..blocks[0]], &text[from..*to.unwrap_or(&text.len())]].concat()
}

/// Reads parts of these fixtures, and what is left of them after some damage.
fn check_parts(names: &[&str], change: impl Fn(Vec<u8>) -> Vec<u8>) {
    let texts: Vec<_> = names.iter().map(|name| fixtures::bytes(name)).collect();
    for seed in 1..=40 {
        let mut random = Random(seed);
        let text = &texts[random.index(texts.len())];
        check_any_way(&change(part(text, &mut random)), seed);
    }
}

#[test]
fn traces() {
    let names = [
        "xdebug2/composer.cg",
        "xdebug3/composer.cg",
        "xdebug3/features.cg",
        "xdebug3/turns.cg",
    ];
    check_parts(&names, |text| text);
    // Xdebug's append mode: the ids start again in every run.
    let other = fixtures::bytes("xdebug3/small.cg");
    let marker = b"==== NEW PROFILING FILE ====================\n";
    check_parts(&names, |text| [&text, &marker[..], &other].concat());
}

#[test]
fn sums() {
    let names = [
        "valgrind/instr.cg",
        "valgrind/combine.cg",
        "valgrind/plain.cg",
        "valgrind/cachegrind.out",
    ];
    check_parts(&names, |text| text);
}

/// Reads a text, and what is left of it after some damage, in any way.
fn check_any_way(text: &[u8], seed: u64) {
    let mut random = Random(seed);
    // Fast paths look ahead.
    let mut text = [text, &b"# end\n".repeat(20)].concat();
    for _ in 0..3 {
        Case::new(&mut random).check(&text, usize::MAX);
        let size = 1 + random.index(700);
        Case::new(&mut random).check(&text, size);
        damage(&mut text, &mut random);
    }
}

proptest! {
    #![proptest_config(properties::config(64))]

    #[test]
    fn aggregates_in_any_spelling(
        document in aggregate(Size::Large),
        style in style(),
        seed: u64,
    ) {
        check_any_way(&spell(&document, &style).text, seed);
    }

    #[test]
    fn traces_in_any_spelling(trace in trace(Size::Signed), style in style(), seed: u64) {
        check_any_way(&spell(&trace.document, &style).text, seed);
    }
}
