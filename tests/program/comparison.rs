//! Comparisons as CI jobs make them: what a base may be, limits, and exit statuses.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::runner::{bytes, fixture, messages, program, run, written};

const BASE: &str = "comparison/valgrind-base.cg";
const SLOWER: &str = "comparison/valgrind-slower.cg";

fn compare(base: &Path, new: &Path, options: &[&str]) -> Output {
    let mut command = program();
    command.arg("--base").arg(base).arg(new).args(options);
    command.output().unwrap()
}

#[test]
fn a_limit_decides_about_the_exit_status_and_the_output_is_written_all_the_same() {
    let (base, slower) = (fixture(BASE), fixture(SLOWER));
    let within = written(compare(
        &base,
        &slower,
        &["-f", "text", "--max-growth", "50%"],
    ));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("report");
    let to_file = [
        "-q",
        "-f",
        "text",
        "--max-growth",
        "49",
        "-o",
        file.to_str().unwrap(),
    ];
    let output = compare(&base, &slower, &to_file);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        messages(&output),
        "failed: the total of Ir grew by 49.33 %, from 252,433 to 376,958: more than the 49 % that are allowed; most grew hash by 124,525\n"
    );
    assert!(fs::read(file).unwrap() == within);
    let table = String::from_utf8(within).unwrap();
    assert!(table.contains("change     +124,525, +49.33 %"), "{table}");
    let faster = compare(&slower, &base, &["-f", "text", "--max-growth", "0"]);
    assert!(
        String::from_utf8(written(faster))
            .unwrap()
            .contains("change     -124,525, -33.03 %")
    );
}

#[test]
fn whatever_can_be_an_input_can_be_a_base() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let slower = fixture(SLOWER);
    let expected = written(compare(&fixture(BASE), &slower, &["-f", "json"]));
    let document: Value = serde_json::from_slice(&expected).unwrap();
    assert_eq!(document["functions"][0]["name"], "hash");
    assert_eq!(document["functions"][0]["base"]["self"], 249_150);
    for format in ["v7", "callgrind"] {
        let base = path(format);
        let converted = program()
            .args(["-f", format, "-o"])
            .arg(&base)
            .arg(fixture(BASE))
            .output();
        assert!(converted.unwrap().status.success());
        let found = written(compare(&base, &slower, &["-f", "json"]));
        let found: Value = serde_json::from_slice(&found).unwrap();
        assert_eq!(found["functions"][0], document["functions"][0], "{format}");
        assert_eq!(found["base"]["total"], 252_433, "{format}");
    }
    let dash = ["-f", "json", "--base", "-", slower.to_str().unwrap()];
    assert!(written(run(dash, &bytes(BASE))) == expected);
    let base = fixture(BASE);
    let from_input = ["-f", "json", "--base", base.to_str().unwrap(), "-"];
    assert!(written(run(from_input, &bytes(SLOWER))) == expected);
    let twice = [&["--base", base.to_str().unwrap()][..], &dash[..2]].concat();
    let output = compare(&base, &slower, &twice);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["base"]["total"], 2 * 252_433);
}

#[test]
fn a_gate_that_cannot_be_evaluated_fails() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let new = fixture(SLOWER);
    let gate = ["-q", "-f", "text", "--max-growth", "1000"];
    let empty = path("empty.cg", "");
    let begun = path("begun.cg", "version: 1\ncreator: x\nevents: Ir\n");
    let time = path("time.cg", "events: Time\nfn=a\n1 5\n");
    let missing = folder.path().join("missing.cg");
    for base in [&empty, &begun, &time, &missing] {
        let output = compare(base, &new, &gate);
        assert_eq!(output.status.code(), Some(1), "{}", base.display());
        assert!(
            messages(&output).starts_with("error: "),
            "{}",
            messages(&output)
        );
        assert!(
            messages(&output).contains(base.to_str().unwrap()),
            "{}",
            messages(&output)
        );
        assert!(output.stdout.is_empty());
    }
    let said = messages(&compare(&missing, &new, &gate));
    assert!(
        said.contains("; the base is a profile that was kept before, as with"),
        "{said}"
    );
    let output = compare(&time, &new, &gate);
    assert_eq!(
        messages(&output),
        format!(
            "error: {}: the base has costs of \"Time\", the new profile of \"Ir\"; select an event that both have\n",
            time.display()
        )
    );
    let output = compare(&time, &new, &[&gate[..], &["-e", "Ir"]].concat());
    assert_eq!(
        messages(&output),
        format!(
            "error: {}: no event \"Ir\"; the profile has Time\n",
            time.display()
        )
    );
    let output = compare(&new, &empty, &gate);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_gate_does_not_pass_over_an_empty_profile_among_several() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (base, new) = (fixture(BASE), fixture(SLOWER));
    let cut = path("cut.cg", "events: Ir\nfn=a\n1 5");
    for nothing in [
        path("empty.cg", ""),
        path("begun.cg", "version: 1\ncreator: x\nevents: Ir\n"),
    ] {
        let name = nothing.display();
        let several = [["--base", name_of(&nothing)], ["-f", "text"]].concat();
        for options in [&several[..], &["-f", "text", name_of(&nothing)]] {
            let shown = compare(&base, &new, options);
            assert!(shown.status.success() && !shown.stdout.is_empty());
            let gate = [options, &["--max-growth", "1000"]].concat();
            let output = compare(&base, &new, &gate);
            assert!(output.stdout.is_empty());
            assert_eq!(output.status.code(), Some(1));
            let expected = format!("error: {name}: no profile data, so it adds nothing; so");
            assert!(
                messages(&output).starts_with(&expected),
                "{}",
                messages(&output)
            );
        }
    }
    // What is cut off holds some data.
    let options = ["-f", "text", "--max-growth", "1000", name_of(&cut)];
    let output = compare(&base, &new, &options);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    assert!(
        messages(&output).contains("cut.cg"),
        "{}",
        messages(&output)
    );
}

