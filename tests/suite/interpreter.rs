//! What lines do, read one by one and by their shape alike.

use cg_preprocess::callgrind::{Options, read, read_line_by_line};
use cg_preprocess::profile::{EventChoice, NameId, Profile, ProfileBuilder, ProfileOptions};

use crate::library::{event, headers, profile_options, read_options};

/// What came of a text.
#[derive(Debug)]
struct Reading {
    profile: Profile,
    warnings: Vec<String>,
}

/// Reads a text both ways, which must come to the same.
fn read_with(text: &str, options: &Options, wanted: Option<&str>) -> Reading {
    let [reading, reference] = [read, read_line_by_line].map(|read| {
        let mut builder = ProfileBuilder::new(wanted.map(event).unwrap_or_default());
        let outcome = read(text.as_bytes(), "a.cg", options, &mut builder).unwrap();
        let warnings = outcome.warnings.iter().map(ToString::to_string).collect();
        Reading {
            profile: builder.finish().unwrap(),
            warnings,
        }
    });
    assert_eq!(reading.tables(), reference.tables());
    assert_eq!(reading.warnings, reference.warnings);
    reading
}

fn sound(text: &str) -> Reading {
    read_with(text, &Options::default(), None)
}

fn lenient(text: &str) -> Reading {
    let options = read_options(|options| options.lenient = true);
    read_with(text, &options, None)
}

fn error(text: &str) -> String {
    let mut builder = ProfileBuilder::new(ProfileOptions::default());
    let error = read(text.as_bytes(), "a.cg", &Options::default(), &mut builder).unwrap_err();
    error.to_string()
}

impl Reading {
    fn text(&self, name: NameId) -> String {
        String::from_utf8_lossy(self.profile.name(name)).into_owned()
    }

    /// Functions as `object|file|name:line self`, each followed by its calls.
    fn tables(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for (id, function) in self.profile.functions() {
            let [object, file, name] =
                [function.object, function.file, function.name].map(|name| self.text(name));
            let (line, cost) = (function.line, self.profile.self_costs(id)[0]);
            rows.push(format!("{object}|{file}|{name}:{line} {cost}"));
            for call in self.profile.sub_calls(id) {
                let callee = self.profile.function(call.callee);
                let [object, file, name] =
                    [callee.object, callee.file, callee.name].map(|name| self.text(name));
                let (line, calls, cost) = (call.line, call.calls, call.costs()[0]);
                rows.push(format!(" > {object}|{file}|{name} @{line} {calls}x {cost}"));
            }
        }
        rows
    }

    fn summaries(&self) -> Vec<String> {
        let mut lines = headers(&self.profile);
        lines.retain(|line| line.starts_with("summary"));
        lines
    }
}

#[test]
fn a_second_call_may_give_its_callee_another_place() {
    let reading = sound(
        "events: Ir\nfl=a.c\nfn=main\n1 5\ncfi=b.c\ncob=lib\ncfn=f\ncalls=1 7\n2 10\n\
         cfi=c.c\ncalls=1 7\n2 10\n",
    );
    let calls = [" > lib|b.c|f @2 1x 10", " > lib|c.c|f @2 1x 10"];
    assert_eq!(reading.tables()[1..3], calls);
}

/// The beginning of a trace of Xdebug in which all names have ids.
const TRACE: &str = "version: 1\ncreator: xdebug 3.2.0\nevents: Time_(10ns)\n\
    jfi=(1) a.php\njfn=(1) {main}\njfn=(2) f\njfn=(3) g\n";

#[test]
fn a_line_may_be_relative_to_that_of_a_record() {
    let trace = format!(
        "{TRACE}fl=(1)\nfn=(1)\n1 5\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n10 7\n\
         cfl=(1)\ncfn=(3)\ncalls=1 0 0\n+3 8\n\nsummary: 20\n\n# {:90}\n",
        ""
    );
    let tables = sound(&trace).tables();
    assert_eq!(
        tables[1..3],
        [" > |a.php|f @10 1x 7", " > |a.php|g @13 1x 8"]
    );
}

