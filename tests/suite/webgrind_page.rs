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
fn function_names_and_the_command_are_text_for_the_page() {
    let text = "events: Ir\ncmd: a <b> && \"c\"\ndesc: d <e> & f\nfl=/srv/<app>/a&b.py\n\
                fn=<built-in method \"x\" & y>\n1 5\n";
    let profile = read(text, ProfileOptions::default());
    let plain = written(&profile, WriteOptions::default());
    assert_eq!(header(&plain, "cmd"), ["a <b> && \"c\""]);
    assert_eq!(plain.functions[0].name, b"<built-in method \"x\" & y>");

    let page = written(
        &profile,
        write_options(|options| options.escape_html = true),
    );
    assert_eq!(header(&page, "cmd"), ["a &lt;b> &amp;&amp; \"c\""]);
    assert_eq!(header(&page, "desc"), ["d <e> & f"]);
    assert_eq!(page.functions[0].file, b"/srv/<app>/a&b.py");
    let name = b"&lt;built-in method &quot;x&quot; &amp; y>";
    assert_eq!(page.functions[0].name, name);
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

#[test]
fn an_event_is_always_named() {
    let profile = read("events:\nfn=a\n1\n", ProfileOptions::default());
    let file = written(&profile, WriteOptions::default());
    assert_eq!(header(&file, "events"), ["Cost"]);
}

#[test]
fn a_summary_that_scaling_makes_0_is_replaced_by_the_total() {
    let text = "events: Ir Dr\nsummary: 1 3\nfn=a\n1 2000000000000\n";
    let profile = read(text, ProfileOptions::default());
    let file = written(&profile, WriteOptions::default());
    assert_eq!(header(&file, "events"), ["Ir_(x1000) Dr"]);
    assert_eq!(header(&file, "summary"), ["2000000000 3"]);
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
