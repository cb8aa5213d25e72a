//! Examples of the documentation that need other programs.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::producer::{Bench, Tool};
use crate::profile::{Profile, convert, text_in};

const PYTHON: Tool = Tool::new("python3", "python3, and with pip duckdb and pyspark");
const SPARK: Tool = Tool::new(
    "python3",
    "python3, default-jre-headless, and with pip pyspark",
);

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
    let program = Path::new(env!("CARGO_BIN_EXE_cg-preprocess"));
    let folder = program.parent().expect("a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = [folder].into_iter().chain(env::split_paths(&others));
    env::join_paths(folders).expect("folders")
}

/// Requests to a few scripts, each with a cost of its own.
fn profiles(bench: &Bench, count: usize) -> Vec<PathBuf> {
    let folder = bench.path("profiles");
    fs::create_dir(&folder).expect("a folder");
    let profile = |number: usize| {
        let script = format!("/srv/app/{}.php", number % 7);
        let path = folder.join(format!("cachegrind.out.{number}"));
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
fn duckdb_reads_functions_and_calls_of_many_profiles() {
    let bench = Bench::new();
    profiles(&bench, 20);
    let mut shell = Command::new("sh");
    shell.args(["-ec", &block("json.md", "sh", "mkdir -p json")]);
    let shell = shell.current_dir(bench.folder()).env("PATH", search_path());
    assert!(shell.status().expect("a shell").success());
    let program = "import duckdb, json, sys\n\
        for statement in duckdb.extract_statements(sys.argv[1]):\n    \
            rows = duckdb.execute(statement).fetchall()\n    \
            print(json.dumps(rows, default=int))\n";
    let mut command = PYTHON.command();
    command.current_dir(bench.folder()).args(["-c", program]);
    let output = PYTHON.run(command.arg(block("json.md", "sql", "CREATE VIEW profiles")));
    let tables = output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let tables: Vec<Value> = tables.collect();
    let [.., functions, calls] = tables.as_slice() else {
        panic!("{output}");
    };
    let expected = serde_json::json!([["php::md5", 210, 20, 20], ["{main}", 200, 20, 20]]);
    assert_eq!(*functions, expected);
    assert_eq!(*calls, serde_json::json!([["{main}", "php::md5", 20]]));
}

#[test]
fn spark_merges_profiles() {
    let page = text_in(&docs().join("many-machines.md"));
    let script = docs().join("many-machines/spark.py");
    let code = block("many-machines.md", "python", "def sums");
    assert!(page.contains("many-machines/spark.py"));
    assert!(text_in(&script).contains(&code));

    let bench = Bench::new();
    let inputs = profiles(&bench, 40);
    let direct = bench.path("direct.cg");
    convert(&inputs, &direct, &["-q", "-f", "callgrind"]);
    let merged = bench.path("merged.cg");
    let mut command = SPARK.command();
    command
        .env("PATH", search_path())
        .env("SPARK_LOCAL_IP", "127.0.0.1");
    command.current_dir(bench.folder()).arg(&script);
    command.args([&bench.path("profiles"), &merged]);
    SPARK.run(&mut command);
    assert!(fs::read(&merged).expect("a profile") == fs::read(&direct).expect("a profile"));
    let expected = (1..=40).sum::<i64>() + 400;
    assert_eq!(Profile::json(&[merged], &[]).total(), expected);
}