#[test]
fn a_gate_does_not_pass_over_an_event_that_one_of_several_lacks() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let both = path("both.cg", "events: Ir Dr\nfn=a\n1 5 7\n");
    let other = path("other.cg", "events: Ir Dr\nfn=a\n1 5 8\n");
    let partly = path(
        "partly.cg",
        "part: 1\nevents: Ir Dr\nfn=a\n1 5 7\npart: 2\nevents: Ir\nfn=a\n1 5\n",
    );
    let lacking = path("lacking.cg", "events: Ir\nfn=a\n1 5\n");
    let preprocessed = folder.path().join("lacking.pre");
    fs::write(
        &preprocessed,
        written(run(["-f", "v7"], b"events: Ir\nfn=a\n1 5\n")),
    )
    .unwrap();
    for lacking in [&partly, &lacking, &preprocessed] {
        let name = name_of(lacking);
        for options in [&["-f", "text", "--base", name][..], &["-f", "text", name]] {
            let of_dr = [options, &["-e", "Dr"]].concat();
            let shown = compare(&both, &other, &of_dr);
            assert!(shown.status.success() && !shown.stdout.is_empty());
            let gate = [&of_dr[..], &["--max-growth", "1000"]].concat();
            let output = compare(&both, &other, &gate);
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(output.stdout.is_empty());
            let message = messages(&output);
            assert!(message.starts_with(&format!("error: {name}:")), "{message}");
            let end = "its cost counts as 0; so --max-growth cannot be checked\n";
            let ends = [end, &end.replace("its cost counts", "all its costs count")];
            assert!(ends.iter().any(|end| message.ends_with(end)), "{message}");
            // All of them have the other event.
            let gate = [options, &["-e", "Ir", "--max-growth", "1000"]].concat();
            assert_eq!(compare(&both, &other, &gate).status.code(), Some(0));
        }
    }
}

