//! The runs in a profile, and their programs.

use std::collections::BTreeSet;

use super::stated::split_number;

/// The beginning of a `desc:` value with the number of runs.
pub(crate) const RUNS: &[u8] = b"Runs: ";

/// The beginning of a `desc:` value with another command.
const COMMAND: &[u8] = b"Command: ";

/// The beginning of a `desc:` value with the PID and command of a process, which is one run.
const PROCESS: &[u8] = b"Process: ";

/// The most commands that a profile lists.
const MAX_COMMANDS: usize = 100;

/// The runs of the profiled programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    /// The finished runs whose processes are unknown.
    ended: u64,
    /// The PIDs and commands of processes. Each process is one run, even if it has several inputs
    /// and parts.
    processes: BTreeSet<Vec<u8>>,
    /// The profiled commands.
    commands: BTreeSet<Vec<u8>>,
    /// Whether there are more commands than a profile lists.
    has_more_commands: bool,
    /// The number of runs that the current input or run states, if any.
    stated: Option<u64>,
    /// The number of processes named by the current input or run.
    named: u64,
    header: ProcessHeader,
}

/// The process of the current header.
#[derive(Clone, Debug, Default)]
struct ProcessHeader {
    command: Vec<u8>,
    pid: Vec<u8>,
    /// Whether it is the header of a part.
    is_part: bool,
}

impl Runs {
    /// Reads a header line.
    pub fn read(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"cmd" => {
                self.header.command = value.to_vec();
                self.commands.insert(value.to_vec());
            }
            b"pid" => self.header.pid = value.to_vec(),
            b"part" | b"thread" => self.header.is_part = true,
            _ => {}
        }
    }

    /// Begins a header.
    pub fn begin_header(&mut self) {
        self.header = ProcessHeader::default();
    }

    /// Reads the value of one of our own [`lines`](Self::lines).
    pub fn read_note(&mut self, value: &[u8]) {
        if let Some(command) = value.strip_prefix(COMMAND) {
            self.commands.insert(command.to_vec());
        } else if let Some(process) = value.strip_prefix(PROCESS) {
            if process.first().is_some_and(u8::is_ascii_digit) {
                self.processes.insert(process.to_vec());
                self.named += 1;
            }
        } else if let Some((runs @ 1.., rest)) = value.strip_prefix(RUNS).and_then(split_number) {
            self.stated = Some(self.stated.unwrap_or(0).saturating_add(runs));
            self.has_more_commands |= rest.starts_with(b" of over ");
        }
    }

    /// Ends a part of a run.
    pub fn end_section(&mut self) {
        let ProcessHeader { command, pid, .. } = &self.header;
        let is_known = !command.is_empty() && !pid.is_empty() && pid.iter().all(u8::is_ascii_digit);
        if is_known && self.header.is_part {
            self.processes.insert([pid, &b" "[..], command].concat());
            self.named = self.named.max(1);
        }
    }

    /// Marks the current part as not requested.
    pub fn leave_out_section(&mut self) {
        self.header.is_part = false;
    }

    /// Ends a run, or a merged profile of several.
    pub fn end(&mut self) {
        let runs = self.stated.take().unwrap_or(1);
        let others = runs.saturating_sub(std::mem::take(&mut self.named));
        self.ended = self.ended.saturating_add(others);
        self.begin_header();
    }

    /// The number of finished runs; 1 before the first has ended.
    pub fn count(&self) -> u64 {
        let ended = self.ended.saturating_add(self.processes.len() as u64);
        ended.max(1)
    }

    /// Adds the runs of other inputs.
    pub fn append(&mut self, other: Runs) {
        self.ended = self.ended.saturating_add(other.ended);
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
