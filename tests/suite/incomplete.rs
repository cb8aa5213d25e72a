//! What becomes of a comparison, with a limit or strictly, where something is wrong with an input:
//! on either side, beside inputs that are whole, and with another input that is wrong.

use std::fs;
use std::path::Path;

use cg_preprocess::compare::Limit;
use cg_preprocess::io::{Source, Target};
use cg_preprocess::profile::EventChoice;
use cg_preprocess::run::{ConvertOptions, Format, convert};
use cg_preprocess::webgrind::OnOverflow;
use tempfile::TempDir;

const WHOLE: &str = "events: Ir\nfn=a\n1 100\n";

/// What is wrong with an input, and what becomes of a comparison of this input with a whole one: the
/// input as the new side, as the base, as one of two on the new side, and as one of the base. Each
/// without a limit, with one that everything keeps, and strictly: the exit status of the program.
const TABLE: [(&str, [&str; 4]); 10] = [
    ("whole", ["000", "000", "000", "000"]),
    ("cut", ["003", "003", "003", "003"]),
    ("saturated", ["010", "010", "010", "010"]),
    ("begun", ["013", "013", "013", "013"]),
    ("empty", ["111", "111", "013", "013"]),
    ("headers", ["111", "111", "013", "013"]),
    ("other event", ["111", "111", "013", "013"]),
    ("other event.pre", ["111", "111", "013", "013"]),
    ("partly", ["013", "013", "013", "013"]),
    ("missing", ["111", "111", "111", "111"]),
];

/// A folder with an input of each kind, and with whole ones.
fn inputs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let headers = "version: 1\ncreator: xdebug 3.4.0\nevents: Ir\n";
    let other_event = WHOLE.replace("Ir", "Dr");
    for name in ["whole", "second", "third"] {
        write(name, WHOLE);
    }
    write("cut", WHOLE.trim_end());
    write("empty", "");
    write("headers", headers);
    write("other event", &other_event);
    write(
        "partly",
        "part: 1\nevents: Ir Dr\nfn=a\n1 60 40\npart: 2\nevents: Dr\nfn=a\n1 40\n",
    );
    write("large", &WHOLE.replace("100", "5000000000"));
    let mut options = ConvertOptions::default();
    options.webgrind.on_overflow = OnOverflow::Saturate;
    options.allow_empty = true;
    for (name, from) in [
        ("saturated", "large"),
        ("begun", "headers"),
        ("other event.pre", "other event"),
    ] {
        let [from, to] = [from, name].map(|name| folder.path().join(name));
        convert(&[Source::File(from)], &Target::File(to), &options).unwrap();
    }
    folder
}

/// The exit status, as the program has it, without a limit, with one and strictly. There is an output
/// unless it is 1.
fn statuses(folder: &Path, base: &[&str], new: &[&str]) -> String {
    let sources = |names: &[&str]| -> Vec<Source> {
        let paths = names.iter().map(|name| folder.join(name));
        paths.map(Source::File).collect()
    };
    let status = |has_limit: bool, is_strict: bool| {
        let mut options = ConvertOptions::default();
        options.format = Format::Text;
        options.events = EventChoice::Matching(vec![b"Ir".to_vec()]);
        options.base = sources(base);
        let limit = has_limit.then(|| Limit::growth(b"999999999").unwrap());
        options.limits.extend(limit);
        let output = tempfile::tempdir().unwrap();
        let path = output.path().join("output");
        let outcome = convert(&sources(new), &Target::File(path.clone()), &options);
        assert_eq!(path.exists(), outcome.is_ok());
        match outcome {
            Err(_) => '1',
            Ok(report) if is_strict && !report.is_complete() => '3',
            Ok(report) => {
                assert!(report.verdicts.iter().all(|verdict| verdict.passed()));
                '0'
            }
        }
    };
    [(false, false), (true, false), (false, true)]
        .map(|(has_limit, is_strict)| status(has_limit, is_strict))
        .iter()
        .collect()
}

#[test]
fn an_input_that_is_not_whole_is_noticed_on_either_side() {
    let inputs = inputs();
    for (name, expected) in TABLE {
        let found = [
            (&["third"][..], &[name][..]),
            (&[name], &["third"]),
            (&["third"], &["second", name]),
            (&["third", name], &["second"]),
        ]
        .map(|(base, new)| statuses(inputs.path(), base, new));
        assert_eq!(found, expected, "{name}");
    }
}

/// Two of them, one on each side or both on one, are as bad as the worse.
#[test]
fn two_inputs_that_are_not_whole_do_not_hide_each_other() {
    let inputs = inputs();
    for (one, of_one) in TABLE {
        for (other, of_other) in TABLE {
            let copy = inputs.path().join("copy");
            let other = match fs::copy(inputs.path().join(other), &copy) {
                Ok(_) => "copy",
                Err(_) => "missing",
            };
            let worse = |with: usize| -> String {
                let both = of_one[with].chars().zip(of_other[with].chars());
                both.map(|(one, other)| match (one, other) {
                    ('1', _) | (_, '1') => '1',
                    (one, other) => one.max(other),
                })
                .collect()
            };
            for (base, new, expected) in [
                (&["third", one][..], &["second", other][..], worse(2)),
                (&["third"], &["second", one, other], worse(2)),
                (&["third", one, other], &["second"], worse(3)),
            ] {
                let found = statuses(inputs.path(), base, new);
                assert_eq!(found, expected, "{base:?} {new:?}");
            }
        }
    }
}

/// Alone, each as the base of another.
#[test]
fn a_limit_needs_two_sides_that_are_whole() {
    let inputs = inputs();
    for (base, [_, as_base, ..]) in TABLE {
        for (new, [as_new, ..]) in TABLE {
            let copy = inputs.path().join("copy");
            let copied = fs::copy(inputs.path().join(new), &copy).map_or("missing", |_| "copy");
            let found = statuses(inputs.path(), &[base], &[copied]);
            let can_tell = as_base[1..2] == *"0" && as_new[1..2] == *"0";
            assert_eq!(found[1..2] == *"0", can_tell, "{base} {new}");
        }
    }
}