fn name_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    let (base, new) = (fixture(BASE), fixture(SLOWER));
    for options in [
        &[][..],
        &["-f", "v7"],
        &["-f", "tree"],
        &["-f", "callgrind"],
        &["-f", "json", "-e", "Ir", "-e", "Dr"],
        &["-f", "text", "--sort", "calls"],
        &["-f", "text", "--filter", "a"],
        &["-f", "text", "--function", "main"],
        &["-f", "text", "--max-growth", "five"],
        &["-f", "text", "--max-growth", ""],
    ] {
        let output = compare(&base, &new, options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
    let output = program()
        .args(["-f", "text", "--max-growth", "5"])
        .arg(&new)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let both = run(["-f", "text", "--base", "-", "-"], &bytes(BASE));
    assert_eq!(both.status.code(), Some(1));
    assert_eq!(
        messages(&both),
        "error: standard input can be read only once\n"
    );
}

#[test]
fn two_profiles_are_compared_by_their_stacks() {
    let (base, new) = ("comparison/xdebug-base.cg", "comparison/xdebug-longer.cg");
    let (base, new) = (fixture(base), fixture(new));
    let stacks = written(compare(&base, &new, &["-f", "collapsed"]));
    let stacks = String::from_utf8(stacks).unwrap();
    assert!(stacks.contains("\n{main};App\\run 2848 4779\n"), "{stacks}");
    let alone = |file: &Path| -> i64 {
        let output = program().args(["-f", "collapsed"]).arg(file).output();
        let text = String::from_utf8(written(output.unwrap())).unwrap();
        let costs = text.lines().map(|line| line.rsplit_once(' ').unwrap().1);
        costs.map(|cost| cost.parse::<i64>().unwrap()).sum()
    };
    let sum = |column: usize| -> i64 {
        let costs = stacks
            .lines()
            .map(|line| line.rsplit(' ').nth(column).unwrap());
        costs.map(|cost| cost.parse::<i64>().unwrap()).sum()
    };
    assert_eq!((sum(1), sum(0)), (alone(&base), alone(&new)));
}

#[test]
fn strictness_is_about_data_that_are_missing_on_either_side() {
    let folder = TempDir::new().unwrap();
    let cut = folder.path().join("cut.cg");
    let text = bytes(BASE);
    fs::write(&cut, &text[..text.len() - 20]).unwrap();
    let whole = fixture(BASE);
    let strict = ["-q", "-f", "json", "--strict"];
    assert!(compare(&whole, &whole, &strict).status.success());
    for (base, new, complete) in [(&cut, &whole, [false, true]), (&whole, &cut, [true, false])] {
        let output = compare(base, new, &strict);
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(messages(&output), "failed: the input is not complete\n");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = ["base", "new"].map(|side| document[side]["complete"].as_bool().unwrap());
        assert_eq!(found, complete);
        assert!(compare(base, new, &["-f", "json"]).status.success());
    }
    for (file, status) in [(&cut, 3), (&whole, 0)] {
        let output = program().args(strict).arg(file).output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["complete"], status == 0);
        assert_eq!(
            document["warnings"].as_array().unwrap().is_empty(),
            status == 0
        );
    }
}

#[test]
fn strictness_is_about_each_kind_of_loss() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let whole = "events: Ir\nfn=a\n1 5\n";
    for (name, text) in [
        ("whole", whole),
        ("undefined-id", "events: Ir\nfn=(8)\n1 5\n"),
        ("empty", ""),
        ("begun", "version: 1\ncreator: x\nevents: Ir\n"),
        ("unknown-line", "events: Ir\nfn=a\n1 5\nwhat\n"),
        ("cut-line", "events: Ir\nfn=a\n1 5\nwhat"),
        ("cut-call", "events: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n"),
        (
            "cut-run",
            "creator: xdebug 3.4.0\nevents: Ir\n\nfl=a\nfn=f\n1 5\n\n",
        ),
        ("other-event", "events: Dr\nfn=a\n1 5\n"),
    ] {
        fs::write(path(name), text).unwrap();
    }
    for (inputs, is_complete) in [
        (&["whole"][..], true),
        (&["undefined-id"], true),
        (&["whole", "empty"], false),
        (&["whole", "begun"], false),
        (&["unknown-line"], false),
        (&["cut-line"], false),
        (&["cut-call"], false),
        (&["cut-run"], false),
        (&["whole", "other-event"], false),
    ] {
        let convert = |format, options: &[&str]| {
            let mut command = program();
            command.current_dir(folder.path()).args(inputs);
            command.args(["-f", format, "--lenient"]).args(options);
            command.output().unwrap()
        };
        let (lax, strict) = (convert("json", &[]), convert("json", &["--strict"]));
        assert_eq!(lax.status.code(), Some(0), "{inputs:?}");
        let status = if is_complete { 0 } else { 3 };
        assert_eq!(strict.status.code(), Some(status), "{inputs:?}");
        assert!(strict.stdout == lax.stdout, "{inputs:?}");
        let document: Value = serde_json::from_slice(&lax.stdout).unwrap();
        assert_eq!(document["complete"], is_complete, "{inputs:?}");
        let warnings = document["warnings"].as_array().unwrap();
        assert_eq!(warnings.is_empty(), inputs == ["whole"], "{inputs:?}");
        // It is known of what was written, too, and of what is made of that.
        for format in ["v4", "v5", "v6", "v7", "callgrind"] {
            fs::write(path("made"), convert(format, &["-q"]).stdout).unwrap();
            fs::write(path("again"), convert("callgrind", &["-q"]).stdout).unwrap();
            let mut command = program();
            command.current_dir(folder.path()).args(["made", "again"]);
            let output = command.args(["-f", "json", "--strict"]).output().unwrap();
            assert_eq!(output.status.code(), Some(status), "{inputs:?}, {format}");
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let headers = document["headers"].as_array().unwrap().iter();
            let says_so = headers.filter(|header| header[1] == SAYS_INCOMPLETE);
            assert_eq!(
                says_so.count(),
                usize::from(!is_complete),
                "{inputs:?}, {format}"
            );
            let told = messages(&output)
                .matches("made from incomplete data")
                .count();
            assert_eq!(
                told,
                if is_complete { 0 } else { 2 },
                "{inputs:?}, {format}"
            );
        }
    }
}

