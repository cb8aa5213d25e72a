//! Runs of PHP under Xdebug: their profile, and what the programs counted themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::function_trace;
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
        let folder = format!("xdebug.output_dir={}", self.bench.folder().display());
        let usual = [
            "memory_limit=-1",
            "xdebug.start_with_request=yes",
            "xdebug.use_compression=0",
            "xdebug.profiler_output_name=out.cg",
            &folder,
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

    /// Sees that who called whom in a profile is what the trace says.
    pub fn check_links(&self, profile: &Path) {
        let [found, expected] = self.links(profile);
        assert_figures(&found, &expected);
    }

    /// Sees that a program with fibers has the stacks that the trace says. Invocations of one function
    /// at the same cost cannot be told apart, so that 0.2 % of the cost may stand in others of these.
    pub fn check_stacks_of_fibers(&self, profile: &Path) {
        let file = invocations::of(&[profile.to_owned()]);
        let [found, expected] = self
            .links(profile)
            .map(|links| invocations::stacks(&file, &links));
        let names = |stacks: &Counts| stacks.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected));
        let moved = found
            .iter()
            .map(|(stack, cost)| cost.abs_diff(expected[stack]));
        let (moved, total) = (moved.sum::<u64>() / 2, expected.values().sum::<i64>());
        assert!(moved * 500 <= total.unsigned_abs(), "{moved} of {total}");
    }

    /// Who called whom: by the profile, and by the trace.
    pub fn links(&self, profile: &Path) -> [Links; 2] {
        let expected = function_trace::links(&self.bench.path("out.xt"), profile);
        let found = invocations::links(&invocations::of(&[profile.to_owned()]));
        let of_tracer = |(name, _): &(String, u32)| name.ends_with("->__debugInfo");
        let without_tracer = found.into_iter().map(|(caller, mut calls)| {
            calls.retain(|call| !of_tracer(call));
            (caller, calls)
        });
        let found = without_tracer
            .filter(|(_, calls)| !calls.is_empty())
            .collect();
        [found, expected]
    }

    /// The profile as if its times had been measured in microseconds.
    pub fn in_microseconds(&self) -> PathBuf {
        let text = text_in(&self.profile());
        let mut rounded = String::new();
        for line in text.lines() {
            let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
            match numbers.as_deref() {
                Ok([line, time, memory]) => {
                    rounded += &format!("{line} {} {memory}", (time + 50) / 100);
                }
                _ => rounded += line,
            }
            rounded.push('\n');
        }
        let path = self.bench.path("microseconds");
        std::fs::write(&path, rounded).expect("a file");
        path
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

    /// Sees that stacks are those of a walk over v4, and functions cost what their stacks do.
    pub fn check_stacks(&self) {
        let inputs = [self.profile()];
        let (stacks, said) = stacks(&inputs, &[]);
        assert_eq!(said, "");
        assert_figures(&stacks, &invocations::of(&inputs).stacks());
        let profile = Profile::json(&inputs, &["--inclusive", "outermost"]);
        // A function that does not recurse costs what its block and calls say.
        profile.assert_outermost(&stacks, |cost| 100 + cost / 100);
        assert_eq!(stacks.values().sum::<i64>(), profile.total());
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
