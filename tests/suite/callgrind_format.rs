//! Profiles in the callgrind format: what is written is read as the same sums.

use cg_preprocess::callgrind::{self, WriteWarning};
use cg_preprocess::profile::{EventChoice, Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::Version;

use crate::common::fixtures;
use crate::common::tables::{Tables, assert_same};
use crate::library::{profile_options, read, read_file, write as write_preprocessed};

fn all_events() -> ProfileOptions {
    profile_options(|options| {
        options.events = EventChoice::All;
        options.call_files = true;
    })
}

fn write(profile: &Profile) -> (Vec<u8>, Vec<WriteWarning>) {
    let mut output = Vec::new();
    let warnings = callgrind::write(profile, &mut output).unwrap();
    (output, warnings)
}

fn written(profile: &Profile) -> String {
    let (output, warnings) = write(profile);
    assert_eq!(warnings, []);
    String::from_utf8(output).unwrap()
}

/// All that the format holds of a profile.
fn sums(profile: &Profile) -> Tables {
    let mut sums = Tables::of(profile).sums();
    // How often a function is invoked follows from its calls.
    sums.functions
        .iter_mut()
        .for_each(|row| row.invocations = 0);
    sums
}

#[test]
fn every_fixture_comes_back_and_is_written_again_as_the_same_bytes() {
    for folder in [
        "xdebug2",
        "xdebug3",
        "valgrind",
        "other",
        "producers",
        "reports",
    ] {
        for path in fixtures::files_below(&fixtures::path(folder)) {
            let name = fixtures::short(&path);
            if !name.ends_with(".cg") && !name.ends_with(".out") {
                continue;
            }
            let profile = read(std::fs::read(&path).unwrap(), all_events());
            let (text, warnings) = write(&profile);
            assert_eq!(warnings, [], "{name}");
            let again = read(&text, all_events());
            assert_eq!(profile.totals(), again.totals(), "{name}");
            assert_eq!(profile.events(), again.events(), "{name}");
            assert_eq!(
                profile.event_definitions(),
                again.event_definitions(),
                "{name}"
            );
            assert_same(&sums(&again), &sums(&profile), &name);
            if profile.kind() == again.kind() {
                assert_eq!(invocations(&again), invocations(&profile), "{name}");
            }
            assert!(text == write(&again).0, "{name}");
        }
    }
}

#[test]
fn the_units_of_xdebug_2_come_back() {
    let profile = |creator: &str| {
        let text = format!("creator: {creator}\nevents: Time Memory\nfn={{main}}\n1 5 7\n");
        read(text, all_events())
    };
    let units = |profile: &Profile| {
        let units = profile.events().iter().map(|event| profile.unit(event));
        units.collect::<Vec<_>>()
    };
    let again = |profile: &Profile| read(written(profile), all_events());

    let of_xdebug_2 = again(&profile("xdebug 2.9.8"));
    assert_eq!(units(&of_xdebug_2), ["us", "bytes"]);
    assert_eq!(written(&again(&of_xdebug_2)), written(&of_xdebug_2));
    assert_eq!(units(&again(&profile("any"))), ["", ""]);

    let merged = |other: Profile| {
        let mut merged = again(&profile("xdebug 2.9.8"));
        merged.merge(other).unwrap();
        again(&merged)
    };
    assert_eq!(units(&merged(profile("xdebug 2.6.0"))), ["us", "bytes"]);
    assert_eq!(units(&merged(profile("any"))), ["", ""]);
}

#[test]
fn preprocessed_files_come_back_and_functions_that_look_alike_in_them_become_one() {
    let objects = "events: Ir\nob=a\nfl=f\nfn=x\n9 5\nob=b\nfl=f\nfn=x\n4 7\ncob=a\ncfn=x\ncalls=2 9\n5 1\n\
         ob=c\nfl=f\nfn=x\n0 0\n";
    let file = write_preprocessed(&read(objects, ProfileOptions::default()), Version::V7);
    let alike = read_file(&file).unwrap();
    assert_eq!(alike.functions().len(), 3);
    let text = written(&alike);
    assert!(
        text.ends_with("\nfl=(1) f\nfn=(1) x\n4 12\ncfn=(1)\ncalls=2 4\n5 1\n\ntotals: 12\n"),
        "{text}"
    );

    let files = fixtures::files_below(&fixtures::folder());
    let goldens = files
        .iter()
        .filter(|path| path.to_string_lossy().ends_with("7.pre"));
    let mut profiles = vec![alike];
    profiles.extend(goldens.map(|path| read_file(&std::fs::read(path).unwrap()).unwrap()));
    assert!(profiles.len() > 5);
    for profile in profiles {
        let (text, _) = write(&profile);
        let again = read(&text, all_events());
        assert_eq!(sums(&profile), sums(&again));
        assert!(text == write(&again).0);
    }
}

/// How often functions are invoked that somebody calls.
fn invocations(profile: &Profile) -> Vec<u64> {
    let mut functions = Tables::of(profile).sums().functions;
    functions.retain(|row| row.called_from.iter().any(|call| call.calls > 0));
    functions.iter().map(|row| row.invocations).collect()
}

#[test]
fn names_come_back_whatever_they_are() {
    let names: [&[u8]; 8] = [
        b"(8)",
        b"(8) eight",
        b"(below main)",
        b"",
        b"caf\xe9\0\x1b",
        b"a=b: c",
        b"# no comment",
        b"ends blank ",
    ];
    let mut text = b"events: Ir\n".to_vec();
    for (id, name) in names.iter().enumerate() {
        let line = format!("fn=({}) ", id + 100);
        let line = if name.is_empty() { "fn=" } else { &line };
        text.extend([line.as_bytes(), name, b"\n1 1\n"].concat());
    }
    let profile = read(&text, all_events());
    let (written, warnings) = write(&profile);
    assert_eq!(warnings, []);
    let again = read(&written, all_events());
    assert_eq!(sums(&profile), sums(&again));
    assert_eq!(again.functions().len(), names.len());
}

#[test]
fn names_that_would_break_a_line_are_spelled() {
    // Preprocessed files may hold what no line of a callgrind profile can.
    let mut file = write_preprocessed(
        &read(
            "events: Ir\nfl=f\nfn=aXbY\n1 1\nfn=Zc\n2 2\nfn=Yc\n3 3\n",
            ProfileOptions::default(),
        ),
        Version::V7,
    );
    replace(&mut file, b"aXbY", b"aXb\r");
    replace(&mut file, b"Zc", b" c");
    replace(&mut file, b"Yc", b"\tc");
    let profile = read_file(&file).unwrap();
    let (text, warnings) = write(&profile);
    assert_eq!(warnings, [WriteWarning::SpelledNames(3)]);
    let text = String::from_utf8(text).unwrap();
    for function in ["(1) \\x09c\n3 3", "(2) \\x20c\n2 2", "(3) aXb\\x0d\n1 1"] {
        assert!(text.contains(&format!("fn={function}\n")), "{text}");
    }
    let again = read(&text, all_events());
    assert_eq!(text.as_bytes(), write(&again).0);
}

/// Of formulas and long names that differ, the least by bytes, whichever comes first.
#[test]
fn the_order_of_different_definitions_does_not_matter() {
    let texts = [
        "Sum = Ir + Dr : One\nevent: Ir : Fetches",
        "Sum = 2 Ir : Other\nevent: Ir : Reads",
    ];
    let profile = |definitions: &str| {
        let text = format!("event: {definitions}\nevents: Ir Dr\nfn=a\n1 5 7\n");
        read(text, all_events())
    };
    let merged = |[one, other]: [&str; 2]| {
        let mut merged = profile(one);
        merged.merge(profile(other)).unwrap();
        written(&merged)
    };
    let [one, other] = texts;
    assert_eq!(merged([one, other]), merged([other, one]));
}

/// A function is not lost because nobody calls it, and it costs nothing.
#[test]
fn functions_without_costs_and_calls_are_kept() {
    let text = "events: Ir\nfn=f\n1 5\ncfn=h\ncalls=0 3\n1 0\nfn=g\n2 0\nfn=h\n3 0\n";
    let mut file = write_preprocessed(&read(text, ProfileOptions::default()), Version::V7);
    let names = |text: &str| {
        let again = read(text, all_events());
        let functions = Tables::of(&again).functions.into_iter();
        let functions = functions.map(|row| (row.name, row.invocations));
        functions.collect::<Vec<_>>()
    };
    let expected = [("f", 1), ("h", 1), ("g", 1)].map(|(name, count)| (name.to_owned(), count));
    let mut found = names(&written(&read_file(&file).unwrap()));
    found.sort();
    let mut sorted = expected.to_vec();
    sorted.sort();
    assert_eq!(found, sorted);
    // The same of one that was not even invoked: its third number after the line.
    let of_g = u32::from_le_bytes(file[20..24].try_into().unwrap()) as usize;
    file[of_g + 12..of_g + 16].fill(0);
    assert_eq!(names(&written(&read_file(&file).unwrap())).len(), 3);
}

fn replace(file: &mut [u8], from: &[u8], to: &[u8]) {
    let at = file.windows(from.len()).position(|window| window == from);
    let at = at.unwrap();
    file[at..at + to.len()].copy_from_slice(to);
}

#[test]
fn calls_are_listed_as_they_are_where_proxies_are_stepped_over() {
    let text = fixtures::bytes("xdebug3/proxies.cg");
    let lists = |proxies: &[&[u8]]| {
        let mut options = all_events();
        options.proxies = proxies.iter().map(|&name| name.into()).collect();
        let profile = read(&text, options);
        let calls = |profile: &Profile| -> Vec<_> {
            let rows = sums(profile).functions.into_iter();
            rows.map(|row| (row.name, row.sub_calls)).collect()
        };
        let again = calls(&read(write(&profile).0, all_events()));
        assert_eq!(again, calls(&profile));
        again
    };
    assert_ne!(lists(&[b"php::call_user_func"]), lists(&[]));
}

#[test]
fn the_order_and_grouping_of_inputs_does_not_matter() {
    let names = [
        "valgrind/combine.cg",
        "valgrind/instr.cg",
        "xdebug3/small.cg",
        "xdebug3/features.cg",
    ];
    let profile = |name: &str| -> Profile {
        let mut builder = ProfileBuilder::new(all_events());
        let text = fixtures::bytes(name);
        callgrind::read(
            text.as_slice(),
            name,
            &callgrind::Options::default(),
            &mut builder,
        )
        .unwrap();
        builder.finish().unwrap()
    };
    let merged = |names: &[&str]| {
        let profiles = names.iter().map(|name| profile(name));
        let merged = profiles.reduce(|mut one, other| {
            one.merge(other).unwrap();
            one
        });
        merged.unwrap()
    };
    let text_of = |profile: &Profile| {
        let (text, _) = write(profile);
        // The events stand in the order of the first input.
        String::from_utf8(text).unwrap()
    };
    let [a, b, c, d] = names;
    let order = ["Ir", "Time_(10ns)"]
        .map(|name| name.as_bytes().to_vec())
        .to_vec();
    let chosen = |profile: &Profile| {
        let options = profile_options(|options| options.events = EventChoice::Named(order.clone()));
        read(text_of(profile), options)
    };
    let expected = text_of(&chosen(&merged(&names)));
    for names in [[b, a, d, c], [d, c, b, a], [c, a, b, d]] {
        assert!(text_of(&chosen(&merged(&names))) == expected, "{names:?}");
    }
    let mut groups = chosen(&merged(&[d, a]));
    groups.merge(chosen(&merged(&[c, b]))).unwrap();
    assert!(text_of(&groups) == expected);
}

#[test]
fn runs_and_commands_are_kept_by_preprocessed_files() {
    let profile = |text: &str| read(text, all_events());
    let mut both = profile("cmd: b\nevents: Ir\nfn=f\n1 2\n");
    both.merge(profile("cmd: a\nevents: Ir\nfn=f\n1 3\n"))
        .unwrap();
    let again = read_file(&write_preprocessed(&both, Version::V7)).unwrap();
    assert_eq!(again.runs(), 2);
    let said = "\ncmd: a\ndesc: Runs: 2 of 2 commands\ndesc: Command: b\n";
    assert!(written(&again).contains(said));
}

#[test]
fn only_so_many_commands_are_named() {
    let profile = |text: String| read(text, all_events());
    let sum = |texts: Vec<String>| {
        let profiles = texts.into_iter().map(profile);
        let sum = profiles.reduce(|mut one, other| {
            one.merge(other).unwrap();
            one
        });
        written(&sum.unwrap())
    };
    let some = |numbers: std::ops::Range<u32>| {
        let texts = numbers.map(|number| format!("cmd: c{number:03}\nevents: Ir\nfn=f\n1 2\n"));
        sum(texts.collect())
    };
    let all = some(0..150);
    let said = "\ndesc: Runs: 150 of over 100 commands\n";
    assert!(all.contains(said), "{all}");
    assert_eq!(all.matches("Command: ").count(), 99);
    assert_eq!(sum([50..150, 0..10, 10..50].map(some).into()), all);
    assert_eq!(sum(vec![all.clone()]), all);
}