/// What the header of an incomplete profile says.
const SAYS_INCOMPLETE: &str = "Incomplete: data were cut off, skipped or missing";

#[test]
fn a_file_that_is_its_own_base_is_told() {
    let folder = TempDir::new().unwrap();
    let base = folder.path().join("base.cg");
    fs::copy(fixture(BASE), &base).unwrap();
    let again = folder.path().join(".").join("base.cg");
    let output = compare(&base, &again, &["-f", "text", "--max-growth", "0"]);
    assert!(output.status.success());
    assert_eq!(
        messages(&output),
        format!(
            "warning: {}: is compared with itself: it is also named as the base\n",
            again.display()
        )
    );
    let other = compare(&base, &fixture(BASE), &["-f", "text", "--max-growth", "0"]);
    assert_eq!(messages(&other), "");
}

#[test]
fn a_base_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let base = folder.path().join("base.cg");
    fs::copy(fixture(BASE), &base).unwrap();
    let options = ["-f", "text", "--force", "-o", name_of(&base)];
    let output = compare(&base, &fixture(SLOWER), &options);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "error: {0}: is the same file as the input {0}",
        base.display()
    );
    assert!(
        messages(&output).starts_with(&expected),
        "{}",
        messages(&output)
    );
    assert!(fs::read(&base).unwrap() == bytes(BASE));
}

#[test]
fn the_event_that_is_asked_for_is_compared() {
    let folder = TempDir::new().unwrap();
    let [base, new] = ["base.cg", "new.cg"].map(|name| folder.path().join(name));
    fs::write(&base, "events: Ir Dr\nfn=a\n1 5 100\n").unwrap();
    fs::write(&new, "events: Ir Dr\nfn=a\n1 5 110\n").unwrap();
    let gate = ["-f", "json", "--max-growth", "9"];
    written(compare(&base, &new, &gate));
    let output = compare(&base, &new, &[&gate[..], &["-e", "Dr"]].concat());
    assert_eq!(output.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["event"], "Dr");
    assert_eq!(document["functions"][0]["new"]["self"], 110);
}

/// A profile with more events than are held at once can still be converted by one of them.
#[test]
fn what_shows_one_event_holds_no_other() {
    let folder = TempDir::new().unwrap();
    let [profile, base] = ["a.cg", "b.cg"].map(|name| folder.path().join(name));
    let events: Vec<_> = (0..65).map(|number| format!("e{number}")).collect();
    let text = format!(
        "creator: xdebug 3.4.0\nevents: {}\n\nfl=a.php\nfn={{main}}\n1 5 6\n\n",
        events.join(" ")
    );
    fs::write(&profile, &text).unwrap();
    fs::write(&base, &text).unwrap();
    for format in ["v4", "v5", "v6", "v7", "collapsed", "tree", "text"] {
        let output = program().args(["-f", format]).arg(&profile).output();
        written(output.unwrap());
    }
    for format in ["collapsed", "json", "text"] {
        written(compare(&base, &profile, &["-f", format]));
    }
    for format in ["callgrind", "json"] {
        let output = program().args(["-f", format]).arg(&profile).output();
        let message = messages(&output.unwrap());
        assert!(message.contains("more than 64 events"), "{message}");
    }
}

