//! Combinations of options on small inputs, with one digest for all that is written and said of each
//! input. The digests notice every change; that an output is right is for other tests to say.
//!
//! What was written is in `target/tmp/matrix/`, so that a failure can show the difference from the last
//! run that agreed. `BLESS=1 cargo test --test program matrix` writes `matrix/digests.txt` anew.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, SystemTime};

use cg_preprocess::run::{Feature, Format};
use flate2::read::GzDecoder;
use tempfile::TempDir;

use crate::common::digests::{Digests, number};
use crate::common::profiles::{self, one_of};
use crate::common::{self, Random, fixtures};
use crate::runner;

/// Words that stand for `{}` in options, and the arguments that name inputs.
const INPUTS: &[(&[&str], &[&str])] = &[
    // Traces, also against what the program was before, in another directory. Several runs, and one
    // that was killed.
    (
        &[
            "App\\Shop->run",
            "helper",
            "php::usort",
            "shop",
            "php::",
            "fib",
            "App\\Shop",
            "vendor/",
            "{main}",
            "log",
        ],
        &[
            "shop.cg",
            "shop.cg --base shop.cg.old",
            "shop.cg.old --base shop.cg",
            "shop.cg --base shop.cg",
            "random.cg --base random.cg.old",
            "random.cg.old --base random.cg",
            "tiny-1.cg",
            "tiny-1.cg --base tiny-1.cg.old",
            "tiny-2.cg --base tiny-2.cg.old",
            "tiny-3.cg",
            "tiny-3.cg tiny-1.cg --base tiny-2.cg",
            "shop.cg random.cg --base shop.cg.old --base random.cg.old",
            "shop.cg lost.cg runs.cg --keep-going",
            "runs.cg",
            "truncated.cg",
            "truncated.cg --base runs.cg",
            "runs.cg runs.cg --base truncated.cg",
            "own.cg",
            "broken.cg --lenient",
        ],
    ),
    // Fibers, callbacks, and a file for webgrind.
    (
        &[
            "{main}",
            "produce",
            "php::",
            "php::call_user_func",
            "php::Fiber->start",
            "fiber",
        ],
        &[
            "features.cg",
            "fibers.cg",
            "proxies.cg",
            "fibers.cg proxies.cg",
            "small.v7.pre",
        ],
    ),
    // Sums: ten events and eleven, inlined code, cycles, parts, threads, two programs.
    (
        &[
            "run",
            "main",
            "even",
            "malloc",
            "shop",
            "Shop::run",
            "libc",
            "fib",
            "std::",
            "odd",
        ],
        &[
            "sums.cg",
            "sums.cg --base sums.cg.old",
            "programs.cg",
            "programs.cg --base sums.cg",
            "parts.cg",
            "parts.cg --base parts.cg.old",
            "sums.cg mail.cg",
            "sums.cg mail.cg --base sums.cg.old --base mail.cg",
            "graph-1.cg",
            "graph-1.cg --base graph-1.cg.old",
            "graph-1.cg graph-2.cg",
            "graph-1.cg graph-2.cg --base graph-1.cg.old --base graph-3.cg",
            "graph-2.cg graph-3.cg graph-1.cg",
            "cachegrind.out",
            "names.cg",
            "gperf.cg",
        ],
    ),
    (
        &["main", "worker", "fib", "f0", "f1", "libc"],
        &[
            "thread-1.cg thread-2.cg",
            "benchmarks-slower.cg --base benchmarks.cg",
            "inclusive.cg",
            "commands.cg",
        ],
    ),
    // As many rows and callers as are shown, and one more.
    (
        &[
            "shared",
            "ten",
            "calls_many",
            "dir1",
            "f2",
            "dir1/",
            "file1.c",
        ],
        &[
            "wide.cg",
            "wide.cg --base wide.cg.old",
            "wide.cg.old --base wide.cg",
        ],
    ),
    // Two parts with calls in inlined code, and what each text lists at most, with one more.
    (
        &[
            "run", "main", "edges", "lib", "work", "helper", "inlined", "c",
        ],
        &[
            "edges.cg",
            "edges.cg --base edges.cg.old",
            "edges.cg edges.cg.old",
        ],
    ),
    (&["same"], &["borders.cg"]),
    // Deep stacks, no cost, callers in names.
    (
        &["level", "level", "level9", "leaf", "a"],
        &[
            "deep.cg",
            "deep.cg --base nothing.cg",
            "nothing.cg --base deep.cg",
            "chains.cg",
        ],
    ),
];

/// One more than messages list.
const ELEVEN_LIMITS: &str = "--max-cost 1 --max-cost 2 --max-cost 3 --max-cost 4 --max-cost 5 --max-cost 6 \
    --max-cost 7 --max-calls {}=0 --max-calls {}=0 --max-calls lost=0 --max-cost {}=0";

