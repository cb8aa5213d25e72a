//! Profiles that end too early: killed scripts, and runs that are still being written.

use cg_preprocess::callgrind;
use cg_preprocess::profile::{Cost, Profile};

use crate::common::{Random, fixtures};
use crate::library::{Reading, all_events, event, read as read_with};

/// How many bytes at the end of a trace are cut one by one.
const TAIL: usize = 800;

/// How many more places in it are tried.
const PLACES: usize = 40;

fn read(data: &[u8]) -> (Profile, Vec<String>) {
    Reading::default().read([data]).unwrap()
}

/// What all `summary:` lines add up to.
fn summary(profile: &Profile) -> Cost {
    let headers = profile.headers();
    let summaries = headers.filter_map(|header| header.total());
    summaries.sum()
}

fn find(data: &[u8], text: &[u8]) -> usize {
    let found = data.windows(text.len()).position(|window| window == text);
    found.unwrap()
}

/// Cuts a trace and checks what comes of it; its last block ends at `end`.
fn check(trace: &[u8], cuts: impl Iterator<Item = usize>, end: usize) {
    let (profile, warnings) = read(trace);
    assert!(warnings.is_empty());
    let stated = summary(&profile);
    let (main_end, summary_end) = (main_end(trace), summary_end(trace));
    for cut in cuts {
        let data = &trace[..cut];
        let (profile, warnings) = read(data);
        // Nobody can know that another block will follow that of {main}.
        let is_between_blocks = data.ends_with(b"\n\n") && cut >= main_end;
        if cut >= end && data.ends_with(b"\n") || is_between_blocks {
            assert!(warnings.is_empty(), "cut at {cut}: {warnings:?}");
        } else if cut < end {
            // One is enough, whether a line, a block or {main} is missing.
            let mut told = warnings.clone();
            told.retain(|warning| !warning.contains("was never defined"));
            assert_eq!(told.len(), 1, "cut at {cut}: {warnings:?}");
        }
        let is_stated = cut >= summary_end;
        let expected = if is_stated { stated } else { profile.total() };
        assert_eq!(summary(&profile), expected, "cut at {cut}");
    }
}

/// Where the block of {main} ends, with the blank line after it.
fn main_end(trace: &[u8]) -> usize {
    let main = find(trace, b"{main}\n");
    let next = trace[main..].windows(5).position(|text| text == b"\n\nfl=");
    next.map_or(trace.len(), |next| main + next + 2)
}

/// Where the number of the `summary:` line ends that a trace has.
fn summary_end(trace: &[u8]) -> usize {
    let number = find(trace, b"\nsummary: ") + b"\nsummary: ".len();
    let digits = trace[number..].iter().take_while(|b| b.is_ascii_digit());
    number + digits.count()
}

/// Cuts a trace at each of its last bytes, or anywhere within its blocks.
fn check_trace(name: &str, is_long: bool) {
    let trace = fixtures::bytes(name);
    let end = if name.starts_with("xdebug3") {
        // The `summary:` follows the last block and its blank line.
        find(&trace, b"\nsummary: ") + 1
    } else {
        // It stands within the last block, which ends with a blank line.
        assert!(trace.ends_with(b"\n\n"));
        trace.len()
    };
    if is_long {
        // The same places each time, without any pattern.
        let mut random = Random(20_240_229);
        let first_cost = find(&trace, b"calls=");
        let places = (0..PLACES).map(|_| first_cost + random.index(trace.len() - first_cost));
        check(&trace, places, end);
    } else {
        check(&trace, trace.len() - TAIL..trace.len(), end);
    }
}

#[test]
fn a_trace_can_be_cut_at_every_byte() {
    check_trace("xdebug3/features.cg", false);
    check_trace("xdebug2/small.cg", false);
}

#[test]
fn long_traces_can_be_cut_anywhere() {
    check_trace("xdebug3/composer.cg", true);
    check_trace("xdebug2/composer.cg", true);
}

/// Whatever is cut off a profile that this program has summed up, its sums tell, or its last line.
#[test]
fn a_sum_can_be_cut_at_every_byte() {
    for trace in ["xdebug2/chain.cg", "xdebug3/chain.cg"].map(fixtures::bytes) {
        let all = all_events();
        let mut sum = Vec::new();
        callgrind::write(&read_with(&trace, all.clone()), &mut sum).unwrap();
        for profile in [all, event("Time"), event("Memory"), event("Memory_(bytes)")] {
            let reading = Reading {
                profile,
                ..Reading::default()
            };
            for cut in 0..sum.len() {
                let outcome = reading.read([&sum[..cut]]);
                let is_told = outcome.is_ok_and(|(_, warnings)| warnings.is_empty());
                assert!(!is_told, "cut at {cut} of {}", sum.len());
            }
            if let Ok((_, warnings)) = reading.read([&sum[..]]) {
                assert_eq!(warnings, [""; 0]);
            }
        }
        // Version 0.2.0 wrote the `summary:` alone.
        let text = String::from_utf8(sum).unwrap();
        let (text, _) = text.split_once("\ntotals: ").unwrap();
        let old = text.replace("desc: Runs: 1\n", "");
        assert!(!read(text.as_bytes()).1.is_empty());
        assert!(read(old.as_bytes()).1.is_empty());
    }
}
