//! The examples of the format's specification (section 3.1), in every spelling that it shows.

use cg_preprocess::profile::Profile;

use crate::library::{Reading, event, read};

fn profile(text: &str) -> Profile {
    let read = Reading::default().read([text.as_bytes()]);
    let (profile, warnings) = read.unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    profile
}

/// Of every function: name, file, line, self, inclusive, invocations.
fn functions(profile: &Profile) -> Vec<(String, String, u64, i64, i64, u64)> {
    let text = |id| String::from_utf8_lossy(profile.name(id)).into_owned();
    let rows = profile.functions().map(|(id, f)| {
        let figures = (
            f.line,
            profile.self_costs(id)[0],
            profile.inclusive_costs(id)[0],
            f.invocations,
        );
        let (line, own, inclusive, invocations) = figures;
        (
            text(f.name),
            text(f.file),
            line,
            own,
            inclusive,
            invocations,
        )
    });
    rows.collect()
}

/// All edges: caller, callee, line, calls, cost.
fn edges(profile: &Profile) -> Vec<(usize, usize, u64, u64, i64)> {
    let edges = profile.edges();
    edges
        .map(|e| {
            (
                e.caller.index(),
                e.callee.index(),
                e.line,
                e.calls,
                e.costs()[0],
            )
        })
        .collect()
}

#[test]
fn simple_example() {
    let profile = profile(
        "# callgrind format\nevents: Cycles Instructions Flops\nfl=file.f\nfn=main\n\
         15 90 14 2\n16 20 12\n",
    );
    let main = ("main".into(), "file.f".into(), 15, 110, 110, 1);
    assert_eq!(functions(&profile), [main]);
}

const EXTENDED: &str = "\
# callgrind format
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
";

const COMPRESSED_NAMES: &str = "\
# callgrind format
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
";

const NAMES_DEFINED_FIRST: &str = "\
# callgrind format
events: Instructions

# define file ID mapping
fl=(1) file1.c
fl=(2) file2.c
# define function ID mapping
fn=(1) main
fn=(2) func1
fn=(3) func2

fl=(1)
fn=(1)
16 20
cfn=(2)
calls=1 50
16 400
cfi=(2)
cfn=(3)
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
";

/// Not in the specification, but the same with what it says of relative positions.
const RELATIVE_LINES: &str = "\
# callgrind format
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 +34
* 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 +4
+0 400

fn=(2)
+35 100
cfi=(2)
cfn=(3)
calls=2 -31
* 300

fl=(2)
fn=(3)
-31 700
";

#[test]
fn extended_example_in_every_spelling() {
    for text in [
        EXTENDED,
        COMPRESSED_NAMES,
        NAMES_DEFINED_FIRST,
        RELATIVE_LINES,
    ] {
        let profile = profile(text);
        let expected = [
            ("main".into(), "file1.c".into(), 16, 20, 820, 1),
            ("func1".into(), "file1.c".into(), 51, 100, 400, 1),
            ("func2".into(), "file2.c".into(), 20, 700, 700, 5),
        ];
        assert_eq!(functions(&profile), expected, "{text}");
        let expected = [(0, 1, 16, 1, 400), (0, 2, 16, 3, 400), (1, 2, 51, 2, 300)];
        assert_eq!(edges(&profile), expected, "{text}");
    }
}

#[test]
fn subposition_compression_example() {
    let absolute = "# callgrind format\npositions: instr line\nevents: ticks\n\nfn=func\n\
        0x80001234 90 1\n0x80001237 90 5\n0x80001238 91 6\n";
    let relative = "# callgrind format\npositions: instr line\nevents: ticks\n\nfn=func\n\
        0x80001234 90 1\n+3 * 5\n+1 +1 6\n";
    for text in [absolute, relative] {
        let expected = ("func".into(), String::new(), 90, 12, 12, 1);
        assert_eq!(functions(&profile(text)), [expected]);
    }
}

#[test]
fn derived_event_example() {
    let text = "event: Ir : Instruction Fetches\nevents: Ir Dr\nevent: Sum = Ir + Dr\n\
        fn=main\n15 90 14\n";
    assert_eq!(read(text, event("Sum")).total(), 104);
}