#[test]
fn the_cost_of_a_skipped_call_is_no_self_cost() {
    let text = "events: Ir\nfl=a.c\nfn=main\n10 5\ncfn=f\ncalls=x 3\n+1 400\n+1 7\n\
                cfi=b.c\ncfn=g\ncalls=18446744073709551616 3\n# comment\n\n+5 30\ncfn=h\ncalls=1 3\n+1 9\n";
    let reading = lenient(text);
    // The place of a skipped call is not that of the next one.
    let expected = ["|a.c|main:10 12", " > |a.c|h @18 1x 9", "|a.c|h:3 0"];
    assert_eq!(reading.tables(), expected);
    assert_eq!(reading.warnings.len(), 4);
    // What is no cost line is read as usual.
    let text = "events: Ir\nfl=a.c\nfn=main\n10 5\ncfn=f\ncalls=x 3\nfn=g\n11 400\n";
    assert_eq!(lenient(text).tables(), ["|a.c|main:10 5", "|a.c|g:11 400"]);
}

#[test]
fn wrapped_self_costs_of_a_trace_are_negative() {
    let body = "fl=a.php\nfn=f\n1 1844674407370955155 1844674407370955161\n\n\
                fl=a.php\nfn={main}\n2 10 0\ncfl=a.php\ncfn=f\ncalls=1 0 0\n3 1844674407370955155 0\n\nsummary: 9 9\n";
    let trace = format!("creator: xdebug 3.2.0\nevents: Time_(10ns) Memory_(bytes)\n{body}");
    let reading = sound(&trace);
    assert_eq!(reading.tables()[0], "|a.php|f:1 -7");
    assert_eq!(reading.tables()[2], " > |a.php|f @3 1x 1844674407370955155");
    assert_eq!(reading.warnings.len(), 1);
    let options = Options::default();
    let memory = read_with(&trace, &options, Some("Memory_(bytes)"));
    assert_eq!(memory.tables()[0], "|a.php|f:1 -1");
    // Where times are read just to match calls with invocations, nobody sees them.
    let times = trace.replace("844674407370955161", "8");
    for (event, warnings) in [("Memory_(bytes)", 0), ("Time_(10ns)", 1)] {
        let mut builder = ProfileBuilder::new(profile_options(|options| {
            options.events = EventChoice::Named(vec![event.into()]);
            options.invocations = true;
        }));
        let outcome = read(times.as_bytes(), "a.cg", &options, &mut builder).unwrap();
        assert_eq!(outcome.warnings.len(), warnings, "{event}");
    }
    let aggregate = format!("creator: test\nevents: Time_(10ns) Memory_(bytes)\n{body}");
    let reading = sound(&aggregate);
    assert_eq!(reading.tables()[0], "|a.php|f:1 1844674407370955155");
    assert!(reading.warnings.is_empty());
}

#[test]
fn plain_names_take_memory_only_when_they_are_used() {
    let mut text = String::from("events: Ir\nfl=a.c\nfn=main\n1 5\n");
    for i in 0..1000 {
        text += &format!(
            "cfn=unused{i}\ncfi=file{i}\nfi=inline{i}\nob=object{i}\nfn=never{i}\njfn=j{i}\n"
        );
    }
    for read in [read, read_line_by_line] {
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        read(text.as_bytes(), "a.cg", &Options::default(), &mut builder).unwrap();
        assert!(builder.intern(b"the next").index() < 10);
    }
}

