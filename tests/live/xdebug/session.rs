//! Runs of PHP under Xdebug: their profile, and what the programs counted themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::function_trace::{self, Block};
use crate::common::preprocessed::Decoded;
use crate::invocations::{self, Links};
use crate::producer::{Bench, Tool, sources};
use crate::profile::{Profile, assert_figures, first_number, number, signed, stacks, text_in};

pub const PHP: Tool = Tool::new("php", "php-cli and php-xdebug");
pub const PHPUNIT: Tool = Tool::new("phpunit", "phpunit");

pub type Counts = BTreeMap<String, i64>;

/// Where a profiled PHP program writes.
pub struct Session {
    pub bench: Bench,
    /// How often the programs called their functions.
    pub counts: Counts,
}

impl Session {
    pub fn new() -> Self {
        Session {
            bench: Bench::new(),
            counts: Counts::new(),
        }
    }

    /// Profiles a program.
    pub fn of(script: &str) -> Self {
        let mut session = Session::new();
        session.run(script, &[]);
        session
    }

    pub fn profile(&self) -> PathBuf {
        self.bench.path("out.cg")
    }

    pub fn command(&self, script: &str, settings: &[&str]) -> Command {
        self.command_of(&sources().join("php").join(script), settings)
    }

    fn command_of(&self, script: &Path, settings: &[&str]) -> Command {
        let mut command = PHP.command();
        command
            .env("XDEBUG_MODE", "profile")
            .env_remove("XDEBUG_CONFIG");
        let directory = format!("xdebug.output_dir={}", self.bench.directory().display());
        let usual = [
            "memory_limit=-1",
            "xdebug.start_with_request=yes",
            "xdebug.use_compression=0",
            "xdebug.profiler_output_name=out.cg",
            &directory,
        ];
        for setting in [&usual, settings].concat() {
            command.args(["-d", setting]);
        }
        command.arg(script);
        command
    }

    /// Profiles a program, and has Xdebug write a trace of its calls besides.
    pub fn trace(&mut self, script: &str) {
        self.trace_program(&sources().join("php").join(script), &[]);
    }

    /// The same of any PHP program.
    pub fn trace_program(&mut self, script: &Path, arguments: &[&str]) {
        let settings = ["xdebug.trace_format=1", "xdebug.trace_output_name=out"];
        let mut command = self.command_of(script, &settings);
        command.env("XDEBUG_MODE", "profile,trace").args(arguments);
        let output = PHP.output(&mut command);
        self.require_profile(&output.stderr);
    }

    /// The blocks of the profile, as the trace knows them.
    pub fn blocks(&self) -> Vec<Block> {
        function_trace::blocks(&self.bench.path("out.xt"), &self.profile())
    }

    /// The profile with times that are the same in every run, in units of so many nanoseconds.
    ///
    /// Real ones depend on what else the machine does: a program that is interrupted where Xdebug has
    /// measured one of two times, has a call that costs other than what it called.
    pub fn with_times(&self, unit: u64, own: impl Fn(usize) -> u64) -> PathBuf {
        let text = function_trace::with_times(&self.blocks(), &self.profile(), unit, own);
        let path = self.bench.path("times");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The stacks that the trace says, with such times.
    pub fn stacks(&self, own: impl Fn(usize) -> u64) -> Counts {
        function_trace::stacks(&self.blocks(), own)
    }

    /// Who called whom: by a profile, and by the trace.
    pub fn links(&self, profile: &Path) -> [Links; 2] {
        let blocks = self.blocks();
        let of_tracer = blocks.iter().filter(|block| block.is_of_tracer);
        let of_tracer: BTreeSet<_> = of_tracer.map(|block| &block.name).collect();
        let found = invocations::links(&invocations::of(&[profile.to_owned()]));
        let without_tracer = found.into_iter().map(|(caller, mut calls)| {
            calls.retain(|(name, _)| !of_tracer.contains(name));
            (caller, calls)
        });
        let found = without_tracer.filter(|(_, calls)| !calls.is_empty());
        [found.collect(), function_trace::links(&blocks)]
    }

    /// Profiles a program once more and adds the calls that it counted.
    ///
    /// Its exit status is its own affair: some of them end by an error.
    pub fn run(&mut self, script: &str, settings: &[&str]) -> Value {
        let output = PHP.output(&mut self.command(script, settings));
        self.require_profile(&output.stderr);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let report = report(&text);
        for (name, count) in report.as_object().expect("an object") {
            *self.counts.entry(name.clone()).or_default() += number(count);
        }
        report
    }

    pub fn require_profile(&self, messages: &[u8]) {
        assert!(
            !self.bench.files("out.cg").is_empty(),
            "php wrote no profile: install php-xdebug\n{}",
            String::from_utf8_lossy(messages),
        );
    }

    pub fn convert(&self) -> Profile {
        Profile::silently(&[self.profile()], &[])
    }

    /// Compares invocation counts and headers, and returns what was compared.
    pub fn check(&self) -> Profile {
        let profile = self.convert();
        self.check_counts(&profile);
        self.check_headers(&profile);
        profile
    }

    /// What the program counted is what there is, apart from PHP's own functions.
    pub fn check_counts(&self, profile: &Profile) {
        assert_figures(&own_invocations(profile), &self.counts);
    }

    /// `{main}` is what the summary says, but for the time before it began.
    pub fn check_headers(&self, profile: &Profile) {
        let text = text_in(&self.profile());
        let values = text
            .lines()
            .filter_map(|line| line.strip_prefix("summary: "));
        let stated: i64 = values
            .map(|value| first_number(value).expect("a number"))
            .sum();
        assert_eq!(profile.summary(), stated);
        let main = profile.inclusive("{main}");
        assert!(0 < main && main <= stated, "{main} of {stated}");
        assert_eq!(profile.event, "Time_(10ns)");
    }

    /// Compares the invocations of v4, all of which must be linked up to these roots.
    pub fn check_invocations(&self, roots: &[&str]) -> Decoded {
        let file = invocations::of(&[self.profile()]);
        let mut found = invocations::counts(&file);
        found.retain(|name, _| !name.starts_with("php::"));
        assert_figures(&found, &self.counts);
        file.assert_linked();
        let mut found = file.roots();
        found.dedup();
        assert_eq!(found, roots);
        file
    }

    /// Sees that stacks are those of a walk over v4, and add up to the total.
    pub fn check_stacks(&self) {
        let inputs = [self.profile()];
        let (stacks, said) = stacks(&inputs, &[]);
        assert_eq!(said, "");
        assert_figures(&stacks, &invocations::of(&inputs).stacks());
        let total = Profile::json(&inputs, &[]).total();
        assert_eq!(stacks.values().sum::<i64>(), total);
    }
}

/// Invocations of all functions but PHP's own.
pub fn own_invocations(profile: &Profile) -> Counts {
    let mut counts = profile.by_name(|row| signed(row.invocations));
    counts.retain(|name, _| !name.starts_with("php::"));
    counts
}

/// The line of JSON among what a program printed.
fn report(text: &str) -> Value {
    let line = text.lines().rfind(|line| line.starts_with("{\""));
    let line = line.unwrap_or_else(|| panic!("the program reported nothing:\n{text}"));
    serde_json::from_str(line).expect("JSON")
}
