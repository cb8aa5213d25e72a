//! Profiles in the callgrind format: what is written is read as the same sums.

use cg_preprocess::callgrind::{self, WriteWarning};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::Version;

use crate::common::fixtures;
use crate::common::tables::{Tables, assert_same};
use crate::library::{profile_options, read, read_file, write as write_preprocessed};

fn all_events() -> ProfileOptions {
    profile_options(|options| options.events = EventChoice::All)
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
    let objects =
        "events: Ir\nob=a\nfl=f\nfn=x\n9 5\nob=b\nfl=f\nfn=x\n4 7\ncob=a\ncfn=x\ncalls=2 9\n5 1\n";
    let file = write_preprocessed(&read(objects, ProfileOptions::default()), Version::V7);
    let alike = read_file(&file).unwrap();
    assert_eq!(alike.functions().len(), 2);
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
fn functions_are_sorted_and_each_id_is_defined_once() {
    let profile = read(
        concat!(
            "cmd: ./b\ncmd: ./a x\nevent: Sum = Ir + 2 Dr : Both\n",
            "event: Ir : Instruction Fetches\nevents: Ir Dr\n",
            "ob=libz\nfl=z.c\nfn=last\n9 5\ncob=app\ncfi=a.c\ncfn=first\ncalls=2 3\n10 7 1\n",
            "ob=app\nfl=a.c\nfn=first\n3 7 1\nfn=(below main)\n0 0 4\ncfn=first\ncalls=1 3\n8 1\n",
            "cob=libz\ncfi=z.c\ncfn=last\ncalls=1 9\n1 12 1\n",
        ),
        all_events(),
    );
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "\
# callgrind format
version: 1
creator: cg-preprocess {version}
cmd: ./a x
desc: Runs: 1 of 2 commands
desc: Command: ./b
positions: line
event: Ir : Instruction Fetches
event: Sum = Ir + 2 Dr : Both
events: Ir Dr
summary: 12 5

ob=(1) app
fl=(1) a.c
fn=(1) (below main)
0 0 4
cob=(2) libz
cfi=(2) z.c
cfn=(2) last
calls=1 9
1 12 1
cfn=(3) first
calls=1 3
8 1

fn=(3)
3 7 1

ob=(2)
fl=(2)
fn=(2)
9 5
cob=(1)
cfi=(1)
cfn=(3)
calls=2 3
10 7 1

totals: 12 5
"
    );
    assert_eq!(written(&profile), expected);
}

/// KCachegrind takes the object and file of the line that defines an id for those of its function.
#[test]
fn functions_of_one_name_have_ids_of_their_own() {
    let profile = read(
        concat!(
            "events: Ir\nfl=a.php\nfn=run\n1 5\nfl=b.php\nfn=run\n2 7\n",
            "fl=main.php\nfn={main}\n1 1\ncfi=b.php\ncfn=run\ncalls=1 2\n3 7\n",
            "cfi=a.php\ncfn=run\ncalls=1 1\n4 5\n",
        ),
        all_events(),
    );
    let text = written(&profile);
    let expected = concat!(
        "\nfl=(1) a.php\nfn=(1) run\n1 5\n\nfl=(2) b.php\nfn=(2) run\n2 7\n\n",
        "fl=(3) main.php\nfn=(3) {main}\n1 1\ncfi=(2)\ncfn=(2)\ncalls=1 2\n3 7\n",
        "cfi=(1)\ncfn=(1)\ncalls=1 1\n4 5\n\ntotals: 13\n",
    );
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn events_that_are_left_out_take_the_formulas_along() {
    let text = "event: Sum = Ir + 2 Dr\nevent: Dr : Reads\nevents: Ir Dr\nfn=a\n1 5 7\n";
    let events = |names: &[&str]| {
        let options = profile_options(|options| {
            options.events = EventChoice::Named(names.iter().map(|&name| name.into()).collect())
        });
        let text = written(&read(text, options));
        let lines = text.lines().filter(|line| line.starts_with("event"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        events(&["Dr", "Ir"]),
        [
            "event: Dr : Reads",
            "event: Sum = Ir + 2 Dr",
            "events: Dr Ir"
        ]
    );
    assert_eq!(events(&["Ir"]), ["events: Ir"]);
    assert_eq!(
        events(&["Sum", "Ir", "Dr"]),
        ["event: Dr : Reads", "events: Sum Ir Dr"]
    );
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
            "events: Ir\nfl=f\nfn=aXbY\n1 1\nfn=Zc\n2 2\n",
            ProfileOptions::default(),
        ),
        Version::V7,
    );
    replace(&mut file, b"aXbY", b"aXb\r");
    replace(&mut file, b"Zc", b" c");
    let profile = read_file(&file).unwrap();
    let (text, warnings) = write(&profile);
    assert_eq!(warnings, [WriteWarning::SpelledNames(2)]);
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("fn=(2) aXb\\x0d\n1 1\n"), "{text}");
    assert!(text.contains("fn=(1) \\x20c\n2 2\n"), "{text}");
    let again = read(&text, all_events());
    assert_eq!(text.as_bytes(), write(&again).0);
}

fn replace(file: &mut [u8], from: &[u8], to: &[u8]) {
    let at = file.windows(from.len()).position(|window| window == from);
    let at = at.unwrap();
    file[at..at + to.len()].copy_from_slice(to);
}

#[test]
fn sums_of_64_bits_are_written_and_larger_ones_refused() {
    let largest =
        "events: Ir\nfn=a\n1 9223372036854775806\ncfn=b\ncalls=18446744073709551614 1\n1 0\n";
    let profile = read(largest, all_events());
    let text = written(&profile);
    assert!(text.contains("\n1 9223372036854775806\n"), "{text}");
    assert!(text.contains("\ncalls=18446744073709551614 1\n"), "{text}");
    for too_large in [
        "events: Ir\nfn=a\n1 9223372036854775806\n1 1\n",
        "events: Ir Dr\nfn=a\n1 0 9223372036854775806\n1 0 1\n",
        "events: Ir\nfn=a\n1 9223372036854775806\nfn=b\n1 1\n",
        "events: Ir\nfn=a\n1 1\ncfn=b\ncalls=18446744073709551614 1\n1 0\ncfn=b\ncalls=1 1\n1 0\n",
    ] {
        let mut output = Vec::new();
        let error = callgrind::write(&read(too_large, all_events()), &mut output);
        let message = error.unwrap_err().to_string();
        assert_eq!(message, "some sums do not fit into 64 bits", "{too_large}");
        assert!(output.is_empty());
    }
}

#[test]
fn inclusive_costs_that_get_lost_are_told() {
    let text = "events: Ir\nfn=a\n1 5\ncfn=a\ncalls=1 1\n2 3\n";
    let mut options = all_events();
    options.inclusive = InclusiveCost::Outermost;
    let (_, warnings) = write(&read(text, options));
    assert_eq!(warnings, [WriteWarning::InclusiveCosts(1)]);
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
