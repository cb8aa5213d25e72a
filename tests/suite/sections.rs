//! Runs and parts: which of them are cut off, and what their summaries become.

use cg_preprocess::profile::ProfileKind;

use crate::library::{Reading, headers, listing};

const TRACE: &str = "version: 1\ncreator: xdebug 3.2.0\nevents: Time Memory\n\n";

/// A whole run: `{main}` calls `f`.
const RUN: &str = "fl=(1) a.php\nfn=(1) f\n5 10 0\n\n\
                   fl=(1)\nfn=(2) {main}\n1 4 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n2 10 0\n\n";

/// Between runs in append mode.
const NEXT: &str = "\n==== NEW PROFILING FILE ==============================================\n";

/// The headers and the warnings of a text.
#[track_caller]
fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let (profile, warnings) = Reading::default().read([text.as_bytes()]).unwrap();
    (headers(&profile), warnings)
}

/// All `summary:` lines.
fn summaries(text: &str) -> Vec<String> {
    let (mut headers, _) = read(text);
    headers.retain(|line| line.starts_with("summary"));
    headers
}

/// How a run without `{main}` is reported.
const CUT_OFF: &str = "the profile is cut off: functions that had not returned, {main} among them, \
                       are missing with their self costs; its writer was killed or is still running";

#[test]
fn a_cut_off_run_among_whole_ones_is_reported() {
    let whole = format!("{TRACE}{RUN}");
    let cut = "fl=(1) a.php\nfn=(1) f\n5 10 0\n\n";
    assert_eq!(read(&whole).1, [""; 0]);
    for runs in 1..4 {
        let before = [&whole[..], NEXT].concat().repeat(runs);
        assert_eq!(read(&format!("{before}{whole}")).1, [""; 0]);
        let (_, warnings) = read(&format!("{before}{TRACE}{cut}"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].ends_with(CUT_OFF), "{warnings:?}");
        // And one before whole ones.
        let (_, warnings) = read(&format!("{TRACE}{cut}{NEXT}{before}{whole}"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].ends_with(CUT_OFF), "{warnings:?}");
    }
}

#[test]
fn a_part_of_valgrind_without_its_totals_is_told() {
    let part = |number: u32, end: &str| {
        format!("part: {number}\nevents: Ir\nsummary: 5\nfn=f\n1 5\n{end}\n")
    };
    let head = "version: 1\ncreator: callgrind-3.19.0\n";
    let totals = "totals: 5\n";
    let whole = format!("{head}{}{}", part(1, totals), part(2, totals));
    assert_eq!(read(&whole).1, [""; 0]);
    for (first, second) in [("", totals), (totals, ""), ("", "")] {
        let text = format!("{head}{}{}", part(1, first), part(2, second));
        let (_, warnings) = read(&text);
        let cut = usize::from(first.is_empty()) + usize::from(second.is_empty());
        assert_eq!(warnings.len(), cut, "{warnings:?}");
        assert!(
            warnings
                .iter()
                .all(|warning| warning.contains("before its \"totals:\" line"))
        );
    }
    // Others end their parts with nothing.
    let others = whole.replace(totals, "").replace("callgrind-", "another-");
    assert_eq!(read(&others).1, [""; 0]);
}

#[test]
fn a_summary_that_is_right_counts_as_whole_without_its_newline() {
    let whole = format!("{TRACE}{RUN}summary: 14 0");
    let (headers, warnings) = read(&whole);
    assert_eq!(headers.last().unwrap(), "summary: 14 0");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("has no end"), "{warnings:?}");
    // Less than the costs that it sums up: digits are missing.
    let cut = format!("{TRACE}{RUN}summary: 1");
    let (headers, warnings) = read(&cut);
    assert!(headers.contains(&"summary: 14".to_owned()), "{headers:?}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("cut off within this line"),
        "{warnings:?}"
    );
}

#[test]
fn what_costs_nothing_keeps_its_summary() {
    // Nothing to put right: no cost at all.
    let text = "events: Ir Dr\nsummary: 0 7\nfn=f\n1 0 7\n";
    assert_eq!(summaries(text), ["summary: 0 7"]);
    assert_eq!(summaries("events: Ir\nfn=f\n1 0\n"), ["summary: 0"]);
    // A part without any cost of the selected event, next to one with some.
    let text = "part: 1\nevents: Ir Dr\nsummary: 0 7\nfn=f\n1 0 7\n\
                part: 2\nevents: Ir Dr\nsummary: 5 1\nfn=f\n1 5 1\n";
    assert_eq!(summaries(text), ["summary: 0 7", "summary: 5 1"]);
    let without = text.replace("summary: 0 7\n", "");
    assert_eq!(summaries(&without), ["summary: 5 1"]);
}

