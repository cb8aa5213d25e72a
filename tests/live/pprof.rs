//! google-pprof's `--callgrind`, compared with its own `--text` of the same profile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::producer::{Bench, Tool};
use crate::profile::{Profile, assert_figures};

const PPROF: Tool = Tool::new("google-pprof", "google-perftools");

/// Bytes that `samples.c` keeps: 40 times 300,000.
const KEPT: i64 = 12_000_000;

/// A function's row in the text report.
#[derive(Debug)]
struct Row {
    flat: i64,
    cumulative: i64,
}

/// Runs a program that writes a profile for this variable's sake.
fn profile(program: &Path, variable: &str, file: &Path) {
    let tool = Tool::new("samples", "libgoogle-perftools-dev");
    let mut command = std::process::Command::new(program);
    command
        .env(variable, file)
        .env("CPUPROFILE_FREQUENCY", "500");
    tool.run(&mut command);
}

/// Has google-pprof report on a profile.
fn pprof(options: &[&str], program: &Path, file: &Path) -> String {
    let mut command = PPROF.command();
    command.args(options).arg(program).arg(file);
    PPROF.run(&mut command)
}

/// Reads rows such as `62  50.0%  50.0%  62  50.0% name`.
fn rows(text: &str) -> BTreeMap<String, Row> {
    let rows = text.lines().filter_map(|line| {
        let mut columns = line.split_whitespace();
        let flat = columns.next()?.parse().ok()?;
        let cumulative = columns.nth(2)?.parse().ok()?;
        let name = columns.skip(1).collect::<Vec<_>>().join(" ");
        Some((name, Row { flat, cumulative }))
    });
    rows.collect()
}

/// Writes a profile as callgrind's format.
fn export(bench: &Bench, program: &Path, file: &Path) -> PathBuf {
    let text = pprof(&["--callgrind"], program, file);
    let out = bench.path("out.cg");
    std::fs::write(&out, text).expect("a file");
    out
}

/// Compares functions and total, and returns the profile.
fn check(profile: &Profile, rows: &BTreeMap<String, Row>) {
    let self_costs = profile.by_name(|row| row.self_costs[0]);
    let flat = rows.iter().filter(|(_, row)| row.flat != 0);
    let flat: BTreeMap<_, _> = flat.map(|(name, row)| (name.clone(), row.flat)).collect();
    assert_figures(&self_costs, &flat);
    assert_eq!(profile.total(), flat.values().sum::<i64>());
    assert_eq!(profile.summary(), profile.total());
    for name in ["main", "heavy", "light", "nested", "keep"] {
        let expected = rows.get(name).map_or(0, |row| row.cumulative);
        assert_eq!(profile.inclusive(name), expected, "{name}");
    }
}

/// `nested` calls itself, which google-pprof does not count twice.
const OPTIONS: &[&str] = &["--inclusive", "outermost"];

#[test]
fn processor_time() {
    let bench = Bench::new();
    let program = bench.compile("samples.c", &["-Wl,--no-as-needed", "-lprofiler"]);
    let file = bench.path("cpu.prof");
    profile(&program, "CPUPROFILE", &file);
    let rows = rows(&pprof(&["--text"], &program, &file));
    let profile = Profile::silently(&[export(&bench, &program, &file)], OPTIONS);
    assert!(profile.total() > 0, "no samples");
    check(&profile, &rows);
}

#[test]
fn memory() {
    let bench = Bench::new();
    let program = bench.compile("samples.c", &["-Wl,--no-as-needed", "-ltcmalloc"]);
    profile(&program, "HEAPPROFILE", &bench.path("heap.prof"));
    let [file] = &bench.files("heap.prof")[..] else {
        panic!("not one heap profile");
    };
    let rows = rows(&pprof(&["--text", "--show_bytes"], &program, file));
    let profile = Profile::silently(&[export(&bench, &program, file)], OPTIONS);
    check(&profile, &rows);
    assert_eq!(profile.inclusive("keep"), KEPT);
}
