//! Many combinations of options on small inputs, with one digest for what each combination writes and
//! says in all formats. The digests notice every change; that an output is right is for other tests to
//! say.
//!
//! What was written is in `target/tmp/matrix/`, so that a failure can show the difference from the last
//! run that agreed. `BLESS=1 cargo test --test program matrix` writes `matrix/digests.txt` anew.

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
use crate::common::{self, fixtures};
use crate::runner;

/// Arguments that name inputs, and what stands for `{F}`, `{G}`, `{W}` and `{H}` in options: two functions,
/// words to look for, and words to hide.
const INPUTS: &[(&str, [&str; 4])] = &[
    // A trace against what the program was before, in another directory.
    ("shop.cg", ["run", "query", "cart", "vendor/"]),
    (
        "shop.cg --base shop.cg.old",
        ["App\\Shop->run", "fib", "shop", "vendor/"],
    ),
    (
        "shop.cg.old --base shop.cg",
        ["row", "App\\Cart->run", "log", "php::"],
    ),
    (
        "shop.cg --base shop.cg",
        ["query", "App\\odd", "part", "helper"],
    ),
    (
        "shop.cg.old shop.cg",
        ["App\\Shop::total", "get", "log", "Log.php"],
    ),
    // A trace at random, with ties, recursion, and functions of the same name.
    ("random.cg", ["App\\Shop->run", "helper", "log", "php::"]),
    (
        "random.cg --base random.cg.old",
        ["helper", "App\\Shop->run", "app", "vendor/acme/log/"],
    ),
    (
        "random.cg.old --base random.cg",
        ["App\\even", "fib", "php", "App\\"],
    ),
    // Several runs, and one that was killed.
    ("runs.cg", ["fib", "{main}", "helper", "helper"]),
    ("truncated.cg", ["{main}", "fib", "cart", "php::"]),
    (
        "truncated.cg --base runs.cg",
        ["fib", "cart", "helper", "fib"],
    ),
    ("features.cg", ["{main}", "produce", "php", "php::"]),
    (
        "fibers.cg",
        ["{main}", "php::Fiber->start", "fiber", "php::"],
    ),
    (
        "proxies.cg",
        ["{main}", "php::call_user_func", "call", "php::"],
    ),
    // Sums of Valgrind: ten events and eleven, inlined code, cycles, parts, two programs.
    ("sums.cg", ["run", "fib", "shop", "std::"]),
    (
        "sums.cg --base sums.cg.old",
        ["Shop::run", "malloc", "cart", "libc.so"],
    ),
    (
        "sums.cg.old --base sums.cg",
        ["memcpy", "even", "run", "malloc"],
    ),
    ("programs.cg", ["main", "run", "mail", "libc"]),
    (
        "programs.cg --base sums.cg",
        ["odd", "free", "std", "shop.c"],
    ),
    ("parts.cg", ["even", "Cart::add", "main", "core::"]),
    (
        "parts.cg --base parts.cg.old",
        ["run", "run_all", "shop", "std::"],
    ),
    (
        "parts.cg.old --base parts.cg",
        ["fib", "fmt", "libc", "run_all"],
    ),
    ("thread-1.cg thread-2.cg", ["main", "worker", "lib", "libc"]),
    (
        "benchmarks-slower.cg --base benchmarks.cg",
        ["main", "fib", "bench", "libc"],
    ),
    ("inclusive.cg", ["f0", "f1", "f", "f2"]),
    // As many rows and callers as are shown, and one more.
    ("wide.cg", ["shared", "ten", "dir1", "dir1/"]),
    (
        "wide.cg --base wide.cg.old",
        ["calls_many", "shared", "file1.c", "f2"],
    ),
    (
        "wide.cg.old --base wide.cg",
        ["ten", "calls_many", "dir2", "shared"],
    ),
    // Two parts with calls in inlined code, and what each text lists at most, with one more.
    ("edges.cg", ["run", "main", "edges", "lib"]),
    ("edges.cg --base edges.cg.old", ["run", "work", "c", "run"]),
    ("edges.cg edges.cg.old", ["run", "helper", "h", "inlined"]),
    ("borders.cg", ["same", "part1::same", "part", "part3"]),
    ("commands.cg", ["main", "main", "a.c", "main"]),
    // Several files: runs of two programs, and what they were before.
    ("sums.cg mail.cg", ["run", "even", "shop", "malloc"]),
    (
        "sums.cg mail.cg --base sums.cg.old --base mail.cg",
        ["Shop::run", "run", "mail", "libc"],
    ),
    (
        "shop.cg random.cg --base shop.cg.old --base random.cg.old",
        ["helper", "fib", "shop", "vendor/"],
    ),
    (
        "shop.cg lost.cg runs.cg --keep-going",
        ["fib", "{main}", "cart", "php::"],
    ),
    (
        "fibers.cg proxies.cg",
        ["{main}", "php::call_user_func", "call", "php::"],
    ),
    ("own.cg", ["{main}", "run", "cart", "php::"]),
    (
        "runs.cg runs.cg --base truncated.cg",
        ["fib", "helper", "php", "php::"],
    ),
    // Few functions, which recur through each other, through PHP's own and in several programs.
    ("tiny-1.cg", ["helper", "usort", "shop", "php::"]),
    (
        "tiny-1.cg --base tiny-1.cg.old",
        ["App\\Shop->run", "array_map", "log", "helper"],
    ),
    (
        "tiny-1.cg.old --base tiny-1.cg",
        ["App\\Shop->runAll", "helper", "php", "App\\Shop->run"],
    ),
    (
        "tiny-2.cg",
        ["Acme\\Log\\Log->write", "array_map", "app", "usort"],
    ),
    (
        "tiny-2.cg --base tiny-2.cg.old",
        ["helper", "usort", "shop", "php::"],
    ),
    ("tiny-3.cg", ["App\\Shop->run", "helper", "php", "closure"]),
    (
        "tiny-3.cg tiny-1.cg --base tiny-2.cg",
        ["usort", "helper", "shop", "vendor/"],
    ),
    ("graph-1.cg", ["run", "even", "shop", "odd"]),
    (
        "graph-1.cg --base graph-1.cg.old",
        ["even", "run", "main", "fib"],
    ),
    ("graph-3.cg", ["odd", "malloc", "run", "even"]),
    ("graph-1.cg graph-2.cg", ["run", "even", "fib", "odd"]),
    (
        "graph-1.cg graph-2.cg --base graph-1.cg.old --base graph-3.cg",
        ["fib", "odd", "run", "even"],
    ),
    (
        "graph-2.cg graph-3.cg graph-1.cg",
        ["even", "main", "odd", "run"],
    ),
    // Deep stacks and odd names, no cost, callers in names, and no calls.
    ("deep.cg", ["level9", "level39", "deep", "level1"]),
    (
        "deep.cg --base nothing.cg",
        ["level1", "level0", "level2", "level3"],
    ),
    (
        "nothing.cg --base deep.cg",
        ["level0", "level1", "level", "level1"],
    ),
    ("chains.cg", ["leaf", "a", "b", "leaf"]),
    ("cachegrind.out", ["run", "main", "shop", "main"]),
    // Names to shorten, and others' files.
    ("names.cg", ["main", "run", "vec", "std::"]),
    ("gperf.cg", ["main", "fib", "lib", "std::"]),
    ("small.v7.pre", ["{main}", "strlen", "php", "php::"]),
    ("broken.cg --lenient", ["run", "total", "app", "php::"]),
];

