//! Broken and hostile input: an error or a warning, and never anything worse.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use cg_preprocess::callgrind::KindChoice;
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile, ProfileBuilder, Stacks};
use cg_preprocess::report::{collapsed, text, tree};
use cg_preprocess::webgrind::{self, Version};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::library::{Reading, json, linked, read, text_options, write};

/// Pieces that mean something, to put where they do not belong.
const WORDS: [&str; 26] = [
    "fn=(1)",
    "fn=(2) b",
    "fl=(1) a",
    "cfn=(3) c",
    "cfi=",
    "cob=x",
    "calls=1 0 0",
    "calls=0",
    "rcalls=3 +1",
    "jump=1 2",
    "events: Ir Dr",
    "events:",
    "positions: instr line",
    "positions:",
    "event: Ir = Ir + Ir",
    "summary: 1",
    "part: 1",
    "version: 1",
    "creator: xdebug 3",
    "+1 1",
    "* *",
    "-1 3",
    "18446744073709551615",
    "0x",
    "==== NEW PROFILING FILE",
    "\r",
];

/// Fixtures small enough to break many times.
fn small_profiles() -> Vec<PathBuf> {
    let mut files = fixtures::files_below(&fixtures::folder());
    files.retain(|path| {
        let is_profile = path.extension().is_some_and(|end| end == "cg");
        is_profile && fs::metadata(path).unwrap().len() < 8192
    });
    assert!(files.len() > 5);
    files
}