#[test]
fn a_function_of_a_trace_is_in_the_file_of_its_first_block() {
    // Old versions of Xdebug give no file with a call, which seems to lead into that of the caller.
    let body = "fl=a.php\nfn=f\n1 1\ncfn=late\ncalls=1 0 0\n2 5\n\nfl=b.php\nfn=late\n7 5\n\n\
                fl=c.php\nfn=late\n8 6\n\nfl=a.php\nfn={main}\n3 1\n\nsummary: 13\n";
    let trace = format!("creator: xdebug 2.2.0\nevents: Time\n{body}");
    assert_eq!(
        sound(&trace).tables(),
        [
            "|a.php|f:1 1",
            " > |b.php|late @2 1x 5",
            "|b.php|late:7 11",
            "|a.php|{main}:3 1"
        ]
    );
    let aggregate = format!("creator: test\nevents: Time\n{body}");
    assert_eq!(
        sound(&aggregate).tables(),
        [
            "|a.php|f:1 1",
            " > |a.php|late @2 1x 5",
            "|a.php|late:0 0",
            "|b.php|late:7 5",
            "|c.php|late:8 6",
            "|a.php|{main}:3 1"
        ]
    );
}

#[test]
fn an_id_that_was_never_defined_is_a_name() {
    let reading = sound(
        "events: Ir\nob=(1)\nfl=(2)\nfn=(8)\n1 2\ncob=(0x10)\ncfi=(3)\ncfn=(9)\ncalls=1 0\n1 5\n\
         fn=(8)\n1 30\nfn=(8) g\n1 400\n",
    );
    assert_eq!(
        reading.tables(),
        [
            "(1)|(2)|(8):1 32",
            " > (16)|(3)|(9) @1 1x 5",
            "(16)|(3)|(9):0 0",
            "(1)|(2)|g:1 400"
        ]
    );
    assert_eq!(reading.warnings.len(), 6, "{:?}", reading.warnings);
}

#[test]
fn lines_that_carry_no_cost_change_nothing() {
    let text = |line: &str| {
        format!(
            "events: Ir\nfl=a.c\nfn=f\n7 1\n{line}+1 2\ncfn=g\n{line}calls=1 3\n+1 5\n{line}* 9\n"
        )
    };
    let expected = sound(&text(""));
    for line in [
        "bb=9\n",
        "ln=9\n",
        "rec=9\n",
        "frfn=h\n",
        "total=9\n",
        "totals=9\n",
        "jfi=b.c\njfn=h\n",
    ] {
        let reading = sound(&text(line));
        assert_eq!(reading.tables(), expected.tables(), "{line}");
        assert_eq!(headers(&reading.profile), headers(&expected.profile));
        assert!(reading.warnings.is_empty(), "{line}");
    }
}

#[test]
fn the_last_line_may_lack_its_end_but_not_without_a_word() {
    let warn = "the last line has no end: it was read, but a number in it may be cut off";
    let reading = sound("events: Ir\nfn=a\n1 123");
    assert_eq!(reading.tables(), ["||a:1 123"]);
    let expected = format!("a.cg:3: {warn} (found \"1 123\")");
    assert_eq!(reading.warnings, [expected]);
    assert!(sound("events: Ir\nfn=a\n1 123\n \t").warnings.is_empty());
}

#[test]
fn after_main_only_the_last_block_is_in_doubt() {
    let text = "creator: xdebug 3.2.0\nevents: Time_(10ns)\nfl=a.php\nfn={main}\n2 10\n\n\
                fl=a.php\nfn=shutdown\n";
    let expected = "a.cg:8: the profile is cut off within the block of \"shutdown\"; \
                    its writer was killed or is still running";
    assert_eq!(sound(text).warnings, [expected]);
}

#[test]
fn a_summary_speaks_of_the_columns_of_its_part() {
    let text = "events: Ir Dr\nfn=a\n1 20 3\nsummary: 20 3\npart: 2\nsummary: 4 50\n\
                events: Dr Ir\nfn=a\n1 4 50\n";
    assert_eq!(
        sound(text).summaries(),
        ["summary: 20 3", "summary: 50"],
        "Ir is the second column of the second part"
    );
    let text = "events: Ir Dr\nfn=a\n1 20 3\nsummary: 20 3\nevents: Dr Ir\nfn=a\n1 4 50\n";
    assert_eq!(sound(text).summaries(), ["summary: 20 3"]);
}