/// One more than messages list.
const ELEVEN_LIMITS: &str = "--max-cost 1 --max-cost 2 --max-cost 3 --max-cost 4 --max-cost 5 --max-cost 6 \
    --max-cost 7 --max-calls {F}=0 --max-calls {G}=0 --max-calls lost=0 --max-cost {W}=0";

/// Options, and what a format must have to take them.
const OPTIONS: &[(&str, Option<Feature>)] = &[
    ("--by class", Some(Feature::Groups)),
    ("--by file", Some(Feature::Groups)),
    ("--by package", Some(Feature::Groups)),
    ("--by object", Some(Feature::Groups)),
    ("--by line", Some(Feature::Groups)),
    ("--by part", Some(Feature::Groups)),
    ("--hide {H}", Some(Feature::Hidden)),
    ("--hide {F}", Some(Feature::Hidden)),
    ("--hide {W} --hide {G}", Some(Feature::Hidden)),
    ("--filter {W}", Some(Feature::Filter)),
    ("--filter {F}", Some(Feature::Filter)),
    ("--function {F}", Some(Feature::Function)),
    ("--function {G}", Some(Feature::Function)),
    ("--function {W}", Some(Feature::Function)),
    ("--sort inclusive", Some(Feature::Sort)),
    ("--sort calls", Some(Feature::Sort)),
    ("--top 0", Some(Feature::Top)),
    ("--top 1", Some(Feature::Top)),
    ("--top 3", Some(Feature::Top)),
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
    ("--max-cost {F}=1000", Some(Feature::Limits)),
    (
        "--max-cost class:App\\Shop=1 --max-cost file:Shop.php=1",
        Some(Feature::Limits),
    ),
    (
        "--max-cost object:libc.so.6=9 --max-cost package:acme/log=9",
        Some(Feature::Limits),
    ),
    ("--max-calls {F}=10", Some(Feature::Limits)),
    (
        "--max-calls {G}=1 --max-calls {W}=11",
        Some(Feature::Limits),
    ),
    ("--max-growth 0", Some(Feature::Limits)),
    ("--function {F}*", Some(Feature::Function)),
    ("--filter {W}*r", Some(Feature::Filter)),
    (ELEVEN_LIMITS, Some(Feature::Limits)),
    (
        "--max-growth {F}=1 --max-growth {G}=3",
        Some(Feature::Limits),
    ),
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

/// Of the options with each input, and of the pairs of options, one in so many is tried.
const ONE_IN: [u64; 2] = [6, 190];

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

/// An input with options, which is a line of the file.
struct Case {
    name: String,
    arguments: Vec<String>,
    formats: Vec<Format>,
}

impl Case {
    /// An input with options, if that is useful and one of so many.
    fn one_in(
        count: u64,
        input: &str,
        words: [&str; 4],
        options: &[(&str, Option<Feature>)],
    ) -> Option<Self> {
        let texts = options.iter().map(|(text, _)| *text);
        let parts: Vec<_> = [input].into_iter().chain(texts).collect();
        let name = parts.join(" ");
        let needs_base = name.contains("growth") || name.contains("--per-run");
        let is_useful = !needs_base || name.contains("--base");
        if !is_useful || !number(name.as_bytes()).is_multiple_of(count) {
            return None;
        }
        let words = ["{F}", "{G}", "{W}", "{H}"].into_iter().zip(words);
        let filled = |argument: &str| {
            let argument = argument.to_owned();
            let words = words.clone();
            words.fold(argument, |text, (letter, word)| text.replace(letter, word))
        };
        let has_all = |format: &Format| {
            let mut features = options.iter().filter_map(|&(_, feature)| feature);
            features.all(|feature| format.has(feature))
        };
        // webgrind's versions differ in their layout alone.
        let is_old = |format| matches!(format, Format::V4 | Format::V5 | Format::V6);
        let is_tried = |format: &Format| options.is_empty() || !is_old(*format);
        let formats = Format::ALL.iter().copied().filter(has_all);
        let formats: Vec<_> = formats.filter(is_tried).collect();
        (!formats.is_empty()).then(|| Case {
            arguments: name.split(' ').map(filled).collect(),
            formats,
            name,
        })
    }
}

/// Each input alone and with some of the options, some pairs of them, and a third with each pair.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let count = OPTIONS.len() as u64;
    let kind = |option: usize| OPTIONS[option].0.split(' ').next();
    for &(input, words) in INPUTS {
        let case = |one_in: u64, options: &[usize]| {
            let options: Vec<_> = options.iter().map(|&at| OPTIONS[at]).collect();
            Case::one_in(one_in, input, words, &options)
        };
        cases.extend(case(1, &[]));
        for one in 0..OPTIONS.len() {
            cases.extend(case(ONE_IN[0], &[one]));
            for two in (one + 1..OPTIONS.len()).filter(|&two| kind(two) != kind(one)) {
                let Some(pair) = case(ONE_IN[1], &[one, two]) else {
                    continue;
                };
                let three = usize::try_from(number(pair.name.as_bytes()) / 1000 % count).unwrap();
                cases.push(pair);
                if ![kind(one), kind(two)].contains(&kind(three)) {
                    cases.extend(case(1, &[one, two, three]));
                }
            }
        }
    }
    cases
}

