//! How many runs a profile sums, and of which commands.

use cg_preprocess::callgrind;
use cg_preprocess::profile::Profile;
use cg_preprocess::webgrind::Version;

use crate::library::{Reading, read_file, write};

fn profile<T: AsRef<str>>(texts: &[T]) -> Profile {
    let texts = texts.iter().map(|text| text.as_ref().as_bytes());
    Reading::default().read(texts).unwrap().0
}

fn summed_up(profile: &Profile) -> String {
    let mut text = Vec::new();
    callgrind::write(profile, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

const TRACE: &str =
    "version: 1\ncreator: xdebug 3\ncmd: a.php\nevents: Time\nfn={main}\n1 2\nsummary: 2\n\n";
const SUMS: &str = "cmd: b\nevents: Time\nfn=f\n1 2\npart: 2\nfn=f\n1 3\n";
const MARKER: &str = "==== NEW PROFILING FILE ====\n";

#[test]
fn runs_are_counted() {
    let runs = |texts: &[&str]| profile(texts).runs();
    assert_eq!(runs(&[TRACE]), 1);
    assert_eq!(runs(&[TRACE, SUMS]), 2);
    assert_eq!(runs(&[&[TRACE, MARKER, MARKER, TRACE].concat(), SUMS]), 3);
    // Joined by hand.
    assert_eq!(runs(&[&[TRACE, TRACE].concat()]), 2);
    // These are headers like others.
    for text in ["Runs: 0", "Runs: ", "Runs: 99999999999999999999", "Runs"] {
        let text = format!("desc: {text}\n{SUMS}");
        assert_eq!(runs(&[&text]), 1);
    }
    assert_eq!(
        runs(&[&format!("desc: Runs: {}\n{SUMS}", u64::MAX), SUMS]),
        u64::MAX
    );
}

#[test]
fn runs_and_commands_are_kept_by_what_is_written() {
    let summed = summed_up(&profile(&[TRACE, SUMS]));
    let said = "\ncmd: a.php\ndesc: Runs: 2 of 2 commands\ndesc: Command: b\n";
    assert!(summed.contains(said), "{summed}");
    let again = profile(&[&summed]);
    assert_eq!(again.runs(), 2);
    assert_eq!(summed_up(&again), summed);

    let merged = profile(&[&summed, &SUMS.replace("cmd: b", "cmd: 0")]);
    let text = summed_up(&merged);
    let said = "\ncmd: 0\ndesc: Runs: 3 of 3 commands\ndesc: Command: a.php\ndesc: Command: b\n";
    assert!(text.contains(said), "{text}");
    assert_eq!(profile(&[&[&summed[..], &text].concat()]).runs(), 5);

    let preprocessed = read_file(&write(&merged, Version::V7)).unwrap();
    assert_eq!(preprocessed.runs(), 3);
    assert!(summed_up(&preprocessed).contains(said));
}

#[test]
fn only_so_many_commands_are_named() {
    let text = |number| format!("cmd: c{number:03}\nevents: Ir\nfn=f\n1 2\n");
    let sum = |numbers: std::ops::Range<u32>| {
        let texts: Vec<_> = numbers.map(text).collect();
        summed_up(&profile(&texts))
    };
    let all = sum(0..150);
    assert!(
        all.contains("\ndesc: Runs: 150 of over 100 commands\n"),
        "{all}"
    );
    assert_eq!(all.matches("Command: ").count(), 99);
    let parts = [50..150, 0..10, 10..50].map(sum);
    assert_eq!(summed_up(&profile(&parts)), all);
    assert_eq!(summed_up(&profile(&[&all])), all);
}
