//! What webgrind's reader and page need of the files that are written.

use std::io::Cursor;

use cg_preprocess::profile::{Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, Version, WriteOptions};

use crate::common::fixtures;
use crate::common::preprocessed::{Decoded, DecodedFunction, NOBODY, decode};
use crate::library::{linked, read, read_file, write, write_as, write_options};

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

fn empty() -> Profile {
    let builder = ProfileBuilder::new(ProfileOptions::default());
    builder.finish().unwrap()
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
        empty(),
    ];
    for profile in &profiles {
        for version in Version::ALL {
            for on_overflow in [OnOverflow::Scale, OnOverflow::Saturate] {
                for escape_html in [false, true] {
                    let options = write_options(|options| {
                        options.version = version;
                        options.on_overflow = on_overflow;
                        options.escape_html = escape_html;
                    });
                    let mut file = Cursor::new(Vec::new());
                    let written = webgrind::write(profile, &options, &mut file).unwrap();
                    assert_eq!(written.bytes, file.into_inner().len() as u64, "{options:?}");
                }
            }
        }
    }
}

#[test]
fn names_of_php_are_the_same_for_the_page() {
    for path in ["xdebug2/composer.cg", "xdebug3/features.cg"] {
        let profile = read(fixtures::bytes(path), linked());
        for version in Version::ALL {
            let mut options = WriteOptions::new(version);
            let plain = write_as(&profile, options);
            options.escape_html = true;
            assert!(plain == write_as(&profile, options), "{path}");
        }
    }
}

#[test]
fn a_profile_without_functions_is_a_main_that_was_called() {
    for version in Version::ALL {
        let (bytes, warnings) = write_as(&empty(), WriteOptions::new(version));
        assert_eq!(warnings, []);
        let file = decode(&bytes);
        let [main] = &file.functions[..] else {
            panic!("{} functions", file.functions.len());
        };
        for invocation in &main.invocations {
            assert_eq!((invocation.caller, invocation.inclusive), (NOBODY, 0));
        }
        let expected = DecodedFunction {
            name: b"{main}".to_vec(),
            invocation_count: 1,
            invocations: main.invocations.clone(),
            ..DecodedFunction::default()
        };
        assert_eq!(*main, expected);
        assert_eq!(header(&file, "events").len(), 1);
        assert_eq!(header(&file, "summary"), ["0"]);
        assert!(write(&read_file(&bytes).unwrap(), version) == bytes);
    }
}

#[test]
fn header_lines_without_a_value_are_left_out() {
    let text = "cmd:\ncreator: \t\npid: 0\ndesc: \0\nevents: Ir\nfn=a\n1 5\n";
    let profile = read(text, ProfileOptions::default());
    for version in Version::ALL {
        let file = written(&profile, WriteOptions::new(version));
        let keys: Vec<_> = headers(&file).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["pid", "events", "summary"]);
    }
}
