//! The reports: JSON for programs, text for people.
//!
//! Text reports of some fixtures stand in fixtures/reports/ as `NAME.WIDTH.txt`, `NAME.txt` without
//! a width. `BLESS=1 cargo test --test suite report` writes them anew; look at what changed.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions};
use cg_preprocess::report::json::Notes;
use cg_preprocess::report::{self, text};
use cg_preprocess::webgrind::Version;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthChar;

use crate::common::fixtures;
use crate::library::{event, json, profile_options, read, read_file, text_options, write};
use crate::schema::Schema;

fn profile(text: impl AsRef<[u8]>) -> Profile {
    read(text, ProfileOptions::default())
}

fn all_events(text: impl AsRef<[u8]>) -> Profile {
    let options = profile_options(|options| options.events = EventChoice::All);
    read(text, options)
}

fn as_text(profile: &Profile, top: Option<usize>, width: Option<usize>) -> String {
    with(
        profile,
        &text_options(|options| {
            options.top = top;
            options.width = width;
        }),
    )
}

fn with(profile: &Profile, options: &text::Options) -> String {
    let mut output = Vec::new();
    text::write(profile, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The lines of the table without its headings.
fn rows(report: &str) -> Vec<&str> {
    let lines = report
        .lines()
        .skip_while(|line| !line.starts_with("self %"));
    lines.skip(1).take_while(|line| !line.is_empty()).collect()
}

mod in_text {
    use super::*;

    const REPORTS: [(&str, &str, Option<usize>); 8] = [
        ("reports/names.cg", "names", None),
        ("reports/names.cg", "names", Some(80)),
        ("reports/names.cg", "names", Some(200)),
        ("valgrind/instr.cg", "instr", Some(80)),
        ("valgrind/instr.cg", "instr", Some(200)),
        ("xdebug3/features.cg", "features", None),
        ("xdebug3/features.cg", "features", Some(80)),
        ("xdebug3/features.cg", "features", Some(200)),
    ];

    #[test]
    fn reports_look_as_they_did() {
        for (source, name, width) in REPORTS {
            let profile = profile(fixtures::bytes(source));
            let width_part = width.map_or(String::new(), |width| format!(".{width}"));
            let path = fixtures::path(&format!("reports/{name}{width_part}.txt"));
            let found = as_text(&profile, Some(20), width);
            fixtures::assert_holds(&path, &found);
        }
    }

    /// Columns as a terminal counts them.
    fn columns(line: &str) -> usize {
        line.chars().map(|c| c.width().unwrap_or(0)).sum()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for source in [
            "reports/names.cg",
            "xdebug3/features.cg",
            "valgrind/instr.cg",
        ] {
            let profile = profile(fixtures::bytes(source));
            let first = profile
                .functions()
                .next()
                .map(|(_, function)| function.name);
            let first = first.map(|name| profile.name(name).to_vec());
            for width in 0..250 {
                for function in [None, first.clone()] {
                    let options = text_options(|options| {
                        options.top = Some(15);
                        options.width = Some(width);
                        options.function = function;
                    });
                    let report = with(&profile, &options);
                    let widest = report.lines().map(columns).max();
                    assert!(widest <= Some(width), "{width} columns:\n{report}");
                }
            }
        }
    }

    #[test]
    fn a_width_that_suffices_cuts_nothing() {
        let profile = profile(fixtures::bytes("xdebug3/small.cg"));
        assert_eq!(
            as_text(&profile, None, Some(1000)),
            as_text(&profile, None, None)
        );
    }

    #[test]
    fn names_cannot_upset_the_terminal() {
        let profile = profile(fixtures::bytes("reports/names.cg"));
        let report = as_text(&profile, None, None);
        let is_sound = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(report.chars().all(is_sound), "{report}");
        assert!(report.contains(r"latin1_caf\xe9"), "{report}");
        assert!(report.contains(r"\x1b[31mred\x1b[0m\x07"), "{report}");
    }

    #[test]
    fn more_than_32_bits_are_shown_in_full() {
        let text =
            "events: Ir\nfn=a\n1 5\ncfn=b\ncalls=5000000000 1\n2 6000000000\nfn=b\n1 7000000000\n";
        let report = as_text(&profile(text), None, None);
        let fields: Vec<_> = rows(&report)[0].split_whitespace().collect();
        assert_eq!(fields[1], "7,000,000,000");
        assert_eq!(fields[4], "5,000,000,000");
        let fields: Vec<_> = rows(&report)[1].split_whitespace().collect();
        assert_eq!(fields[3], "6,000,000,005");
    }

    #[test]
    fn the_most_expensive_come_first_and_equals_in_number_order() {
        let profile =
            profile("events: Ir\nfn=a\n1 5\nfn=b\n1 9\nfn=c\n1 5\nfn=d\n1 -2\nfn=e\n1 5\n");
        let report = as_text(&profile, None, None);
        let names: Vec<_> = rows(&report)
            .iter()
            .map(|row| row.split_whitespace().nth(5).unwrap())
            .collect();
        assert_eq!(names, ["b", "a", "c", "e", "d"]);
        assert!(rows(&report)[4].starts_with(" -9.09"), "{report}");
    }

    #[test]
    fn what_is_not_shown_is_summed() {
        let profile = profile("events: Ir\nfn=a\n1 1000\nfn=b\n1 4000\nfn=c\n1 3000\n");
        let report = as_text(&profile, Some(1), None);
        assert_eq!(rows(&report).len(), 1);
        let last = report.lines().last();
        let expected = "2 more functions with a self cost of 4,000 (50.00 %)";
        assert_eq!(last, Some(expected));
        for top in [Some(3), Some(4), Some(usize::MAX), None] {
            let report = as_text(&profile, top, None);
            assert_eq!(rows(&report).len(), 3);
            assert!(!report.contains("more functions"), "{report}");
        }
    }

    #[test]
    fn of_nothing_there_are_no_percentages() {
        let profile = profile("events: Ir\nfn=a\n1 5\nfn=b\n2 -5\n");
        let report = as_text(&profile, None, None);
        assert!(report.contains("\ntotal      0\n"), "{report}");
        let first: Vec<_> = rows(&report)[0].split_whitespace().collect();
        assert_eq!(first, ["-", "5", "-", "5", "1", "a"]);
    }

    #[test]
    fn times_are_told_where_their_unit_is_sure() {
        let total = |event: &str, creator: &str| {
            let text = format!("creator: {creator}\nevents: {event}\nfn=a\n1 3300123\n");
            let report = as_text(&profile(text), None, None);
            let mut lines = report.lines();
            let line = lines.find_map(|line| line.strip_prefix("total"));
            line.unwrap().trim().to_owned()
        };
        assert_eq!(total("Time_(10ns)", "any"), "3,300,123 (33.0 ms)");
        assert_eq!(total("Time_(us)", "any"), "3,300,123 (3.30 s)");
        assert_eq!(total("cpu(ms)", "any"), "3,300,123 (3,300 s)");
        assert_eq!(total("Time", "xdebug 2.9.8"), "3,300,123 (3.30 s)");
        assert_eq!(total("Memory", "xdebug 2.7.2"), "3,300,123 (3.15 MiB)");
        assert_eq!(total("Memory_(bytes)", "any"), "3,300,123 (3.15 MiB)");
        assert_eq!(total("Time", "any\nversion: 0.9.6"), "3,300,123");
        assert_eq!(total("Time", "xdebug 2.9.8\ncreator: any"), "3,300,123");
        assert_eq!(total("Ir", "any"), "3,300,123");
    }

    #[test]
    fn columns_have_the_unit_of_the_event() {
        let costs = "fn=main\n1 100000\ncfn=leaf\ncalls=2 9\n4 2345\nfn=leaf\n9 2345\n";
        let report = |header: &str| as_text(&profile(format!("{header}\n{costs}")), None, None);
        let of_xdebug = report("events: Time_(10ns)");
        let expected = "self %   self µs  incl %   incl µs  calls  function  file:line\n \
                        97.71  1,000.00  100.00  1,023.45      1  main\n  \
                        2.29     23.45    2.29     23.45      2  leaf\n";
        assert!(of_xdebug.ends_with(expected), "{of_xdebug}");
        let of_xdebug_2 = report("version: 0.9.6\nevents: Time");
        assert!(of_xdebug_2.contains("  incl ms  "), "{of_xdebug_2}");
        assert!(of_xdebug_2.contains(" 2.345 "), "{of_xdebug_2}");
        for header in ["events: Ir", "version: 1\nevents: Time"] {
            let unknown = report(header);
            assert!(
                unknown.contains("self %     self  incl %  inclusive"),
                "{unknown}"
            );
            assert!(unknown.contains("  100,000  "), "{unknown}");
        }
    }

    #[test]
    fn further_events_have_columns_of_their_own() {
        let profile = all_events(concat!(
            "events: Ir Memory_(bytes)\nfl=a\nfn=main\n1 5 300\ncfn=leaf\ncalls=2 9\n4 2 40960\n",
            "fn=leaf\n9 2 40960\n",
        ));
        let report = as_text(&profile, None, None);
        let expected = "\
total      7
also       Memory_(bytes), total 41,260 (40.3 KiB)
functions  2
calls      2 on 1 call edge

self %  self  incl %  inclusive  calls  self Memory KiB  incl Memory KiB  function  file:line
 71.43     5  100.00          7      1            0.293           40.293  main      a:1
 28.57     2   28.57          2      2           40.000           40.000  leaf      a:9
";
        assert!(report.ends_with(expected), "{report}");
        let options = text_options(|options| options.function = Some(b"leaf".to_vec()));
        let report = with(&profile, &options);
        let expected = "\
cost %  cost  calls  Memory KiB  caller  called at
 28.57     2      2      40.000  main    a:4
";
        assert!(report.contains(expected), "{report}");
    }

    #[test]
    fn a_summary_that_differs_is_told_with_its_difference() {
        let heading = |summary: &str| {
            let text = format!("events: Ir\n{summary}fn=a\n1 800\n");
            let report = as_text(&profile(text), None, None);
            let lines = report.lines().skip(2).take(2);
            lines.collect::<Vec<_>>().join("|")
        };
        let functions = "total      800|functions  1";
        assert_eq!(heading(""), functions);
        assert_eq!(heading("summary: 800\n"), functions);
        assert_eq!(
            heading("summary: 1000\n"),
            "total      800|summary    1,000, 200 outside of all functions"
        );
        assert_eq!(
            heading("summary: 500\n"),
            "total      800|summary    500, 300 counted twice"
        );
        // Valgrind writes this where a program has its profile written.
        assert_eq!(heading("summary: 0\n"), functions);
        let text = "creator: xdebug 3.2.0\nevents: Time_(10ns) Memory_(bytes)\nsummary: 900 5000\nfn=a\n1 800 3000\n";
        let sums = text.replace("creator: xdebug 3.2.0\n", "");
        let report = as_text(&read(sums, event("Memory_(bytes)")), None, None);
        assert!(
            report.contains(", 2,000 outside of all functions\n"),
            "{report}"
        );
        let report = as_text(&read(text, event("Memory_(bytes)")), None, None);
        assert!(
            report.contains(
                "\ntotal      3,000 (2.93 KiB)\nsummary    5,000 (4.88 KiB), a peak, not a sum\n"
            ),
            "{report}"
        );
    }

    #[test]
    fn the_order_is_that_of_what_was_asked_for() {
        let profile = profile(concat!(
            "events: Ir\nfn=main\n1 5\ncfn=often\ncalls=900 1\n2 10\ncfn=big\ncalls=2 1\n3 4294967300\n",
            "fn=often\n1 10\nfn=big\n1 4294967300\n",
        ));
        let names = |sort| {
            let report = with(&profile, &text_options(|options| options.sort = sort));
            let names = rows(&report)
                .into_iter()
                .map(|row| row.split_whitespace().nth(5).unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(text::Sort::SelfCost), ["big", "often", "main"]);
        assert_eq!(names(text::Sort::Inclusive), ["main", "big", "often"]);
        assert_eq!(names(text::Sort::Calls), ["often", "big", "main"]);
    }

    #[test]
    fn a_filter_leaves_names_that_contain_it() {
        let profile = profile("events: Ir\nfn=App\\Load\n1 60\nfn=reload\n1 30\nfn=main\n1 10\n");
        let filtered = |text: &str| {
            let options = text_options(|options| {
                options.filter = Some(text.as_bytes().to_vec());
                options.top = Some(1);
            });
            with(&profile, &options)
        };
        let report = filtered("load");
        assert_eq!(rows(&report).len(), 1);
        assert!(
            report.contains(
                "\nfilter     \"load\" is in the names of 2 functions with a self cost of 90 (90.00 %)\n"
            ),
            "{report}"
        );
        assert!(
            report.ends_with("\n1 more function with a self cost of 30 (30.00 %)\n"),
            "{report}"
        );
    }

    const CALLS: &str = concat!(
        "events: Ir\nfl=a.php\nfn=main\n1 10\ncfn=work\ncalls=2 20\n5 600\ncfn=work\ncalls=1 20\n7 100\n",
        "fn=other\n9 0\ncfn=work\ncalls=90 20\n11 90\n",
        "fn=work\n20 90\ncfl=b.php\ncfn=leaf\ncalls=70 3\n21 400\ncfl=b.php\ncfn=leaf2\ncalls=900 3\n22 300\n",
        "fl=b.php\nfn=leaf\n3 400\nfn=leaf2\n3 300\n",
    );

    fn of_function(name: &str, sort: text::Sort, top: Option<usize>) -> String {
        let options = text_options(|options| {
            options.function = Some(name.as_bytes().to_vec());
            options.sort = sort;
            options.top = top;
        });
        let report = with(&profile(CALLS), &options);
        report.split_once("\n\n").unwrap().1.to_owned()
    }

    #[test]
    fn a_function_is_shown_with_its_callers_and_callees() {
        let expected = "\
self %  self  incl %  inclusive  calls  function  file:line
 11.25    90   98.75        790     93  work      a.php:20

cost %  cost  calls  caller  called at
 75.00   600      2  main    a.php:5
 12.50   100      1  main    a.php:7
 11.25    90     90  other   a.php:11

cost %  cost  calls  callee  called at
 50.00   400     70  leaf    a.php:21
 37.50   300    900  leaf2   a.php:22
";
        let found = of_function("work", text::Sort::SelfCost, None);
        assert!(found == expected, "{found}");
        let found = of_function("work", text::Sort::Calls, Some(1));
        let expected = "
 11.25    90     90  other   a.php:11
2 more callers with a cost of 700 (87.50 %)

cost %  cost  calls  callee  called at
 37.50   300    900  leaf2   a.php:22
1 more callee with a cost of 400 (50.00 %)
";
        assert!(found.ends_with(expected), "{found}");
        assert!(of_function("main", text::Sort::SelfCost, None).contains("\n\nno caller\n\n"));
        assert!(of_function("leaf", text::Sort::SelfCost, None).ends_with("\n\nno callee\n"));
    }

    #[test]
    fn a_function_is_found_by_a_part_of_its_name() {
        let found = |name| of_function(name, text::Sort::SelfCost, Some(1));
        assert_eq!(found("l…f"), found("leaf"));
        assert!(found("LEAF").starts_with(&found("leaf")));
        assert!(found("LEAF").ends_with("\n\n1 more function whose names contain it\n"));
    }

    #[test]
    fn names_are_short_on_request() {
        let name = format!("map<{}>::find", "pair<int>, ".repeat(20));
        let profile = profile(format!("events: Ir\nfn={name}\n1 5\n"));
        let row = |names, width| {
            let options = text_options(|options| {
                options.names = names;
                options.width = width;
            });
            rows(&with(&profile, &options))[0].to_owned()
        };
        let full = row(text::Names::Auto, None);
        assert!(full.contains(&name), "{full}");
        assert_eq!(row(text::Names::Full, Some(80)), full);
        let short = row(text::Names::Short, None);
        assert!(short.ends_with("  map<…>::find"), "{short}");
        assert_eq!(row(text::Names::Auto, Some(80)), short);
    }

    #[test]
    fn functions_of_one_name_are_all_shown() {
        let text = "events: Ir\nfl=a\nfn=run\n1 5\nfl=b\nfn=run\n1 9\n";
        let options = text_options(|options| options.function = Some(b"run".to_vec()));
        let report = with(&profile(text), &options);
        let places = report.lines().filter_map(|line| line.split("run  ").nth(1));
        assert_eq!(places.map(str::trim).collect::<Vec<_>>(), ["b:1", "a:1"]);
    }

    #[test]
    fn a_function_that_is_not_there_is_an_error_that_helps() {
        let text = |name: &str| Some(name.as_bytes().to_vec());
        let message = |options: text::Options| {
            let mut output = Vec::new();
            let error = text::write(&profile(CALLS), &options, &mut output).unwrap_err();
            assert!(output.is_empty());
            error.to_string()
        };
        let function = |name| message(text_options(|options| options.function = text(name)));
        assert_eq!(
            function("Lef"),
            "no function's name contains \"Lef\"; closest: leaf, leaf2"
        );
        assert_eq!(
            function("wrk\n"),
            "no function's name contains \"wrk\\n\"; closest: work"
        );
        let filter = message(text_options(|options| options.filter = text("%\u{1b}")));
        assert_eq!(filter, "no function's name contains \"%\\x1b\"");
    }

    #[test]
    fn objects_are_in_full_but_for_a_terminal() {
        let profile = profile("events: Ir\nob=/usr/lib/libc.so.6\nfl=???\nfn=free\n0 5\n");
        let row = |width| rows(&as_text(&profile, None, width))[0].to_owned();
        assert!(row(None).ends_with("  free      [/usr/lib/libc.so.6]"));
        assert!(row(Some(80)).ends_with("  free      [libc.so.6]"));
    }

    #[test]
    fn every_command_is_counted_once() {
        let command = |commands: &str| {
            let report = as_text(
                &profile(format!("{commands}events: Ir\nfn=a\n1 1\n")),
                None,
                None,
            );
            report.lines().next().unwrap().to_owned()
        };
        assert_eq!(command(""), "command    unknown");
        assert_eq!(command("cmd: a b\n"), "command    a b");
        assert_eq!(command("cmd:  a\ncmd: a\n"), "command    a");
        assert_eq!(
            command("cmd: a\ncmd: b\ncmd: c\n"),
            "command    a and 2 more"
        );
    }
}

mod in_json {
    use super::*;

    #[test]
    fn fields_stand_in_order_and_each_function_on_a_line() {
        let profile = all_events(concat!(
            "cmd: x\nevent: Ir : Instructions\nevents: Ir Dr\nob=o\nfl=f\nfn=main\n3 10 1\n",
            "cfn=leaf\ncalls=2 9\n4 20 2\nfn=leaf\n9 20 2\n",
        ));
        let expected = r#"{
  "schema":2,
  "event":"Ir",
  "events":[
    {"name":"Ir","unit":"","long_name":"Instructions"},
    {"name":"Dr","unit":"","long_name":""}
  ],
  "scale":1,
  "kind":"aggregate",
  "complete":true,
  "warnings":[],
  "runs":1,
  "headers":[
    ["cmd","x"],
    ["event","Ir : Instructions"],
    ["events","Ir Dr"],
    ["summary","30"]
  ],
  "total":[30,3],
  "functions":[
    {"number":0,"object":"o","file":"f","name":"main","line":3,"self":[10,1],"inclusive":[30,3],"invocations":1,"called_from":[],"sub_calls":[{"function":1,"line":4,"calls":2,"cost":[20,2]}]},
    {"number":1,"object":"o","file":"f","name":"leaf","line":9,"self":[20,2],"inclusive":[20,2],"invocations":2,"called_from":[{"function":0,"line":4,"calls":2,"cost":[20,2]}],"sub_calls":[]}
  ]
}
"#;
        assert_eq!(json(&profile), expected);
    }

    #[test]
    fn names_that_are_not_utf_8_make_valid_json() {
        let name = b"caf\xe9\xff \"quoted\\\" \0\x1b\x7f".as_slice();
        let text = [b"cmd: \xe9\nevents: Ir\nfn=", name, b"\n1 1\n"].concat();
        let document: Value = serde_json::from_str(&json(&profile(text))).unwrap();
        let expected = "caf\\xe9\\xff \"quoted\\\" \0\u{1b}\u{7f}";
        assert_eq!(document["functions"][0]["name"], expected);
        assert_eq!(document["headers"][0][1], "\\xe9");
    }

    #[test]
    fn names_that_are_not_utf_8_are_spelled_as_in_the_text_report() {
        let profile = profile(b"cmd: \xe9\nevents: Ir\nfn=caf\xe9\xff\n1 1\n");
        let document: Value = serde_json::from_str(&json(&profile)).unwrap();
        let mut text = Vec::new();
        text::write(&profile, &text::Options::default(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let name = document["functions"][0]["name"].as_str().unwrap();
        assert_eq!(name, "caf\\xe9\\xff");
        assert!(text.lines().any(|line| line.ends_with(name)), "{text}");
        let command = format!(
            "command    {}\n",
            document["headers"][0][1].as_str().unwrap()
        );
        assert!(text.starts_with(&command), "{text}");
    }

    #[test]
    fn numbers_keep_their_64_bits_and_signs() {
        let profile = profile(concat!(
            "events: Ir\nfn=big\n18446744073709551615 9007199254740993\n",
            "cfn=less\ncalls=18446744073709551615 1\n2 4\nfn=less\n1 -9007199254740995\n",
        ));
        let json = json(&profile);
        let document: Value = serde_json::from_str(&json).unwrap();
        let functions = &document["functions"];
        assert_eq!(functions[0]["line"], u64::MAX);
        assert_eq!(functions[0]["self"][0], 9_007_199_254_740_993_i64);
        assert_eq!(functions[0]["sub_calls"][0]["calls"], u64::MAX);
        assert_eq!(functions[1]["self"][0], -9_007_199_254_740_995_i64);
        assert_eq!(document["total"][0], -2);
    }

    #[test]
    fn the_kind_is_that_of_the_inputs() {
        let trace = "creator: xdebug 3.4.0\nevents: Time\nfl=a.php\nfn={main}\n1 5\n";
        let sums = "events: Time\nfn=f\n1 5\n";
        let kind = |texts: [&str; 2]| {
            let [mut one, other] = texts.map(profile);
            one.merge(other).unwrap();
            let document: Value = serde_json::from_str(&json(&one)).unwrap();
            document["kind"].clone()
        };
        assert_eq!(kind([trace, trace]), "trace");
        assert_eq!(kind([sums, sums]), "aggregate");
        assert_eq!(kind([trace, sums]), "mixed");
    }

    #[test]
    fn the_scale_is_that_of_the_event() {
        let scale = |event: &str| -> Value {
            let text = format!("events: {event} Dr\nfn=a\n1 7\n");
            let document: Value = serde_json::from_str(&json(&profile(text))).unwrap();
            assert_eq!(document["event"], event);
            assert_eq!(document["total"][0], 7);
            document["scale"].clone()
        };
        assert_eq!(scale("Ir"), 1);
        assert_eq!(scale("Ir_(x1000)"), 1000);
        assert_eq!(scale("Time_(10ns)"), 1);
        assert_eq!(scale("Time_(us)_(x10)"), 10);
    }

    #[test]
    fn the_scale_comes_out_of_a_preprocessed_file() {
        let profile = profile("events: Ir\nfn=a\n1 4000000000000\n");
        let file = write(&profile, Version::V7);
        let json = json(&read_file(&file).unwrap());
        let document: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(document["event"], "Ir_(x1000)");
        assert_eq!(document["scale"], 1000);
        assert_eq!(document["functions"][0]["self"][0], 4_000_000_000_u64);
    }

    /// An output that notes how much it was given at once.
    #[derive(Default)]
    struct Pieces {
        largest: usize,
        all: usize,
    }

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.largest = self.largest.max(bytes.len());
            self.all += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_long_document_is_written_piece_by_piece() {
        let functions = (0..5000).map(|number| format!("fn=f{number}\n1 1\n"));
        let text = format!("events: Ir\n{}", functions.collect::<String>());
        let mut pieces = Pieces::default();
        report::json::write(&profile(text), &Notes::default(), &mut pieces).unwrap();
        assert!(pieces.all > 500_000, "{}", pieces.all);
        assert!(pieces.largest < 20_000, "{}", pieces.largest);
    }

    #[test]
    fn every_fixture_is_a_document_as_the_schema_has_it() {
        let schema = Schema::read("profile");
        let folders = [
            "xdebug2",
            "xdebug3",
            "valgrind",
            "other",
            "producers",
            "reports",
        ];
        for folder in folders {
            let files = fixtures::files_below(&fixtures::path(folder));
            for path in files.iter().filter(|path| is_profile(path)) {
                let mut profile = all_events(fs::read(path).unwrap());
                profile.derive_events();
                let json = json(&profile);
                let document: Value = serde_json::from_str(&json).unwrap();
                let name = fixtures::short(path);
                schema.check(&document, &name);
                let functions = document["functions"].as_array().unwrap();
                assert_eq!(functions.len(), profile.functions().len(), "{name}");
                for costs in functions.iter().map(|function| &function["self"]) {
                    assert_eq!(costs.as_array().unwrap().len(), profile.events().len());
                }
                assert!(json.ends_with("\n}\n"), "{name}");
            }
        }
    }

    #[test]
    fn units_and_long_names_are_told_where_they_are_known() {
        let events = |header: &str| {
            let profile = all_events(format!("{header}\nfn=a\n1 5\n"));
            let document: Value = serde_json::from_str(&json(&profile)).unwrap();
            document["events"].clone()
        };
        let event = |name: &str, unit: &str, long_name: &str| json!({"name": name, "unit": unit, "long_name": long_name});
        let xdebug_3 = events("events: Time_(10ns) Memory_(bytes)");
        assert_eq!(xdebug_3[0], event("Time_(10ns)", "10ns", ""));
        assert_eq!(xdebug_3[1], event("Memory_(bytes)", "bytes", ""));
        for header in ["creator: xdebug 2.9.8", "version: 0.9.6"] {
            let xdebug_2 = events(&format!("{header}\nevents: Time Memory"));
            assert_eq!(xdebug_2[0], event("Time", "us", ""));
            assert_eq!(xdebug_2[1], event("Memory", "bytes", ""));
        }
        let others = events("event: ns : Nanoseconds\nevents: ns Time Object(s) Time_(us)_(x10)");
        assert_eq!(others[0], event("ns", "ns", "Nanoseconds"));
        assert_eq!(others[1], event("Time", "", ""));
        assert_eq!(others[2], event("Object(s)", "", ""));
        assert_eq!(others[3], event("Time_(us)_(x10)", "us", ""));
    }

    #[test]
    fn warnings_and_losses_are_part_of_the_document() {
        let notes = Notes {
            complete: false,
            warnings: vec!["a \"b\"".to_owned(), "c".to_owned()],
        };
        let mut output = Vec::new();
        let profile = profile("events: Ir\nfn=a\n1 1\n");
        report::json::write(&profile, &notes, &mut output).unwrap();
        let document: Value = serde_json::from_slice(&output).unwrap();
        Schema::read("profile").check(&document, "notes");
        assert_eq!(document["complete"], false);
        assert_eq!(document["warnings"], json!(["a \"b\"", "c"]));
    }

    fn is_profile(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "cg")
    }
}

/// An output that takes some bytes, and then nobody reads it any more.
struct Pipe {
    room: usize,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_told_as_such() {
    let profile = profile("events: Ir\nfn=a\n1 1\n");
    for room in [0, 1, 100] {
        let error = report::json::write(&profile, &Notes::default(), Pipe { room }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let error = text::write(&profile, &text::Options::default(), Pipe { room }).unwrap_err();
        let text::Error::Io(error) = error else {
            panic!("{error}")
        };
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