#[test]
fn each_part_without_its_summary_gets_its_own() {
    let part = |number: i32, summary: &str, cost: i32| {
        format!("part: {number}\nevents: Ir\n{summary}fn=f\n1 {cost}\n")
    };
    // Client requests of Valgrind write zeros.
    let text = [
        part(1, "summary: 0\n", 5),
        part(2, "summary: 6\n", 6),
        part(3, "summary: 0\n", 7),
    ];
    assert_eq!(
        summaries(&text.concat()),
        ["summary: 5", "summary: 6", "summary: 7"]
    );
    let text = [part(1, "", 5), part(2, "summary: 6\n", 6), part(3, "", 7)];
    let mut found = summaries(&text.concat());
    found.sort();
    assert_eq!(found, ["summary: 5", "summary: 6", "summary: 7"]);
    let text = [part(1, "", 5), part(2, "", 6)];
    assert_eq!(summaries(&text.concat()), ["summary: 11"]);
}

#[test]
fn two_summaries_of_one_part_are_kept() {
    let text = "events: Ir\nsummary: 3\nsummary: 2\nfn=f\n1 5\n";
    assert_eq!(summaries(text), ["summary: 3", "summary: 2"]);
    // Taken together, they sum up something.
    let text = "events: Ir\nsummary: 0\nsummary: 3\nfn=f\n1 6\n";
    assert_eq!(summaries(text), ["summary: 0", "summary: 3"]);
    // Where they sum up nothing, one of them is put right.
    let text = "events: Ir\nsummary: 0\nsummary: 0\nfn=f\n1 5\n";
    assert_eq!(summaries(text), ["summary: 5", "summary: 0"]);
}

#[test]
fn runs_and_inputs_are_programs_of_their_own() {
    let run = |script: &str| {
        format!(
            "{TRACE}fl=(1) php:internal\nfn=(1) php::strlen\n2 1 0\n\n\
             fl=(2) {script}\nfn=(2) run\n3 20 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n4 1 0\n\n\
             fl=(2)\nfn=(3) {{main}}\n1 300 0\ncfl=(2)\ncfn=(2)\ncalls=1 0 0\n9 21 0\n\n"
        )
    };
    let [a, b] = ["a.php", "b.php"].map(run);
    let expected = [
        "php::strlen | php:internal:2 |  | self 3 | inclusive 3 | invocations 3",
        "run | a.php:3 |  | self 40 | inclusive 42 | invocations 2",
        "  line 4: php::strlen, calls 2, cost 2",
        "{main} | a.php:1 |  | self 600 | inclusive 642 | invocations 2",
        "  line 9: run, calls 2, cost 42",
        "run | b.php:3 |  | self 20 | inclusive 21 | invocations 1",
        "  line 4: php::strlen, calls 1, cost 1",
        "{main} | b.php:1 |  | self 300 | inclusive 321 | invocations 1",
        "  line 9: run, calls 1, cost 21",
    ];
    let appended = [&*a, &*b, &*a].join(NEXT);
    for inputs in [&[&*appended][..], &[&a, &b, &a]] {
        let inputs = inputs.iter().map(|text| text.as_bytes());
        let (profile, warnings) = Reading::default().read(inputs).unwrap();
        assert_eq!(listing(&profile), expected);
        assert_eq!(warnings, [""; 0]);
    }
}

#[test]
fn what_was_in_force_ends_with_its_run() {
    let run = "ob=lib.so\nfl=a.c\nfn=f\n3 1\n";
    let head = "version: 1\ncreator: x\nevents: Ir\n";
    let text = format!("{head}{run}{head}fn=g\n4 2\n");
    let (profile, _) = Reading::default().read([text.as_bytes()]).unwrap();
    let expected = [
        "f | a.c:3 | lib.so | self 1 | inclusive 1 | invocations 1",
        "g | :4 |  | self 2 | inclusive 2 | invocations 1",
    ];
    assert_eq!(listing(&profile), expected);
}

#[test]
fn a_summary_is_spelled_as_webgrind_finds_it() {
    let summary = |spelled: &str| summaries(&format!("events: Ir Dr\n{spelled}\nfn=f\n1 16 7\n"));
    for spelled in ["summary:   16 7", "summary: 0x10 7", "summary: 016  7"] {
        assert_eq!(summary(spelled), ["summary: 16 7"], "{spelled}");
    }
    // What follows the first number stays as it was read.
    for kept in ["summary: 16 7", "summary: 16  7", "summary: 16 007"] {
        assert_eq!(summary(kept), [kept]);
    }
}

#[test]
fn traces_and_sums_together_are_neither() {
    let sums = "creator: x\nevents: Time\nfn=f\n1 5\n";
    let trace = format!("{TRACE}{RUN}");
    let kind = |texts: [&str; 2]| {
        let [mut one, other] = texts.map(|text| Reading::default().sound(text.as_bytes()));
        one.merge(other).unwrap();
        one.kind()
    };
    assert_eq!(kind([&trace, &trace]), ProfileKind::Trace);
    assert_eq!(kind([sums, sums]), ProfileKind::Aggregate);
    assert_eq!(kind([sums, &trace]), ProfileKind::Mixed);
    assert_eq!(kind([&trace, sums]), ProfileKind::Mixed);
}

#[test]
fn a_run_is_of_the_writer_before_until_another_is_named() {
    let whole = format!("{TRACE}{RUN}");
    let cut = "events: Time Memory\n\nfl=(1) a.php\nfn=(1) f\n5 10 0\n\n";
    let (_, warnings) = read(&format!("{whole}{NEXT}{cut}"));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("{main}"), "{warnings:?}");
}
