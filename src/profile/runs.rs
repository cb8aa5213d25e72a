//! The runs in a profile, and their programs.

use std::collections::BTreeSet;

/// The beginning of a `desc:` value with the number of runs.
pub(crate) const RUNS: &[u8] = b"Runs: ";

/// The beginning of a `desc:` value with another command.
pub(super) const COMMAND: &[u8] = b"Command: ";

/// The beginning of a `desc:` value with the PID and command of a process, which is one run.
pub(super) const PROCESS: &[u8] = b"Process: ";

/// The most commands that a profile lists.
const MAX_COMMANDS: usize = 100;

/// The runs of the profiled programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    /// The runs whose processes are unknown.
    unnamed: u64,
    /// The PIDs and commands of processes. Each process is one run, even if it has several inputs
    /// and parts.
    pub processes: BTreeSet<Vec<u8>>,
    /// The profiled commands.
    pub commands: BTreeSet<Vec<u8>>,
    /// Whether there are more commands than a profile lists.
    pub has_more_commands: bool,
}

impl Runs {
    /// Adds runs whose processes are unknown.
    pub fn add_unnamed(&mut self, runs: u64) {
        self.unnamed = self.unnamed.saturating_add(runs);
    }

    /// The number of finished runs; 1 before the first has ended.
    pub fn count(&self) -> u64 {
        let runs = self.unnamed.saturating_add(self.processes.len() as u64);
        runs.max(1)
    }

    /// Adds the runs of other inputs.
    pub fn append(&mut self, other: Runs) {
        self.add_unnamed(other.unnamed);
        self.processes.extend(other.processes);
        self.commands.extend(other.commands);
        self.has_more_commands |= other.has_more_commands;
    }

    /// The profiled commands, sorted.
    pub fn commands(&self) -> impl Iterator<Item = &[u8]> {
        let commands = self.commands.iter().map(Vec::as_slice);
        commands.filter(|command| !command.is_empty())
    }

    /// Lines with the number of runs, the processes, and the commands except the first one.
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> {
        let runs = self.count();
        let of = match self.commands().count() {
            commands if self.has_more_commands || commands > MAX_COMMANDS => {
                format!(" of over {MAX_COMMANDS} commands")
            }
            0 | 1 => String::new(),
            commands => format!(" of {commands} commands"),
        };
        let commands = self.commands().take(MAX_COMMANDS).skip(1);
        let commands = commands.map(|command| [b"desc: ", COMMAND, command].concat());
        let processes = self.processes.iter().take(MAX_COMMANDS);
        let processes = processes.map(|process| [b"desc: ", PROCESS, process].concat());
        let runs = format!("desc: Runs: {runs}{of}").into_bytes();
        [runs].into_iter().chain(commands).chain(processes)
    }
}