/// Options, and what a format must have to take them.
const OPTIONS: &[(&str, Option<Feature>)] = &[
    ("--by class", Some(Feature::Groups)),
    ("--by file", Some(Feature::Groups)),
    ("--by package", Some(Feature::Groups)),
    ("--by object", Some(Feature::Groups)),
    ("--by line", Some(Feature::Groups)),
    ("--by part", Some(Feature::Groups)),
    ("--by line --hide {}", Some(Feature::Groups)),
    ("--hide {}", Some(Feature::Hidden)),
    ("--hide {}", Some(Feature::Hidden)),
    ("--hide {} --hide {}", Some(Feature::Hidden)),
    ("--filter {}", Some(Feature::Filter)),
    ("--filter {}", Some(Feature::Filter)),
    ("--function {}", Some(Feature::Function)),
    ("--function {}", Some(Feature::Function)),
    ("--function {}", Some(Feature::Function)),
    ("--sort inclusive", Some(Feature::Sort)),
    ("--sort calls", Some(Feature::Sort)),
    ("--top 0", Some(Feature::Top)),
    ("--top 1", Some(Feature::Top)),
    ("--top 3", Some(Feature::Top)),
    ("--top 7", Some(Feature::Top)),
    ("--names full", Some(Feature::Names)),
    ("-e m", None),
    ("-e CEst", Some(Feature::KnownEvents)),
    ("-e Dr,Ir", Some(Feature::Events)),
    ("-e Memory,Time", Some(Feature::Events)),
    ("--inclusive summed", None),
    ("--inclusive once", None),
    ("--kind trace", None),
    ("--kind aggregate", None),
    ("--part 1", None),
    ("--part bench", None),
    ("--proxy-function php::call_user_func", None),
    ("--per-run", Some(Feature::PerRun)),
    ("--each-part --max-cost 4k", Some(Feature::Limits)),
    ("--max-cost 50us", Some(Feature::Limits)),
    ("--max-cost {}=1000", Some(Feature::Limits)),
    (
        "--max-cost class:App\\Shop=1 --max-cost file:Shop.php=1",
        Some(Feature::Limits),
    ),
    (
        "--max-cost object:libc.so.6=9 --max-cost package:acme/log=9",
        Some(Feature::Limits),
    ),
    ("--max-calls {}=10", Some(Feature::Limits)),
    ("--max-calls {}=1 --max-calls {}=11", Some(Feature::Limits)),
    ("--max-growth 0", Some(Feature::Limits)),
    ("--function {}*", Some(Feature::Function)),
    ("--filter {}*r", Some(Feature::Filter)),
    (ELEVEN_LIMITS, Some(Feature::Limits)),
    ("--max-growth {}=1 --max-growth {}=3", Some(Feature::Limits)),
    ("--each-part --max-growth 2.5", Some(Feature::Limits)),
    ("--source source", Some(Feature::Source)),
    (
        "--source source --trim-path /srv/app",
        Some(Feature::Source),
    ),
    (
        "--source-url https://host/{file}#L{line}",
        Some(Feature::Links),
    ),
    ("--strict", None),
    (
        "--on-overflow saturate --escape-html",
        Some(Feature::Entities),
    ),
];

/// How many formats each combination of options is tried in.
const FORMATS: usize = 3;

/// Fixtures that are inputs, and what they are called.
const FIXTURES: &[(&str, &str)] = &[
    ("xdebug3/features.cg", "features.cg"),
    ("xdebug3/fibers.cg", "fibers.cg"),
    ("xdebug3/proxies.cg", "proxies.cg"),
    ("xdebug3/small.v7.pre", "small.v7.pre"),
    ("valgrind/benchmarks.cg", "benchmarks.cg"),
    ("comparison/benchmarks-slower.cg", "benchmarks-slower.cg"),
    ("stacks/estimated-inclusive.cg", "inclusive.cg"),
    ("reports/names.cg", "names.cg"),
    ("other/gperf.cg", "gperf.cg"),
    ("valgrind/threads/callgrind.out.1-01", "thread-1.cg"),
    ("valgrind/threads/callgrind.out.2-01", "thread-2.cg"),
];

/// The arguments of a conversion, and its formats.
type Combination = (String, Vec<Format>);

/// The option without its value.
fn kind(option: &str) -> &str {
    option.split_once(' ').map_or(option, |(kind, _)| kind)
}

/// An input alone, in all formats, and with each of the options, beside up to two others, in some.
fn combinations(words: &[&str], input: &str) -> Vec<Combination> {
    let mut random = Random(number(input.as_bytes()));
    // webgrind's versions differ in their layout alone.
    let is_tried = |format: &Format| !matches!(format, Format::V5 | Format::V6);
    let all = Format::ALL.iter().copied().filter(is_tried);
    let mut combinations = vec![(input.to_owned(), all.clone().collect())];
    let mut options = OPTIONS.to_vec();
    random.shuffle(&mut options);
    while let Some(first) = options.pop() {
        let mut chosen = vec![first];
        for _ in 0..random.index(3) {
            let kinds: Vec<_> = chosen.iter().map(|(option, _)| kind(option)).collect();
            let mut others = options.iter();
            let other = others.rposition(|(option, _)| !kinds.contains(&kind(option)));
            chosen.extend(other.map(|other| options.remove(other)));
        }
        let (mut arguments, mut features) = (input.to_owned(), Vec::new());
        for (option, feature) in chosen {
            let is_of_two = option.contains("growth") || option.contains("per-run");
            if is_of_two && !input.contains("--base") {
                continue;
            }
            let mut parts = option.split("{}");
            arguments += &format!(" {}", parts.next().unwrap());
            for part in parts {
                arguments += one_of(words, &mut random);
                arguments += part;
            }
            features.extend(feature);
        }
        let has_all = |format: &Format| features.iter().all(|&feature| format.has(feature));
        let mut formats: Vec<_> = all.clone().filter(has_all).collect();
        random.shuffle(&mut formats);
        formats.truncate(FORMATS);
        combinations.push((arguments, formats));
    }
    combinations
}

