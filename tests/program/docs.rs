//! What the documentation shows: commands with their output, scripts, and links.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::common;
use crate::runner::{fixture, messages};
use crate::transcripts::{self, shell, top};

/// All pages for people.
fn pages() -> Vec<PathBuf> {
    let directories = [top().to_owned(), top().join("docs")];
    let pages = directories
        .iter()
        .flat_map(|directory| common::pages::pages(directory));
    let pages: Vec<_> = pages.collect();
    assert!(pages.len() > 5, "{pages:?}");
    pages
}

#[test]
fn commands_give_the_output_that_is_shown() {
    let mut count = 0;
    for path in pages() {
        if fs::read_to_string(&path).unwrap().contains("```console") {
            count += 1;
            common::pages::check(&path, |block| {
                (block.kind == "console").then(|| transcripts::run(block, top(), None))
            });
        }
    }
    assert!(count > 2);
}

#[test]
fn the_changelog_tells_of_this_version() {
    let changes = fs::read_to_string(top().join("CHANGELOG.md")).unwrap();
    let mut headings = changes.lines().filter_map(|line| line.strip_prefix("## ["));
    let newest = headings.find(|heading| !heading.starts_with("Unreleased"));
    let version = concat!(env!("CARGO_PKG_VERSION"), "] - ");
    assert!(newest.unwrap().starts_with(version), "{newest:?}");
}

#[test]
fn links_lead_somewhere() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let targets = page.split("](").skip(1);
        let targets = targets.map(|rest| rest.split(')').next().unwrap());
        for target in targets.filter(|target| !target.contains("://")) {
            let file = target.split('#').next().unwrap();
            let linked = path.parent().unwrap().join(file);
            assert!(linked.exists(), "{}: {target}", path.display());
        }
    }
}

/// CONTRIBUTING.md says how it is made before a release, so it may be older than the program.
#[test]
fn the_sample_report_is_small_and_of_its_fixture() {
    let report = fs::read_to_string(top().join("docs/sample-report.html")).unwrap();
    assert!(report.len() < 300_000, "{}", report.len());
    assert!(report.contains("/usr/bin/composer"));
}

/// Paths in the table of what goes where.
#[test]
fn the_architecture_names_what_there_is() {
    let page = fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap();
    let quoted = page.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|text| text.ends_with(".rs") || text.ends_with('/'));
    let mut count = 0;
    for path in paths {
        let directories = [
            "src",
            ".",
            "src/callgrind",
            "src/callgrind/interpreter",
            "src/output/html",
        ];
        let mut places = directories
            .iter()
            .map(|directory| top().join(directory).join(path));
        let is_there = places.any(|place| place.exists());
        assert!(is_there, "{path}");
        count += 1;
    }
    assert!(count > 20);
}

/// Blocks of commands, on a profile that has all the names that the pages use.
#[cfg(all(unix, feature = "compression"))]
mod scripts {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Those of many-machines.md are run by `.ci/many-machines`.
    const PAGES: &str = "README.md docs/ci.md docs/graphs.md docs/json.md docs/php.md docs/profilers.md \
                         docs/report.md docs/valgrind.md docs/webgrind.md";
    /// What needs another user's rights, and the script that has tests of its own.
    const LEFT_OUT: [&str; 2] = ["sudo ", "profile-limits.sh"];
    /// Programs that are not run, as the pages say of those that no other test runs. What does
    /// nothing stands in for them.
    const STAND_INS: &str = "callgrind_annotate cargo dot gcc go inferno-flamegraph jq kcachegrind open php pyprof2calltree \
                             valgrind wp xdg-open";
    const PROFILES: &str = "base.out cachegrind.out.1234 cachegrind.out.5678 input.callgrind new.out profile.out \
                            profiles/cachegrind.out.1764327600.25._cart_XDEBUG_TRIGGER=1";
    const OF_VALGRIND: &str = "callgrind.out callgrind.out.1234 callgrind.out.1235 heap.out parts.out parts-base.out \
                               run-1.out run-2.out \
                               target/gungraun/app/bench/parser/parse.long/callgrind.parse.long.out \
                               target/gungraun/app/bench/parser/parse.long/callgrind.parse.long.out.old";

    fn workplace() -> TempDir {
        let directory = TempDir::new().unwrap();
        let of_gungraun = "target/gungraun/app/bench/parser/parse.long";
        for name in ["bin", "profiles", "src", of_gungraun, "vendor/bin"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        let of_frameworks = ["console", "../vendor/bin/drush"];
        for name in STAND_INS.split(' ').chain(of_frameworks) {
            let path = directory.path().join("bin").join(name);
            fs::write(&path, "#!/bin/sh\ncat >/dev/null\n").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
        let profile = fs::read_to_string(fixture("xdebug3/proxies.cg")).unwrap();
        let profile = profile
            .replace(r"Shop\Cart->total", r"App\Kernel->boot")
            .replace(r"Shop\Cart->sum", "parse")
            .replace("php::round", "php::PDO->query")
            .replace("php::strlen", "php::PDOStatement->execute");
        let of_valgrind = fs::read_to_string(fixture("valgrind/benchmarks.cg")).unwrap();
        for (pid, name) in OF_VALGRIND.split(' ').enumerate() {
            // Files of one process are parts of one run.
            let profile = of_valgrind.replace("pid: 24442", &format!("pid: {pid}"));
            fs::write(directory.path().join(name), profile).unwrap();
        }
        for name in PROFILES.split(' ') {
            fs::write(directory.path().join(name), &profile).unwrap();
        }
        directory
    }

    #[test]
    fn commands_of_every_page_are_run_or_marked_as_not_run() {
        for page in pages() {
            let text = fs::read_to_string(&page).unwrap();
            let blocks = common::pages::blocks(&text);
            let has_commands = blocks.iter().any(|block| block.kind == "sh");
            let name = page.strip_prefix(top()).unwrap().to_str().unwrap();
            let is_run =
                name == "docs/many-machines.md" || PAGES.split(' ').any(|page| page == name);
            let is_told = is_run || text.contains("No test runs");
            assert!(!has_commands || is_told, "{name}");
        }
    }

    #[test]
    fn run_without_errors() {
        for page in PAGES.split(' ') {
            let text = fs::read_to_string(top().join(page)).unwrap();
            let directory = workplace();
            let mut count = 0;
            for block in common::pages::blocks(&text) {
                let (language, block) = (block.kind, block.text);
                if language != "sh" || LEFT_OUT.iter().any(|word| block.contains(word)) {
                    continue;
                }
                let block = block.replace("/tmp", "$TMPDIR");
                let script = format!(
                    "set -e; export TMPDIR=$PWD PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=summary.md\n{block}"
                );
                let output = shell(&script, directory.path());
                let said = messages(&output);
                // The status of a pipeline is that of its last command.
                let is_done = output.status.success() && !said.contains("error:");
                assert!(is_done, "{page}: {block}{said}");
                count += 1;
            }
            assert!(count > 0, "{page}");
        }
    }
}
