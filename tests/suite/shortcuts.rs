//! However a profile is read, the same comes of it: in reads of any size, by shortcuts through lines
//! of common shape and without them; sound, damaged and truncated.

use proptest::prelude::*;

use cg_preprocess::callgrind::PartFilter;
use cg_preprocess::profile::EventChoice;

use crate::common::{Random, fixtures};
use crate::library::Reading;
use crate::properties;
use crate::properties::hostile::{any_reading, damage};
use crate::properties::spelling::spell;
use crate::properties::strategies::{Size, document, style};

/// Reads a text, and what is left of it after some damage, in any way.
pub fn check_any_way(text: &[u8], seed: u64, sizes: &[u64]) {
    let mut random = Random(seed);
    let mut text = text.to_vec();
    for _ in 0..3 {
        let _ = any_reading(&mut random).read_in_any_way(&[&text], sizes);
        damage(&mut text, &mut random);
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

/// Reads parts of these fixtures, each with something after it.
fn check_parts(names: &[String], after: &[u8]) {
    let texts: Vec<_> = names.iter().map(|name| fixtures::bytes(name)).collect();
    for seed in 1..=40 {
        let mut random = Random(seed);
        let text = &texts[random.index(texts.len())];
        let text = [&part(text, &mut random), after].concat();
        check_any_way(&text, seed, &[1 + random.below(700)]);
    }
}

/// Shortcuts look ahead: they reach the last line if this follows it.
const FOLLOWS: &[u8] =
    b"# end\n# end\n# end\n# end\n# end\n# end\n# end\n# end\n# end\n# end\n# end\n";

#[test]
fn traces() {
    let names = [
        "xdebug2/composer",
        "xdebug3/composer",
        "xdebug3/features",
        "xdebug3/turns",
    ];
    let names = names.map(|name| format!("{name}.cg"));
    check_parts(&names, FOLLOWS);
    // Xdebug's append mode: the ids start again in every run.
    let other = fixtures::bytes("xdebug3/small.cg");
    let marker = b"==== NEW PROFILING FILE ====================\n";
    check_parts(&names, &[&marker[..], &other].concat());
}

#[test]
fn sums() {
    let names = ["instr.cg", "combine.cg", "plain.cg", "cachegrind.out"];
    let names = names.map(|name| format!("valgrind/{name}"));
    check_parts(&names, FOLLOWS);
}

/// Calls one after the other, whose callees are named by some lines or by none, with ids that are
/// defined or not.
#[test]
fn callees_of_calls_in_a_row() {
    let names = [
        "cob=(1)",
        "cob=(9)",
        "cfi=(1)",
        "cfi=(2) b.c",
        "cfi=(8)",
        "cfl=(1)",
        "cfn=(1)",
        "cfn=(1)",
        "cfn=(2) two",
        "cfn=(7)",
        "cfn=plain",
    ];
    for seed in 1..=300 {
        let mut random = Random(seed);
        let mut text = String::from("events: Ir\nob=(1) o\nfl=(1) a.c\nfn=(1) one\n1 1\n");
        for _ in 0..1 + random.below(6) {
            for _ in 0..random.below(4) {
                text += names[random.index(names.len())];
                text += "\n";
            }
            text += "calls=2 5\n+3 10\n";
        }
        let text = [text.as_bytes(), FOLLOWS].concat();
        let mut reading = Reading::default();
        reading.read.lenient = true;
        let _ = reading.read_in_any_way(&[&text], &[1]);
    }
}

/// Whatever is in one of the ranges: the end of a trace, another run, damage.
#[test]
fn ranges_of_traces() {
    let names = [
        "xdebug2/composer.cg",
        "xdebug3/composer.cg",
        "xdebug3/features.cg",
        "xdebug3/small.cg",
        "xdebug3/turns.cg",
    ];
    let texts = names.map(fixtures::bytes);
    for seed in 1..=300 {
        let mut random = Random(seed);
        let any = |random: &mut Random| {
            let text = &texts[random.index(texts.len())];
            let start = random.index(text.len() / 2) * random.index(2);
            let blocks =
                memchr::memmem::find(&text[start..], b"\n\nfl=").map_or(0, |at| start + at);
            let header = memchr::memmem::find(text, b"\n\nfl=").unwrap();
            let end = (blocks + 20_000).min(text.len());
            [&text[..header], &text[blocks.max(header)..end]].concat()
        };
        let mut text = any(&mut random);
        if random.below(4) == 0 {
            text.extend(b"\n==== NEW PROFILING FILE ====================\n");
            text.extend(any(&mut random));
        }
        for _ in 0..random.below(3) {
            damage(&mut text, &mut random);
        }
        let mut reading = Reading::default();
        reading.read.lenient = random.below(2) == 0;
        if random.below(2) == 0 {
            reading.profile.events = EventChoice::All;
        }
        reading.profile.call_files = random.below(2) == 0;
        match random.below(8) {
            0 => reading.profile.invocations = true,
            1 => reading.profile.contexts = true,
            2 => {
                reading.profile.contexts = true;
                reading.profile.call_sites = true;
            }
            3 => reading.profile.timeline = 1 + random.index(300),
            // Which calls replace those of proxies depends on the ranges before.
            4 => {
                reading.profile.proxies = vec![
                    b"php::array_map".to_vec(),
                    b"php::call_user_func_array".to_vec(),
                ]
            }
            _ => {}
        }
        reading.read_in_ranges(&text, 300 + random.below(3000), 1 + random.index(3));
    }
}

/// A function without own costs in one range, which a call in another gives its line.
#[test]
fn a_line_comes_from_another_range() {
    let own = "fl=(1)\nfn=(1)\n1 1 0\n\n".repeat(20);
    let text = format!(
        "version: 1\ncreator: xdebug 3\nevents: Time Memory\n\nfl=(1) a\nfn=(1) f\n1 1 0\n\n{own}\
         fl=(1)\nfn=(2) waits\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 1 0\n\n{own}\
         fl=(1)\nfn=(3) {{main}}\n1 1 0\ncfl=(1)\ncfn=(2)\ncalls=1 42 0\n2 2 0\n\n"
    );
    // A call may name another file than the blocks, and a second id may stand for the name.
    let called = text.replacen("cfl=(1)\ncfn=(1)", "cfl=(9) other\ncfn=(8) g", 1);
    let blocks = format!(
        "fl=(1)\nfn=(4) calls\n2 1 0\ncfl=(1)\ncfn=(8)\ncalls=1 0 0\n2 1 0\n\n\
         fl=(1)\nfn=(7) g\n9 1 0\n\nfl=(1)\nfn=(8)\n7 1 0\n\n{own}fl=(1)\nfn=(3)"
    );
    let twice = called.replace("fl=(1)\nfn=(3)", &blocks);
    assert!(twice.len() > text.len() + own.len());
    for text in [text, twice] {
        for range in 60..300 {
            Reading::default().read_in_ranges(text.as_bytes(), range, 2);
        }
    }
}

/// Functions that are special by their names, which other ranges define.
#[test]
fn what_a_name_means_in_another_range() {
    let read = |name, step, set: fn(&mut Reading)| {
        let text = String::from_utf8(fixtures::bytes(name)).unwrap();
        let (header, blocks) = text.split_at(text.find("fl=").unwrap());
        let blocks = blocks.split("\nsummary:").next().unwrap();
        // The same again, with ids alone.
        let again: String = blocks
            .lines()
            .map(|line| match line.split_once(") ") {
                Some((id, _)) => format!("{id})\n"),
                None => format!("{line}\n"),
            })
            .collect();
        let text = format!("{header}{blocks}\n{again}\n{again}");
        for range in (1..50).map(|steps: u64| steps * step) {
            let mut reading = Reading::default();
            set(&mut reading);
            reading.read_in_ranges(text.as_bytes(), range, 2);
        }
    };
    read("xdebug3/turns.cg", 1000, |reading| {
        reading.profile.contexts = true
    });
    read("xdebug3/proxies.cg", 60, |reading| {
        reading.profile.proxies = vec![b"php::call_user_func".to_vec()];
    });
}

/// `{main}` in a range that is not the last one, an id that has several names in one range, and a
/// self cost that exceeds that of the run.
#[test]
fn a_range_ends_a_run_and_renames_ids() {
    let own = "fl=(1)\nfn=(1)\n1 1\n\n".repeat(20);
    let text = format!(
        "version: 1\ncreator: xdebug 3\nevents: Time_(10ns)\n\nfl=(1) a\nfn=(1) f\n1 1\n\n{own}\
         fl=(1)\nfn=(2) first\n1 1\n\nfl=(1)\nfn=(2) last\n1 1\n\nfl=(1)\nfn=(3) {{main}}\n1 1\n\n\
         {own}fl=(1)\nfn=(2)\n1 5\n\nfl=(1)\nfn=(1)\n1 1844674407370955161\n\n{own}summary: 4\n"
    );
    let (_, warnings) = Reading::default().read([text.as_bytes()]).unwrap();
    assert!(
        warnings[0].starts_with("test.cg:183: this self cost, 5 "),
        "{warnings:?}"
    );
    for range in 60..600 {
        Reading::default().read_in_ranges(text.as_bytes(), range, 2);
    }
}

/// A trace without a header of its own, after a part that is wanted.
#[test]
fn a_trace_is_no_part_in_any_range() {
    let text = format!(
        "creator: callgrind-3\npart: 1\nevents: Ir\nfl=(1) a\nfn=(1) f\n1 5\n\ncreator: xdebug 3\n\n{}",
        "fl=(1)\nfn=(1)\n1 1\n\n".repeat(40)
    );
    let mut reading = Reading::default();
    reading.read.parts = vec![PartFilter::new("1")];
    for range in 60..200 {
        reading.read_in_ranges(text.as_bytes(), range, 2);
    }
}

/// A name that is put together of others, whatever stands before their ids.
#[test]
fn composed_names_of_another_range_are_expanded() {
    let own = "fl=(1)\nfn=(1)\n1 1 0\n\n".repeat(20);
    for blanks in [" ", "  ", "\t", ""] {
        let text = format!(
            "version: 1\ncreator: xdebug 3\nevents: Time Memory\n\nfl=(1) a\nfn=(1) f\n1 1 0\n\n{own}\
             fl=(1)\nfn=(3) g\n1 1 0\n\nfl=(1)\nfn=(4){blanks}(1)'(3)\n1 1 0\n\n{own}"
        );
        for range in (60..400).step_by(20) {
            Reading::default().read_in_ranges(text.as_bytes(), range, 2);
        }
    }
}

proptest! {
    #![proptest_config(properties::config(128))]

    #[test]
    fn profiles_in_any_spelling(
        document in document(Size::Signed),
        style in style(),
        seed: u64,
        size in 2..700u64,
    ) {
        let text = [&spell(&document, &style).text, FOLLOWS].concat();
        check_any_way(&text, seed, &[1, size]);
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
    let mut reading = any_reading(&mut Random(1));
    reading.profile.invocations = true;
    reading.profile.events = EventChoice::First;
    for text in [&text[..], &text[..text.len() - 9]] {
        reading.read_in_any_way(&[text], &[1, 100, 5000]).unwrap();
        for range in [1000, 70_000] {
            Reading::default().read_in_ranges(text, range, 3);
        }
    }
}