#[test]
fn what_is_no_profile_is_told_by_its_first_line() {
    for text in [
        "\nroot:x:0:0\nk: v\nno profile\n",
        "\nroot:x:0:0\n12 30\n",
        "\nroot:x:0:0",
    ] {
        assert_eq!(
            error(text),
            "a.cg:1: this is no callgrind profile: expected a header such as \"events: Ir\", \
             then lines such as \"fn=main\" and costs (found \"root:x:0:0\")"
        );
    }
    assert!(error("# callgrind format\nno profile\n").contains("a.cg:2: unknown line"));
    assert!(error("version: 1\nno profile\n").contains("a.cg:2: unknown line"));
    assert!(error("fn=f\nno profile\n").contains("a.cg:2: unknown line"));
    assert!(error("version: 2\n").contains("a.cg:1: unsupported version"));
    assert_eq!(error(""), "a.cg: is empty");
}

#[test]
fn all_columns_are_read_where_several_are_wanted() {
    let text =
        "events: Ir Dr Dw\nfn=a\n1 10 200 12345678\n+1 1\n* -3 0x10 7\ncfn=b\ncalls=1 2\n3 4 5\n";
    for read in [read, read_line_by_line] {
        let options = profile_options(|options| options.events = EventChoice::All);
        let mut builder = ProfileBuilder::new(options);
        read(text.as_bytes(), "a.cg", &Options::default(), &mut builder).unwrap();
        let profile = builder.finish().unwrap();
        let (a, _) = profile.functions().next().unwrap();
        let costs = profile.self_costs(a);
        assert_eq!(costs, [8, 216, 12_345_685]);
        let call = profile.sub_calls(a).next().unwrap();
        assert_eq!(call.costs(), [4, 5, 0]);
    }
}

#[test]
fn lines_are_counted_through_all_shapes() {
    let text = "positions: instr line\nevents: Ir\njfn=(1) a\njfn=(2) b\nfn=(1)\n0x10 1 5\n+1 * 3\n\
                +2 * 3\njcnd=1/2 +3 *\n* * \n+1 +1 4\ncfn=(2)\ncalls=1 0x30 2\n* * 9\n+1 * 1\n?\n";
    assert!(error(text).starts_with("a.cg:16: "), "{}", error(text));
    let trace = format!(
        "{TRACE}fl=(1)\nfn=(1)\n1 5\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n10 7\n\n?{:90}\n",
        ""
    );
    assert!(error(&trace).starts_with("a.cg:16: "), "{}", error(&trace));
}

/// Names of functions that name no other place: `frfn=`, and ids put together.
#[test]
fn names_that_stand_for_others_are_put_together() {
    let names = |text: &str| {
        let profile = read_with(text, &Options::default(), None).profile;
        let names = profile
            .functions()
            .map(|(_, function)| profile.name(function.name));
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        names.collect::<Vec<_>>()
    };
    let text = concat!(
        "events: Ir\nfrfn=(7) helper\nfn=(1) leaf\nfn=(2) main\n",
        "fn=(3) (1)'(7)'(2)\n1 5\ncfn=(4) (1)'2'(7)\ncalls=1 1\n1 6\n",
        "fn=(4)\n1 6\nfn=(5) (1)'3\n1 7\nfn=(7)\n1 8\n",
    );
    let expected = ["leaf'helper'main", "leaf'2'helper", "leaf'3", "helper"];
    assert_eq!(names(text), expected);
    assert_eq!(names(&text.replace("fn=(3) ", "fn=(3)")), expected);
    // These are names as they stand: of one id, of one that nobody defines, of something else.
    for name in [
        "(1)",
        "(1)'(9)",
        "(1)'",
        "(1)''(1)",
        "(1)'x",
        "(1)'(1)'2",
        "operator()'(1)",
        "(1)(1)",
    ] {
        let text = format!("events: Ir\nfn=(1) leaf\nfn=(3) {name}\n1 5\n");
        assert_eq!(names(&text), [name]);
    }
}