/// A directory with all inputs, all of the same age, and with source files.
fn inputs() -> TempDir {
    let directory = TempDir::new().unwrap();
    let own = fs::read_dir(matrix()).unwrap();
    let own = own.map(|entry| (entry.unwrap().path(), None));
    let fixtures = FIXTURES.iter();
    let fixtures = fixtures.map(|&(path, name)| (fixtures::path(path), Some(name)));
    for (from, name) in own.chain(fixtures) {
        let name = name.map_or(from.file_name().unwrap(), OsStr::new);
        fs::copy(&from, directory.path().join(name)).unwrap();
    }
    for (name, text) in profiles::all() {
        fs::write(directory.path().join(name), text).unwrap();
    }
    // Our own callgrind format, of four runs of two programs.
    let mut own = runner::program();
    own.args("runs.cg tiny-1.cg -f callgrind -o own.cg".split(' '));
    assert!(own.current_dir(&directory).status().unwrap().success());
    for entry in fs::read_dir(directory.path()).unwrap() {
        let file = fs::File::options()
            .write(true)
            .open(entry.unwrap().path())
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30))
            .unwrap();
    }
    for (path, lines) in [
        ("src/Shop.php", 25),
        ("srv/app/src/Shop.php", 60),
        ("src/helpers.php", 34),
        ("src/shop.c", 400),
        ("vendor/acme/log/src/Log.php", 18),
        ("src/dir0/file0.c", 3),
    ] {
        let path = directory.path().join("source").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lines = (1..=lines).map(|line| format!("{}line {line};\n", "\t".repeat(line % 3)));
        fs::write(path, lines.collect::<String>()).unwrap();
    }
    // The longest line that is shown whole, and one that is longer by a character.
    let lines = [1_000, 1_001].map(|length| "x".repeat(length) + "\n");
    let lines = ["\n".repeat(9), lines.concat()].concat();
    fs::write(directory.path().join("source/src/edges.c"), lines).unwrap();
    directory
}

fn matrix() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/matrix")
}

/// What the program writes and says: text without what changes with each version.
fn outputs(combinations: &[Combination], directory: &Path) -> String {
    let mut outputs = String::new();
    for (arguments, formats) in combinations {
        for &format in formats {
            let mut program = runner::program();
            program
                .args(arguments.split(' '))
                .args(["-f", &format.to_string()]);
            let output = program.current_dir(directory).output().unwrap();
            let status = output.status.code().expect("it ends by itself");
            let said = String::from_utf8(output.stderr).unwrap();
            writeln!(outputs, "=== {arguments} -f {format}: {status}\n{said}").unwrap();
            outputs += &readable(format, output.stdout);
        }
    }
    outputs.replace(
        concat!("cg-preprocess ", env!("CARGO_PKG_VERSION")),
        "cg-preprocess",
    )
}

fn readable(format: Format, written: Vec<u8>) -> String {
    let written = match format {
        Format::Pprof if !written.is_empty() => {
            let mut message = Vec::new();
            GzDecoder::new(&written[..])
                .read_to_end(&mut message)
                .unwrap();
            message
        }
        _ => written,
    };
    if format.has(Feature::Binary) {
        return written.escape_ascii().to_string().replace("\\n", "\n");
    }
    let text = String::from_utf8_lossy(&written);
    let data = match text.split_once(r#"id="data">"#) {
        Some((_, data)) => data.split_once("</script>").unwrap().0,
        None => &text,
    };
    data.replace("],\"", "],\n\"").replace("},{", "},\n{")
}

#[test]
fn every_input_has_its_digest() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix");
    let digests = Digests::read(matrix().join("digests.txt"), &kept);
    let directory = inputs();
    let inputs = INPUTS.iter();
    let inputs = inputs.flat_map(|&(words, inputs)| inputs.iter().map(move |input| (words, input)));
    let inputs: Vec<_> = inputs.collect();
    let next = AtomicUsize::new(0);
    let check_some = || {
        let mut checked = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some((words, input)) = inputs.get(at) else {
                break checked;
            };
            common::get_on();
            let outputs = outputs(&combinations(words, input), directory.path());
            checked.push((at, digests.check(input, &outputs)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut checked: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(check_some)).collect();
        let checked = threads.into_iter().map(|thread| thread.join().unwrap());
        checked.flatten().collect()
    });
    checked.sort_by_key(|&(at, _)| at);
    let checked: Vec<_> = checked.into_iter().map(|(_, checked)| checked).collect();
    digests.finish(&checked);
}