/// A directory with all inputs, all of the same age, and with source files.
fn inputs() -> TempDir {
    let directory = TempDir::new().unwrap();
    let own = fs::read_dir(matrix())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let own = own.map(|path| (path.clone(), path.file_name().unwrap().to_owned()));
    let fixtures = FIXTURES
        .iter()
        .map(|(path, name)| (fixtures::path(path), (*name).into()));
    for (from, name) in own.chain(fixtures) {
        let to = directory.path().join(name);
        fs::copy(from, &to).unwrap();
        let file = fs::File::options().write(true).open(to).unwrap();
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
fn outputs(case: &Case, directory: &Path) -> String {
    let mut outputs = format!("{}\n", case.name);
    for &format in &case.formats {
        let mut program = runner::program();
        program
            .args(&case.arguments)
            .args(["-f", &format.to_string()]);
        let output = program.current_dir(directory).output().unwrap();
        let status = output.status.code().expect("it ends by itself");
        let said = String::from_utf8(output.stderr).unwrap();
        writeln!(outputs, "=== {format}: {status}\n{said}").unwrap();
        outputs += &readable(format, output.stdout);
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
fn every_combination_has_its_digest() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix");
    let digests = Digests::read(matrix().join("digests.txt"), &kept);
    let directory = inputs();
    let cases = cases();
    let next = AtomicUsize::new(0);
    let check_some = || {
        let mut checked = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(case) = cases.get(at) else { break };
            common::get_on();
            let outputs = outputs(case, directory.path());
            checked.push((at, digests.check(&case.name, &outputs)));
        }
        checked
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
