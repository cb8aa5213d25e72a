//! Examples of the documentation that need other programs.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common;
use crate::producer::{Bench, Tool};
use crate::profile::{Profile, convert, text_in};

const PYTHON: Tool = Tool::new("python3", "python3, and with pip duckdb");
const JQ: Tool = Tool::new("sh", "jq");
const PHP: Tool = Tool::new("php", "php-cli and php-xdebug");

/// As much of Spark as the script uses, on two partitions.
const SPARK: &str = r#"
from functools import reduce
from pathlib import Path


class SparkSession:
    @property
    def builder(self): return self
    @property
    def sparkContext(self): return self
    def appName(self, name): return self
    def getOrCreate(self): return self
    def stop(self): pass

    def binaryFiles(self, directory):
        self.files = [(path.name, path.read_bytes()) for path in sorted(Path(directory).iterdir())]
        return self

    def values(self):
        self.files = [contents for _, contents in self.files]
        return self

    def mapPartitions(self, function):
        self.files = [*function(iter(self.files[:30])), *function(iter(self.files[30:]))]
        return self

    def treeReduce(self, function): return reduce(function, self.files)


SparkSession = SparkSession()
"#;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The first block of a page in this language that begins so.
fn block(page: &str, language: &str, beginning: &str) -> String {
    let page = text_in(&docs().join(page));
    let start = format!("```{language}\n{beginning}");
    let (_, rest) = page.split_once(&start).expect("the block");
    let (rest, _) = rest.split_once("```").expect("its end");
    format!("{beginning}{rest}")
}

/// Where programs are found, this one first.
fn search_path() -> OsString {
    common::search_path(env!("CARGO_BIN_EXE_cg-preprocess"))
}

/// Requests to a few scripts, each with a cost of its own.
fn profiles(bench: &Bench, count: usize) -> Vec<PathBuf> {
    let directory = bench.path("profiles");
    fs::create_dir(&directory).expect("a directory");
    let profile = |number: usize| {
        let script = format!("/srv/app/{}.php", number % 7);
        let path = directory.join(format!("cachegrind.out.{number}"));
        let text = format!(
            "version: 1\ncreator: xdebug 3.4.0\ncmd: {script}\nevents: Time_(10ns) Memory_(bytes)\n\n\
             fl=php:internal\nfn=php::md5\n9 {number} 32\n\n\
             fl={script}\nfn={{main}}\n1 10 0\ncfl=php:internal\ncfn=php::md5\ncalls=1 0 0\n4 {number} 32\n\n\
             summary: {} 32\n",
            number + 10,
        );
        fs::write(&path, text).expect("a profile");
        path
    };
    (1..=count).map(profile).collect()
}

#[test]
fn duckdb_reads_functions_of_many_profiles() {
    let bench = Bench::new();
    profiles(&bench, 20);
    let tables = queried(&bench);
    let [.., functions] = tables.as_slice() else {
        panic!("{tables:?}");
    };
    let expected = serde_json::json!([["php::md5", 210, 20, 20], ["{main}", 200, 20, 20]]);
    assert_eq!(*functions, expected);
}

#[test]
fn jq_finds_the_costliest_functions() {
    let bench = Bench::new();
    let profile =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/comparison/valgrind-base.cg");
    fs::copy(&profile, bench.path("profile.out")).expect("a copy");
    let script = "cg-preprocess profile.out -f json |\n    jq -r '.functions | sort_by";
    let mut jq = JQ.command();
    jq.args(["-ec", &block("json.md", "sh", script)]);
    let found = JQ.run(jq.current_dir(bench.directory()).env("PATH", search_path()));
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(lines[..3], ["249150\thash", "2800\tcount", "275\twork"]);
    assert_eq!(lines.len(), 8);
}

/// What the statements of json.md give, as JSON.
fn queried(bench: &Bench) -> Vec<Value> {
    let mut shell = Command::new("sh");
    shell.args(["-ec", &block("json.md", "sh", "mkdir -p json")]);
    let shell = shell
        .current_dir(bench.directory())
        .env("PATH", search_path());
    assert!(shell.status().expect("a shell").success());
    // On a slow machine, it would print its progress among the results.
    let program = "import duckdb, json, sys\n\
        duckdb.execute('SET enable_progress_bar = false')\n\
        for statement in duckdb.extract_statements(sys.argv[1]):\n    \
            rows = duckdb.execute(statement).fetchall()\n    \
            print(json.dumps(rows, default=int))\n";
    let mut command = PYTHON.command();
    command.current_dir(bench.directory()).args(["-c", program]);
    let output = PYTHON.run(command.arg(block("json.md", "sql", "CREATE VIEW profiles")));
    let tables = output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    tables.collect()
}

