//! What webgrind's reader and page need of the files that are written.

use cg_preprocess::profile::{Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::{Version, WriteOptions};

use crate::common::fixtures;
use crate::common::preprocessed::{Decoded, DecodedFunction, NOBODY, decode};
use crate::library::{linked, read, read_file, write, write_as};

/// The header lines as webgrind's reader sees them: white space taken off, split at `: `.
fn headers(file: &Decoded) -> Vec<(String, String)> {
    let blank = [' ', '\t', '\n', '\r', '\x0b', '\0'];
    let lines = file
        .headers
        .iter()
        .map(|line| String::from_utf8_lossy(line));
    let headers = lines.map(|line| {
        let (key, value) = line.trim_matches(blank).split_once(": ").unwrap();
        (key.to_owned(), value.to_owned())
    });
    headers.collect()
}

fn empty() -> Profile {
    let builder = ProfileBuilder::new(ProfileOptions::default());
    builder.finish().unwrap()
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
        let headers = headers(&file);
        assert!(headers.iter().any(|(key, _)| key == "events"));
        assert!(headers.contains(&("summary".to_owned(), "0".to_owned())));
        assert!(write(&read_file(&bytes).unwrap(), version) == bytes);
    }
}