/// What happens to a profile on its way.
#[derive(Clone, Debug)]
enum Damage {
    Cut(usize),
    Drop(usize, usize),
    Flip(usize, u8),
    Repeat(usize, usize),
    Line(usize, &'static str),
    Insert(usize, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<usize>();
    prop_oneof![
        1 => place.prop_map(Damage::Cut),
        3 => (place, 1..40usize).prop_map(|(at, count)| Damage::Drop(at, count)),
        3 => (place, 1..=255u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        2 => (place, 1..200usize).prop_map(|(at, count)| Damage::Repeat(at, count)),
        3 => (place, select(&WORDS[..])).prop_map(|(at, word)| Damage::Line(at, word)),
        1 => (place, vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
    ]
}

impl Damage {
    fn apply(&self, text: &mut Vec<u8>) {
        let place = |at: usize| at % (text.len() + 1);
        match self {
            Damage::Cut(at) => text.truncate(place(*at)),
            Damage::Drop(at, count) => {
                let start = place(*at);
                text.drain(start..text.len().min(start + count));
            }
            Damage::Flip(at, bits) => {
                let at = place(*at);
                text.get_mut(at).into_iter().for_each(|byte| *byte ^= bits);
            }
            Damage::Repeat(at, count) => {
                let start = place(*at);
                let piece = text[start..text.len().min(start + count)].to_vec();
                text.splice(start..start, piece);
            }
            Damage::Line(at, word) => {
                let start = place(*at);
                let start = text[..start]
                    .iter()
                    .rposition(|&b| b == b'\n')
                    .map_or(0, |at| at + 1);
                text.splice(start..start, format!("{word}\n").into_bytes());
            }
            Damage::Insert(at, bytes) => {
                let start = place(*at);
                text.splice(start..start, bytes.iter().copied());
            }
        }
    }
}

/// Any options.
fn reading() -> impl Strategy<Value = Reading> {
    let kinds = vec![KindChoice::Auto, KindChoice::Trace, KindChoice::Aggregate];
    let events = vec![None, Some("Ir"), Some("Sum"), Some("Memory_(bytes)")];
    (select(kinds), any::<[bool; 5]>(), select(events)).prop_map(
        |(kind, [lenient, outermost, proxies, invocations, contexts], event)| {
            let mut reading = Reading::default();
            reading.read.kind = kind;
            reading.read.lenient = lenient;
            if let Some(name) = event {
                reading.profile.events = EventChoice::Named(vec![name.as_bytes().to_vec()]);
            }
            reading.profile.invocations = invocations;
            reading.profile.contexts = contexts;
            if outermost {
                reading.profile.inclusive = InclusiveCost::Outermost;
            }
            if proxies {
                reading.profile.proxies = vec![b"php::call_user_func".to_vec(), b"leaf".to_vec()];
            }
            reading
        },
    )
}

/// Whatever the bytes: if they are read, then each format holds something that can be decoded.
pub fn assert_harmless(reading: &Reading, text: &[u8]) {
    if let Ok((profile, _)) = reading.read([text]) {
        assert_writable(&profile);
    }
}

fn assert_writable(profile: &Profile) {
    for version in Version::ALL {
        let decoded = decode(&write(profile, version));
        assert_eq!(decoded.functions.len(), profile.functions().len());
    }
    serde_json::from_str::<serde_json::Value>(&json(profile)).unwrap();
    for (top, width) in [(None, None), (Some(3), Some(60))] {
        let options = text_options(|options| {
            options.top = top;
            options.width = width;
        });
        let mut lines = Vec::new();
        text::write(profile, &options, &mut lines).unwrap();
        tree::write(&Stacks::new(profile), &options, &mut lines).unwrap();
        String::from_utf8(lines).unwrap();
    }
    let mut stacks = Vec::new();
    collapsed::write(&Stacks::new(profile), &mut stacks).unwrap();
    // A stack, a blank, and a cost that is not 0.
    for stack in stacks.split_inclusive(|&byte| byte == b'\n') {
        let line = stack.strip_suffix(b"\n").unwrap();
        let blank = line.iter().rposition(|&byte| byte == b' ').unwrap();
        let cost = std::str::from_utf8(&line[blank + 1..]).unwrap();
        assert!(blank > 0 && cost.parse::<u64>().unwrap() > 0);
    }
}

/// Every invocation of some traces.
fn small_tables() -> Vec<Vec<u8>> {
    let traces = [
        "xdebug3/proxies.cg",
        "xdebug3/small.cg",
        "xdebug3/fibers.cg",
    ];
    let traces = traces.map(|name| read(fixtures::bytes(name), linked()));
    traces.map(|trace| write(&trace, Version::V4)).to_vec()
}

/// As if each number were one of another place; each of them in turn.
#[test]
fn any_number_of_a_table_may_be_another() {
    let table = &small_tables()[0];
    for at in (0..table.len() / 4).map(|at| 4 * at) {
        for number in [0, 1, 2, 7, 13, u32::MAX] {
            let mut table = table.clone();
            table[at..][..4].copy_from_slice(&u32::to_le_bytes(number));
            let mut options = linked();
            options.contexts = true;
            options.inclusive = InclusiveCost::Outermost;
            options.proxies = vec![b"php::call_user_func".to_vec()];
            let mut builder = ProfileBuilder::new(options);
            if webgrind::read(Cursor::new(table), "test.pre", &mut builder).is_ok() {
                builder.finish().unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(super::config(256))]

    /// Numbers of functions, invocations and addresses that are those of others.
    #[test]
    fn any_other_numbers(
        reading in reading(),
        table in select(small_tables()),
        changes in vec((any::<usize>(), any::<usize>(), -2..3i32), 1..6),
    ) {
        let mut table = table;
        let mut numbers: Vec<_> = table.chunks_exact(4).map(|n| u32::from_le_bytes(n.try_into().unwrap())).collect();
        for (to, from, more) in changes {
            let number = numbers[from % numbers.len()].wrapping_add_signed(more);
            let to = to % numbers.len();
            numbers[to] = number;
            table[4 * to..][..4].copy_from_slice(&number.to_le_bytes());
        }
        let mut builder = ProfileBuilder::new(reading.profile);
        if webgrind::read(Cursor::new(table), "test.pre", &mut builder).is_ok()
            && let Ok(profile) = builder.finish()
        {
            assert_writable(&profile);
        }
    }

    #[test]
    fn any_bytes(reading in reading(), text in vec(any::<u8>(), 0..400)) {
        assert_harmless(&reading, &text);
    }

    #[test]
    fn any_lines(reading in reading(), words in vec(select(&WORDS[..]), 0..40)) {
        let text = words.join("\n");
        assert_harmless(&reading, text.as_bytes());
        assert_harmless(&reading, format!("events: Ir\nfn=a\n1 1\n{text}\n").as_bytes());
    }

    #[test]
    fn any_damage(
        reading in reading(),
        fixture in select(small_profiles()),
        damages in vec(damage(), 1..6),
    ) {
        let mut text = fs::read(fixture).unwrap();
        damages.iter().for_each(|damage| damage.apply(&mut text));
        assert_harmless(&reading, &text);
    }
}