/// Runs the block of ci.md that begins so, as it is printed: its exit status, and what it says.
fn run_recipe(bench: &Bench, beginning: &str) -> (Option<i32>, String) {
    let mut shell = Command::new("sh");
    let recipe = block("ci.md", "sh", beginning);
    shell.args(["-ec", &format!("PATH=$PWD/bin:$PATH\n{recipe}")]);
    shell
        .current_dir(bench.directory())
        .env("PATH", search_path());
    let output = shell.env("GITHUB_STEP_SUMMARY", "summary.md").output();
    let output = output.expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

/// Puts a script where it is found as a program, or as a file of a project.
fn write_script(bench: &Bench, name: &str, script: &str) {
    let path = bench.path(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn a_php_test_suite_keeps_to_its_limits() {
    PHP.run(
        PHP.command()
            .args(["-r", "exit(extension_loaded('xdebug') ? 0 : 1);"]),
    );
    let bench = Bench::new();
    let calls = "<?php class Store { function query() {} }\n\
        for ($i = 0; $i < 101; $i++) (new Store)->query();\n";
    write_script(&bench, "vendor/bin/phpunit", calls);
    let (status, said) = run_recipe(&bench, "mkdir -p profiles");
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.contains(r#"function "PDO->query" not found"#),
        "{said}"
    );
    // The same calls by the name that is limited.
    let profile = bench
        .path("profiles")
        .read_dir()
        .expect("a directory")
        .next();
    let profile = profile.expect("a profile").expect("an entry").path();
    let text = text_in(&profile).replace("Store->query", "php::PDO->query");
    fs::write(profile, text).expect("a profile");
    write_script(&bench, "vendor/bin/phpunit", "<?php\n");
    let (status, said) = run_recipe(&bench, "mkdir -p profiles");
    assert_eq!(status, Some(3), "{said}");
    let failed = "failed: PDO->query was called 101 times: more than the limit of 100";
    assert!(said.contains(failed), "{said}");
    let summary = text_in(&bench.path("summary.md"));
    assert!(
        summary.contains("**failed**: `PDO->query was called 101 times"),
        "{summary}"
    );
}

/// Its options are those with which gungraun runs Valgrind, and the empty file is there that stands
/// beside those of threads.
#[test]
fn benchmarks_of_gungraun_keep_to_their_limits() {
    let bench = Bench::new();
    bench.compile("calls.c", &[]);
    let cargo = "#!/bin/sh\nmkdir -p target/gungraun/sums\n\
        exec valgrind -q --tool=callgrind --cache-sim=yes --compress-strings=no --compress-pos=no \
        --separate-threads=yes --trace-children=yes \
        --callgrind-out-file=target/gungraun/sums/callgrind.sums.out ./program\n";
    write_script(&bench, "bin/cargo", cargo);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci/profile-limits.sh");
    let of_project = ".github/workflows/profile-limits.sh";
    write_script(&bench, of_project, &text_in(&script));
    let (status, said) = run_recipe(&bench, "cargo bench");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("there is no base"), "{said}");
    // On the main branch, the same with `keep`.
    let recipe = block("ci.md", "sh", "cargo bench").replace(" check ", " keep ");
    write_script(&bench, "keep.sh", &format!("PATH=$PWD/bin:$PATH\n{recipe}"));
    let mut keep = Command::new("sh");
    keep.args(["-e", "keep.sh"]).current_dir(bench.directory());
    assert!(
        keep.env("PATH", search_path())
            .status()
            .expect("a shell")
            .success()
    );
    let (status, said) = run_recipe(&bench, "cargo bench");
    assert_eq!(status, Some(0), "{said}");
    let empty = bench.path("target/gungraun/sums/callgrind.sums.out");
    assert_eq!(fs::metadata(empty).expect("the empty file").len(), 0);
    let summary = text_in(&bench.path("summary.md"));
    assert!(summary.contains(": the limit passed"), "{summary}");
    // The base is that of each benchmark.
    assert!(bench.path("profile-base/callgrind.sums.out-01").exists());
}

#[test]
fn jq_makes_figures_for_dashboards() {
    let bench = Bench::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stacks/sums-plain.cg");
    fs::copy(fixture, bench.path("callgrind.out")).expect("a profile");
    let recipe = "cg-preprocess callgrind.out -f json | jq";
    let (status, said) = run_recipe(&bench, recipe);
    assert_eq!(status, Some(0), "{said}");
    // github-action-benchmark takes a list of {name, unit, value}.
    let action: Value = serde_json::from_str(&text_in(&bench.path("figures.json"))).expect("JSON");
    let expected = serde_json::json!([{"name": "Ir", "unit": "count", "value": 190_970}]);
    assert_eq!(action, expected);
}

#[test]
fn spark_merges_profiles() {
    let page = text_in(&docs().join("many-machines.md"));
    let script = docs().join("many-machines/spark.py");
    assert!(page.contains("many-machines/spark.py"));

    let bench = Bench::new();
    let inputs = profiles(&bench, 40);
    let direct = bench.path("direct.cg");
    convert(&inputs, &direct, &["-q", "-f", "callgrind"]);
    let merged = bench.path("merged.cg");
    fs::create_dir(bench.path("pyspark")).expect("a directory");
    fs::write(bench.path("pyspark/__init__.py"), "").expect("a package");
    fs::write(bench.path("pyspark/sql.py"), SPARK).expect("a module");
    let mut command = PYTHON.command();
    command
        .env("PATH", search_path())
        .env("PYTHONPATH", bench.directory());
    command.current_dir(bench.directory()).arg(&script);
    command.args([&bench.path("profiles"), &merged]);
    PYTHON.run(&mut command);
    assert!(fs::read(&merged).expect("a profile") == fs::read(&direct).expect("a profile"));
    let expected = (1..=40).sum::<i64>() + 400;
    assert_eq!(Profile::json(&[merged], &[]).total(), expected);
}
