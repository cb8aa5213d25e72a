//! Broken and hostile input: an error or a warning, and never anything worse.

use std::fs;
use std::path::PathBuf;

use cg_preprocess::output::collapsed;
use cg_preprocess::output::tree;
use cg_preprocess::profile::{EventChoice, InclusiveCost, Kind, Profile};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use cg_preprocess::webgrind::Version;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::preprocessed::decode;
use crate::common::{Random, fixtures};
use crate::library::{
    Reading, json, linked, read, read_files_with, text_options, write, write_text,
};

/// Pieces that mean something, to put where they do not belong.
const WORDS: &str = "fn=(1)|fn=(2) b|fl=(1) a|cfn=(3) c|cfi=|cob=x|calls=1 0 0|calls=0|rcalls=3 +1|\
    jump=1 2|events: Ir Dr|events:|positions: instr line|positions:|event: Ir = Ir + Ir|summary: 1|\
    part: 1|version: 1|creator: xdebug 3|+1 1|* *|-1 3|18446744073709551615|0x|\
    ==== NEW PROFILING FILE|\r";

fn words() -> Vec<&'static str> {
    WORDS.split('|').collect()
}

/// Fixtures small enough to break many times.
fn small_profiles() -> Vec<PathBuf> {
    let mut files = fixtures::files_below(&fixtures::directory());
    files.retain(|path| {
        let is_profile = path.extension().is_some_and(|end| end == "cg");
        is_profile && fs::metadata(path).unwrap().len() < 8192
    });
    assert!(files.len() > 5);
    files
}

/// Replaces, inserts or removes a few bytes or lines, or cuts off the rest.
pub fn damage(text: &mut Vec<u8>, random: &mut Random) {
    const BYTES: &[u8] = b"0019+-* \n\n\rx()=,cfnlijoe#\t\0\xff";
    for _ in 0..=random.small(4) {
        let at = random.index(text.len() + 1);
        let end = text.len().min(at + 1 + random.small(100) as usize);
        let byte = BYTES[random.index(BYTES.len())];
        match random.below(12) {
            0 | 1 => text[at..end].iter_mut().take(1).for_each(|b| *b = byte),
            2 | 3 => text.insert(at, byte),
            4 => text[at..end]
                .iter_mut()
                .take(1)
                .for_each(|b| *b ^= byte | 1),
            5 => drop(text.drain(at..text.len().min(at + 1))),
            6 => drop(text.drain(at..end)),
            7 | 8 => {
                let to = [at, random.index(text.len() + 1)][random.index(2)];
                let piece = text[at..end].to_vec();
                text.splice(to..to, piece);
            }
            9 | 10 => {
                let line = text[..at].iter().rposition(|&b| b == b'\n');
                let line = line.map_or(0, |end| end + 1);
                let word = random.pick(&words());
                text.splice(line..line, format!("{word}\n").into_bytes());
            }
            _ => text.truncate(at),
        }
    }
}

/// Any options.
pub fn any_reading(random: &mut Random) -> Reading {
    let mut reading = Reading::default();
    reading.read.kind = match random.below(6) {
        0 => Some(Kind::Trace),
        1 => Some(Kind::Aggregate),
        _ => None,
    };
    let mut is = || random.below(2) == 0;
    reading.read.lenient = is();
    reading.profile.invocations = is();
    reading.profile.contexts = is();
    reading.profile.call_files = is();
    reading.profile.lines = is();
    reading.profile.parts = is();
    reading.profile.call_sites = is();
    if is() {
        reading.profile.proxies = vec![b"php::call_user_func".to_vec(), b"leaf".to_vec()];
    }
    let named = |name: &str| EventChoice::Named(vec![name.into()]);
    reading.profile.events = match random.below(8) {
        0 => named("Ir"),
        1 => named("Sum"),
        2 => named("Memory_(bytes)"),
        3 => EventChoice::All,
        _ => EventChoice::First,
    };
    reading
}

/// Whatever the bytes: if they are read, then each format holds something that can be decoded.
pub fn assert_harmless(reading: &Reading, text: &[u8]) {
    if let Ok((profile, _)) = reading.read([text]) {
        assert_writable(&profile);
    }
}

/// Sees that each format holds something that can be decoded.
pub fn assert_writable(profile: &Profile) {
    for version in Version::ALL {
        let decoded = decode(&write(profile, version));
        assert_eq!(decoded.functions.len(), profile.functions().len());
    }
    json(profile).parse::<serde_json::Value>().unwrap();
    for (top, width) in [(None, None), (Some(3), Some(60))] {
        let options = text_options(|options| {
            options.top = top;
            options.width = width;
        });
        let mut lines = Vec::new();
        write_text(profile, &options, &mut lines).unwrap();
        let view = View::by_function(profile, InclusiveCost::Summed);
        tree::write(&view, &Stacks::new(profile), None, &options, &mut lines).unwrap();
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

/// As if each number were one of another place, or near to it; each of them in turn. What is read has
/// been paid for with bytes.
#[test]
fn any_number_of_a_table_may_be_another() {
    let mut options = linked();
    options.contexts = true;
    options.call_sites = true;
    options.proxies = vec![b"php::call_user_func".to_vec()];
    let call = |callee: &str, cost: u32| format!("cfl=a\ncfn={callee}\ncalls=1 0 0\n5 {cost}\n");
    let trace = format!(
        "creator: xdebug 3\nevents: Time\n\nfl=a\nfn=leaf\n2 3\n\n\
         fl=a\nfn=php::call_user_func\n4 1\n{}\nfl=a\nfn=again\n6 2\n\n\
         fl=a\nfn=again\n6 2\n{}\nfl=a\nfn={{main}}\n1 7\n{}{}\n",
        call("leaf", 3),
        call("again", 2),
        call("again", 4),
        call("php::call_user_func", 4),
    );
    let trace = read(trace, linked());
    for version in [Version::V4, Version::V7] {
        let file = write(&trace, version);
        let size = file.len() as u32;
        for at in (0..file.len() / 4).map(|at| 4 * at) {
            let known = u32::from_le_bytes(file[at..][..4].try_into().unwrap());
            let near = [known.wrapping_sub(1), known.wrapping_add(1)];
            let far = [0, 7, size, u32::MAX];
            for number in near.into_iter().chain(far) {
                let mut file = file.clone();
                file[at..][..4].copy_from_slice(&number.to_le_bytes());
                if let Ok((profile, _)) = read_files_with(&[&file], options.clone()) {
                    assert!(16 * profile.edges().len() <= file.len());
                    assert!(20 * profile.functions().len() <= file.len());
                    assert_writable(&profile);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(super::config(256))]

    #[test]
    fn any_bytes(seed: u64, text in vec(any::<u8>(), 0..400)) {
        assert_harmless(&any_reading(&mut Random(seed)), &text);
    }

    #[test]
    fn any_lines(seed: u64, words in vec(select(words()), 0..40)) {
        let (text, reading) = (words.join("\n"), any_reading(&mut Random(seed)));
        assert_harmless(&reading, text.as_bytes());
        assert_harmless(&reading, format!("events: Ir\nfn=a\n1 1\n{text}\n").as_bytes());
    }

    #[test]
    fn any_damage(seed: u64, fixture in select(small_profiles())) {
        let mut random = Random(seed);
        let mut text = fs::read(fixture).unwrap();
        damage(&mut text, &mut random);
        assert_harmless(&any_reading(&mut random), &text);
    }
}
