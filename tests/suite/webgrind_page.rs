//! What webgrind's reader needs of the files that are written.

use std::io::Cursor;

use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, Version, WriteOptions};

use crate::fixtures;
use crate::library::{linked, read, write_as};
use crate::preprocessed::{Decoded, decode};

fn written(profile: &Profile, options: WriteOptions) -> Decoded {
    decode(&write_as(profile, options).0)
}

/// The header lines as webgrind's reader sees them: white space taken off, split at `: `.
fn headers(file: &Decoded) -> Vec<(String, String)> {
    let blank = [' ', '\t', '\n', '\r', '\x0b', '\0'];
    let split = |line: &Vec<u8>| {
        let line = String::from_utf8_lossy(line);
        let (key, value) = line.trim_matches(blank).split_once(": ").unwrap();
        (key.to_owned(), value.to_owned())
    };
    file.headers.iter().map(split).collect()
}

fn header(file: &Decoded, key: &str) -> Vec<String> {
    let headers = headers(file).into_iter();
    let found = headers.filter(|(found, _)| found == key);
    found.map(|(_, value)| value).collect()
}

#[test]
fn the_size_that_is_said_is_that_of_the_file() {
    let calls = "fn=a<b&\"c\n1 5000000000\ncfn=d<e>\ncalls=3 4\n7 5000000000\n";
    let profiles = [
        read(fixtures::bytes("xdebug2/composer.cg"), linked()),
        read(fixtures::bytes("xdebug3/features.cg"), linked()),
        read(fixtures::bytes("valgrind/threads-02.cg"), linked()),
        read(format!("events: Ir\ncmd: a && b\n{calls}"), linked()),
        read(
            format!("creator: xdebug 3\nevents: Time_(10ns)\n{calls}"),
            linked(),
        ),
    ];
    for profile in &profiles {
        for version in Version::ALL {
            for on_overflow in [OnOverflow::Scale, OnOverflow::Saturate] {
                let options = WriteOptions::new(version).on_overflow(on_overflow);
                let mut file = Cursor::new(Vec::new());
                let written = webgrind::write(profile, &options, &mut file).unwrap();
                assert_eq!(written.bytes, file.into_inner().len() as u64, "{options:?}");
            }
        }
    }
}

#[test]
fn a_summary_that_is_0_beside_others_stays() {
    let text = "creator: xdebug 3.2.0\nevents: Time_(10ns)\nsummary: 9000000000000 7\nfn={main}\n\
                1 9000000000000\n==== NEW PROFILING FILE ====\ncreator: xdebug 3.2.0\n\
                events: Time_(10ns)\nsummary: 3 7\nfn={main}\n1 3\n";
    let profile = read(text, ProfileOptions::default());
    let file = written(&profile, WriteOptions::default());
    assert_eq!(header(&file, "summary"), ["900000000 7", "0 7"]);
}

#[test]
fn call_costs_of_v4_that_only_fit_one_by_one_are_scaled() {
    // Both calls fit, and so does all that single invocations hold; the sum of the calls does not.
    let text = "creator: xdebug 3.2.0\nevents: Time_(10ns)\nfn=f\n1 0\nfn=g\n1 0\ncfn=f\ncalls=1 0\n\
                2 3000000000\nfn=f\n1 0\nfn={main}\n1 0\ncfn=f\ncalls=1 0\n3 3000000000\nsummary: 5\n";
    let file = written(&read(text, linked()), WriteOptions::new(Version::V4));
    assert_eq!(header(&file, "events"), ["Time_(us)"]);
    let f = &file.functions[0];
    assert_eq!((f.call_cost, f.invocation_count), (60_000_000, 2));
}