#[test]
fn events_stand_in_the_order_of_the_inputs_or_as_asked_for() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        (
            "one.cg",
            "events: B A\nevent: Sum = A + 2 B : Both\nfn=f\n1 1 2\n",
        ),
        ("two.cg", "events: A C B\nfn=f\n1 10 20 30\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let convert = |options: &[&str]| {
        let mut command = program();
        command.current_dir(folder.path()).arg("-q").args(options);
        let output = command.args(["one.cg", "two.cg"]).output();
        String::from_utf8(written(output.unwrap())).unwrap()
    };
    let in_json = |options: &[&str]| {
        let document = convert(&[&["-f", "json"], options].concat());
        let document: Value = serde_json::from_str(&document).unwrap();
        let events = document["events"].as_array().unwrap().iter();
        let names = events.map(|event| event["name"].as_str().unwrap().to_owned());
        (
            names.collect::<Vec<_>>().join(" "),
            document["total"].clone(),
        )
    };
    let (names, total) = in_json(&[]);
    assert_eq!(names, "A B C Sum");
    assert_eq!(total, json!([12, 31, 20, 74]));
    let (names, total) = in_json(&["-e", "C", "-e", "A", "-e", "B"]);
    assert_eq!(names, "C A B");
    assert_eq!(total, json!([20, 12, 31]));

    let in_callgrind = convert(&["-f", "callgrind"]);
    let lines = "event: Sum = A + 2 B : Both\nevents: A B C\nsummary: 12 31 20\n";
    assert!(in_callgrind.contains(lines), "{in_callgrind}");
    let in_callgrind = convert(&["-f", "callgrind", "-e", "C", "-e", "A", "-e", "B"]);
    let lines = "event: Sum = A + 2 B : Both\nevents: C A B\nsummary: 20 12 31\n";
    assert!(in_callgrind.contains(lines), "{in_callgrind}");
}

#[test]
fn several_events_are_for_formats_that_hold_them() {
    let text = "events: Ir Dr\nfn=a\n1 5 7\n";
    let report = written(run(["-f", "text", "-e", "Dr", "-e", "Ir"], text.as_bytes()));
    let report = String::from_utf8(report).unwrap();
    assert!(report.contains("self Ir"), "{report}");
    let profile = written(run(["-f", "callgrind", "-e", "Dr"], text.as_bytes()));
    let profile = String::from_utf8(profile).unwrap();
    assert!(
        profile.ends_with("events: Dr\nsummary: 7\n\nfl=\nfn=(1) a\n1 7\n\ntotals: 7\n"),
        "{profile}"
    );
    for (format, start) in [
        ("callgrind", "events: "),
        ("json", "{\n  \"schema\":2,\n  \"event\":\""),
    ] {
        // All events without any `-e`, else those in the order in which they are named.
        for (options, first, costs) in [
            (&[][..], "Ir", ["1 5 7\n", "[5,7]"]),
            (&["-e", "Dr", "-e", "Ir"], "Dr", ["1 7 5\n", "[7,5]"]),
        ] {
            let output = run([&["-f", format], options].concat(), text.as_bytes());
            let output = String::from_utf8(written(output)).unwrap();
            assert!(output.contains(&format!("{start}{first}")), "{output}");
            assert!(costs.iter().any(|costs| output.contains(costs)), "{output}");
        }
    }
    for format in ["v4", "v7", "collapsed", "tree"] {
        let output = run(["-f", format, "-e", "Dr", "-e", "Ir"], text.as_bytes());
        assert_eq!(output.status.code(), Some(2), "{format}");
    }
}

#[test]
fn a_writer_that_never_ends_its_last_line_leaves_nothing_out() {
    let yappi = run(["--strict", "-f", "text"], &bytes("producers/yappi.cg"));
    written(yappi);
    let other = run(["--strict", "-f", "text"], b"events: Ir\nfn=f\n1 123");
    assert_eq!(other.status.code(), Some(3), "{}", messages(&other));
}

#[test]
fn markdown_tells_what_was_compared_and_what_came_of_each_limit() {
    let small = fixture("xdebug3/small.cg");
    let composer = fixture("xdebug3/composer.cg");
    let markdown = |base: &Path, options: &[&str]| {
        let options = [&["-q", "-f", "markdown"], options].concat();
        String::from_utf8(compare(base, &composer, &options).stdout).unwrap()
    };
    let events = ["-e", "Time_(10ns)", "-e", "Memory_(bytes)", "--per-run"];
    let limits = ["--max-growth", "2%", "--max-growth", "{main}=99999999%"];
    let found = markdown(
        &small,
        &[&events[..], &limits, &[small.to_str().unwrap()]].concat(),
    );
    for text in [
        " %: a limit is **not** kept\n\n- **not kept**: `the total of Time_(10ns) grew by ",
        "\n- kept: `the inclusive cost of {main} may grow by 99,999,999 %`\n\nPer run: ",
        " |\n| `Time_(10ns)` | 18,389 (184 µs) | 4,024,929 (40.2 ms) | ",
        " |\n| `Memory_(bytes)` | 2,840 | 307,916 | ",
    ] {
        assert!(found.contains(text), "{text}: {found}");
    }
    let folder = TempDir::new().unwrap();
    let cut = folder.path().join("cut.cg");
    let whole = fs::read(&small).unwrap();
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let found = markdown(&cut, &[]);
    assert!(
        found.contains("\n\n**The base is not complete**"),
        "{found}"
    );
}
