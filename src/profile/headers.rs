//! Header lines, and the summary that every output needs.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::tables::{ColumnMap, Cost, saturated};

/// What the `creator:` line of a profile begins with that this program has summed up.
pub(crate) const OWN_NAME: &[u8] = b"cg-preprocess ";

/// How the value of a `desc:` line begins that says how many runs a profile sums.
pub(crate) const RUNS: &[u8] = b"Runs: ";

/// How the value of a `desc:` line begins that says that data are missing.
pub(crate) const INCOMPLETE: &[u8] = b"Incomplete: ";

/// The most commands of which a profile says that it is from them.
const MAX_COMMANDS: usize = 100;

/// How many lines of an input are kept that repeat others, and how many sections without any line.
const MAX_REPEATED: usize = 1000;

/// How lines begin that depend on the columns of their part.
const EVENTS: &[u8] = b"events:";
const SUMMARY: &[u8] = b"summary:";

/// How the value of a `desc:` line begins that names a further command.
const COMMAND: &[u8] = b"Command: ";

/// How the value of a `desc:` line begins that names a process which is one run: its number and its
/// command.
const PROCESS: &[u8] = b"Process: ";

/// A header line of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    text: Cow<'a, [u8]>,
    total: Option<Cost>,
}

impl Header<'_> {
    /// The whole line, `key: value`, without its end.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The total of the first wanted event, if it is a `summary:` line.
    pub fn total(&self) -> Option<Cost> {
        self.total
    }

    /// The text before the first colon.
    pub fn key(&self) -> &[u8] {
        &self.text[..self.colon()]
    }

    /// The text after the first colon and the space that follows it.
    pub fn value(&self) -> &[u8] {
        let rest = self.text.get(self.colon() + 1..).unwrap_or_default();
        rest.strip_prefix(b" ").unwrap_or(rest)
    }

    fn colon(&self) -> usize {
        memchr::memchr(b':', &self.text).unwrap_or(self.text.len())
    }

    /// A `summary:` line of this total, the one that was read if it says so.
    fn summary(line: &[u8], total: Cost) -> Header<'_> {
        let mut text = Cow::Borrowed(line);
        if !begins_with(line, total) {
            let numbers = summary_costs(line.strip_prefix(SUMMARY).unwrap_or_default());
            let says_so = numbers.first() == Some(&total);
            text = Cow::Owned(SUMMARY.to_vec());
            for number in if says_so { numbers } else { vec![total] } {
                let number = format!(" {number}");
                text.to_mut().extend_from_slice(number.as_bytes());
            }
        }
        let total = Some(total);
        Header { text, total }
    }
}

/// The costs in the value of a `summary:` line, up to the first word that is not a number.
///
/// As in cost lines, numbers may be hexadecimal, and those outside the range of a signed 64-bit
/// number stay at its limits. Digits that exceed 64 bits do not count as a number.
pub(crate) fn summary_costs(value: &[u8]) -> Vec<Cost> {
    let words = value.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    words.map_while(summary_cost).collect()
}

fn summary_cost(word: &[u8]) -> Option<Cost> {
    let digits = word.strip_prefix(b"-");
    let (number, rest) = split_number(digits.unwrap_or(word))?;
    rest.is_empty().then(|| match digits {
        Some(_) => Cost::saturating_sub_unsigned(0, number),
        None => Cost::saturating_add_unsigned(0, number),
    })
}

/// The number that a text begins with, which may be hexadecimal, and what stands after it; none if
/// it has more than 64 bits.
pub(super) fn split_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (radix, text) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        _ => (10, text),
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let (digits, rest) = text.split_at(text.iter().take_while(is_digit).count());
    let number = u64::from_str_radix(str::from_utf8(digits).ok()?, radix).ok()?;
    Some((number, rest))
}

/// A run, a part, or an input.
#[derive(Clone, Debug, Default)]
struct Section {
    /// How many lines it has, and how many of these are `summary:` lines.
    lines: usize,
    summaries: usize,
    /// What its `summary:` lines add up to as they were read.
    stated: i128,
    /// Sum of its self costs.
    own: i128,
    /// Whether its `events:` lines name the selected event alone when they are written.
    is_alone: bool,
    /// Whether an event other than that of the first column is selected. The numbers of its
    /// summaries cannot be used then: Xdebug's summary of memory, for example, is a peak.
    is_rewritten: bool,
}

impl Section {
    /// What its `summary:` lines add up to as they are written.
    fn total(&self) -> i128 {
        if self.is_rewritten {
            self.own
        } else {
            self.stated
        }
    }
}

/// Collects header lines in order, section by section. What they become is decided when they are
/// written.
///
/// The text of repeated lines is kept once, and of each input only so many of them count as lines at
/// all: a file of a few compressed bytes can repeat a line any number of times. What this program says of a profile itself is no line, but a fact
/// that adds up.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    texts: IndexSet<Box<[u8]>, RandomState>,
    /// The lines of all sections in order, as positions in `texts`.
    lines: Vec<usize>,
    /// What the `summary:` lines of all sections state of the selected event.
    summaries: Vec<Cost>,
    /// What they state of each wanted event.
    stated: Stated,
    /// The same of the section that is being read, which may be left out.
    section_stated: Stated,
    sections: Vec<Section>,
    /// Sums of sections of which no line is kept, one for each kind of them.
    folded: Vec<Section>,
    /// The section that is being read.
    section: Section,
    /// How many lines of the input repeat others.
    repeated: usize,
    /// `summary:` lines that are not kept, by their positions in `texts`: how many there are of each
    /// of which the columns are not known yet.
    left_out: HashMap<usize, i128, RandomState>,
    /// How many of `lines` are bound to columns.
    bound: usize,
    runs: Runs,
    is_incomplete: bool,
}

/// What `summary:` lines state, with a number for each wanted event.
#[derive(Clone, Debug, Default)]
struct Stated {
    sums: Vec<Cost>,
    highest: Vec<Cost>,
    /// Whether a section with costs has no such line.
    is_partial: bool,
}

impl Stated {
    /// Adds a line that was read so often.
    fn add(&mut self, map: &ColumnMap, numbers: &[Cost], count: i128) {
        let row = (0..map.len()).map(|event| map.exact_cost(event, numbers));
        let sums = row
            .clone()
            .map(|cost| saturated(cost.saturating_mul(count)));
        let highest = row.map(saturated);
        self.merge(&Stated {
            sums: sums.collect(),
            highest: highest.collect(),
            is_partial: false,
        });
    }

    fn merge(&mut self, other: &Stated) {
        self.is_partial |= other.is_partial;
        let width = self.sums.len().max(other.sums.len());
        self.sums.resize(width, 0);
        self.highest.resize(width, 0);
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            *sum = sum.saturating_add(*other);
        }
        for (highest, other) in self.highest.iter_mut().zip(&other.highest) {
            *highest = (*highest).max(*other);
        }
    }

    fn map_events(&mut self, map: &ColumnMap) {
        for row in [&mut self.sums, &mut self.highest] {
            *row = (0..map.len()).map(|event| map.cost(event, row)).collect();
        }
    }
}

/// How many runs of programs a profile sums, and of how many programs.
#[derive(Clone, Debug, Default)]
struct Runs {
    /// Those that have ended.
    ended: u64,
    /// How many the run that is being read stands for, if it says so.
    stated: Option<u64>,
    /// Processes, by the positions in `texts` of lines with their commands and numbers: each is one run,
    /// however many inputs and parts it has.
    processes: IndexSet<(usize, usize), RandomState>,
    /// The same of the header that is being read, and whether it is that of a part.
    command: Option<usize>,
    pid: Option<usize>,
    is_part: bool,
    /// How many processes the run that is being read has named.
    named: u64,
    /// Whether the header says that this program has written it.
    is_own: bool,
    /// Whether what this program says comes before all other lines.
    begins_with_notes: bool,
    /// Whether there are more commands than a profile names.
    has_more_commands: bool,
    /// Whether the input was summed up by this program.
    is_sum: bool,
}

impl Runs {
    /// Takes in the value of a `desc:` line that [`text`](Self::text) has written; false if it is
    /// none.
    fn read(&mut self, value: &[u8]) -> bool {
        let Some(value) = value.strip_prefix(RUNS) else {
            return false;
        };
        let Some((runs @ 1.., rest)) = split_number(value) else {
            return false;
        };
        self.stated = Some(self.stated.unwrap_or(0).saturating_add(runs));
        self.has_more_commands |= rest.starts_with(b" of over ");
        self.is_sum = true;
        true
    }

    fn count(&self) -> u64 {
        self.ended.saturating_add(self.processes.len() as u64)
    }

    /// Ends a section of a process.
    fn end_section(&mut self) {
        if let (Some(command), Some(pid), true) = (self.command, self.pid, self.is_part) {
            self.processes.insert((command, pid));
            self.named = self.named.max(1);
        }
    }

    /// Ends a run, or several that are summed up.
    fn end(&mut self) {
        let runs = self.stated.take().unwrap_or(1);
        self.ended = self.ended.saturating_add(runs.saturating_sub(self.named));
        self.forget_header();
        self.named = 0;
    }

    fn forget_header(&mut self) {
        (self.command, self.pid, self.is_part) = (None, None, false);
    }

    fn text(&self, commands: usize) -> Vec<u8> {
        let runs = self.count().max(1);
        let of = match commands {
            _ if self.has_more_commands || commands > MAX_COMMANDS => {
                format!(" of over {MAX_COMMANDS} commands")
            }
            0 | 1 => String::new(),
            commands => format!(" of {commands} commands"),
        };
        format!("desc: Runs: {runs}{of}").into_bytes()
    }
}

impl Headers {
    /// Ends a section whose self costs add up to `own`.
    pub fn end_section(&mut self, own: i128) {
        let mut section = std::mem::take(&mut self.section);
        section.own = own;
        self.stated.merge(&std::mem::take(&mut self.section_stated));
        self.stated.is_partial |= own != 0 && section.stated == 0;
        self.bound = self.lines.len();
        self.left_out.clear();
        self.runs.end_section();
        if section.lines == 0 && self.sections.len() >= MAX_REPEATED {
            self.fold(section);
        } else if own != 0 || section.lines > 0 {
            self.sections.push(section);
        }
    }

    /// Adds a section of which no line is kept to others that are like it.
    fn fold(&mut self, section: Section) {
        let kind = |section: &Section| (section.is_rewritten, section.total() == 0);
        let mut folded = self.folded.iter_mut();
        match folded.find(|folded| kind(folded) == kind(&section)) {
            Some(folded) => {
                folded.own += section.own;
                folded.stated += section.stated;
            }
            None => self.folded.push(section),
        }
    }

    /// Forgets the lines of the section that is being read, but for those that are about others too.
    pub fn leave_out_section(&mut self) {
        const COMMON: [&[u8]; 6] = [
            b"version:",
            b"creator:",
            b"pid:",
            b"cmd:",
            b"positions:",
            EVENTS,
        ];
        let section = std::mem::take(&mut self.section);
        let summaries = self.summaries.len() - section.summaries;
        self.summaries.truncate(summaries);
        self.section_stated = Stated::default();
        let own = self.lines.split_off(self.lines.len() - section.lines);
        let common = own.into_iter().filter(|&text| {
            let text = text_at(&self.texts, text);
            COMMON.iter().any(|key| text.starts_with(key))
        });
        let before = self.lines.len();
        self.lines.extend(common);
        self.section.lines = self.lines.len() - before;
        self.section.is_alone = section.is_alone;
        self.bound = self.lines.len();
        self.left_out.clear();
        self.runs.is_part = false;
    }

    /// Ends a run of the profiled program.
    pub fn end_run(&mut self) {
        self.runs.end();
    }

    /// How many runs have ended.
    pub fn runs(&self) -> u64 {
        self.runs.count()
    }

    /// Says that what this program says of a preprocessed file comes before its other lines.
    pub fn set_preprocessed(&mut self) {
        self.runs.begins_with_notes = true;
    }

    /// Whether this program has summed up what is being read.
    pub fn is_sum(&self) -> bool {
        self.runs.is_sum
    }

    /// Whether data are missing.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Notes that data are missing.
    pub fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Takes a line. If there is no space after its colon, one is added, because webgrind's reader
    /// splits at `: `.
    pub fn push(&mut self, line: &[u8]) {
        if let Some(value) = line.strip_prefix(b"desc:") {
            let value = value.trim_ascii();
            let is_incomplete = value.starts_with(INCOMPLETE);
            self.is_incomplete |= is_incomplete;
            let is_own = self.runs.is_own || self.runs.begins_with_notes && self.lines.is_empty();
            if is_incomplete || is_own && (self.runs.read(value) || self.process(value)) {
                return;
            }
        } else if let Some(creator) = line.strip_prefix(b"creator:") {
            self.runs.is_own = creator.trim_ascii_start().starts_with(OWN_NAME);
            self.runs.is_sum |= self.runs.is_own;
        }
        let colon = memchr::memchr(b':', line).filter(|colon| line.get(colon + 1) != Some(&b' '));
        let line: Cow<'_, [u8]> = match colon {
            Some(colon) => {
                let (key, value) = line.split_at(colon + 1);
                Cow::Owned([key, b" ", value].concat())
            }
            None => Cow::Borrowed(line),
        };
        let known = self.texts.len();
        let text = self.enter(&line);
        self.note_process(&line);
        self.repeated += usize::from(text < known);
        if text < known && self.repeated > MAX_REPEATED {
            if line.starts_with(SUMMARY) {
                *self.left_out.entry(text).or_default() += 1;
            }
            return;
        }
        self.lines.push(text);
        self.section.lines += 1;
    }

    /// Takes note of what a line says of the process.
    fn note_process(&mut self, line: &[u8]) {
        if let Some(command) = line.strip_prefix(b"cmd:") {
            self.runs.command = Some(self.enter_value(b"cmd: ", command));
        } else if let Some(pid) = line.strip_prefix(b"pid:") {
            self.runs.pid = is_pid(pid).then(|| self.enter_value(b"pid: ", pid));
        } else if line.starts_with(b"part:") || line.starts_with(b"thread:") {
            self.runs.is_part = true;
        } else if line.starts_with(b"version:") && self.section.lines == 0 {
            self.runs.forget_header();
        }
    }

    /// Takes in the value of a `desc:` line that [`notes`](Self::notes) has written about a process;
    /// false if it is none.
    fn process(&mut self, value: &[u8]) -> bool {
        let Some(value) = value.strip_prefix(PROCESS) else {
            return false;
        };
        let blank = memchr::memchr(b' ', value).unwrap_or(value.len());
        let (pid, command) = value.split_at(blank);
        if !is_pid(pid) {
            return false;
        }
        let pid = self.enter_value(b"pid: ", pid);
        let command = self.enter_value(b"cmd: ", command);
        self.runs.processes.insert((command, pid));
        self.runs.named += 1;
        true
    }

    /// The processes: their numbers and commands, sorted.
    fn processes(&self) -> BTreeSet<Vec<u8>> {
        let value = |text, key| {
            let value = text_at(&self.texts, text).strip_prefix(key);
            value.unwrap_or_default()
        };
        let processes = self.runs.processes.iter();
        let processes = processes.map(|&(command, pid)| {
            let (pid, command) = (value(pid, &b"pid: "[..]), value(command, &b"cmd: "[..]));
            [pid, b" ", command].concat()
        });
        processes.collect()
    }

    /// The position in `texts` of a line as it is spelled here, whoever wrote it.
    fn enter_value(&mut self, key: &[u8], value: &[u8]) -> usize {
        self.enter(&[key, value.trim_ascii()].concat())
    }

    /// The position of a line in `texts`.
    fn enter(&mut self, line: &[u8]) -> usize {
        let known = self.texts.get_index_of(line);
        known.unwrap_or_else(|| self.texts.insert_full(line.into()).0)
    }

    /// Binds the lines that came since the last time: they refer to these columns.
    ///
    /// If the selected event is not that of the first column, they are rewritten to hold that event
    /// alone. If several events are wanted, they stay as they were read.
    pub fn bind_columns(&mut self, map: &ColumnMap, is_whole: bool) {
        let section = &mut self.section;
        let mut add_summary = |value: &[u8], count: i128| {
            let numbers = summary_costs(value);
            let stated = map.cost(0, &numbers);
            self.section_stated.add(map, &numbers, count);
            section.is_rewritten |= !is_whole && !map.is_absent(0);
            section.stated = section.stated.saturating_add(count * i128::from(stated));
            stated
        };
        let bound = std::mem::replace(&mut self.bound, self.lines.len());
        for &text in &self.lines[bound..] {
            let text = text_at(&self.texts, text);
            section.is_alone |= !is_whole && text.starts_with(EVENTS);
            if let Some(value) = text.strip_prefix(SUMMARY) {
                section.summaries += 1;
                self.summaries.push(add_summary(value, 1));
            }
        }
        for (text, count) in self.left_out.drain() {
            let value = text_at(&self.texts, text).strip_prefix(SUMMARY);
            add_summary(value.unwrap_or_default(), count);
        }
    }

    /// Appends the lines of another profile.
    pub fn append(&mut self, other: Headers) {
        let texts: Vec<_> = other.texts.iter().map(|text| self.enter(text)).collect();
        self.lines
            .extend(other.lines.iter().map(|&text| texts[text]));
        self.summaries.extend(other.summaries);
        self.stated.merge(&other.stated);
        self.sections.extend(other.sections);
        other
            .folded
            .into_iter()
            .for_each(|section| self.fold(section));
        let runs = self.runs.ended;
        self.runs.ended = runs.saturating_add(other.runs.ended);
        let processes = other.runs.processes.iter();
        let processes = processes.map(|&(command, pid)| (texts[command], texts[pid]));
        self.runs.processes.extend(processes);
        self.runs.has_more_commands |= other.runs.has_more_commands;
        self.is_incomplete |= other.is_incomplete;
    }

    /// Has what is stated follow the wanted events.
    pub fn map_events(&mut self, map: &ColumnMap) {
        self.stated.map_events(map);
    }

    /// What the `summary:` lines add up to for each wanted event, if all sections have some.
    pub fn stated_sums(&self) -> Option<&[Cost]> {
        (!self.stated.is_partial).then_some(&self.stated.sums)
    }

    /// The highest number that a `summary:` line states of each wanted event.
    pub fn highest_stated(&self) -> &[Cost] {
        &self.stated.highest
    }

    /// All lines, with correct summaries where they were missing or 0, for this selected event.
    ///
    /// What this program says itself comes first: what is cut off at the end of a file is not that.
    ///
    /// If the profile has no valid summary, a single line is added with the total. If only some
    /// sections lack theirs (because the last run was cut off), each of these gets its own.
    pub fn lines<'a>(&'a self, event: &'a [u8]) -> impl Iterator<Item = Header<'a>> {
        let sum = |cost: fn(&Section) -> i128| self.all_sections().map(cost).sum::<i128>();
        let own = sum(|section| section.own);
        let has_total = sum(Section::total) != 0;
        let mut sections = self.sections.iter();
        let first = sections.position(|section| section.summaries > 0);
        // What the first `summary:` line of a section is to say in place of what it says.
        let corrected = move |number: usize, section: &Section| {
            let total = match (has_total, section.total()) {
                (true, 0) => Some(section.own),
                // Its `summary:` lines are not among those that are kept.
                (true, total) => (section.summaries == 0).then_some(total),
                (false, _) => (first == Some(number)).then_some(own),
            };
            total.filter(|&total| total != 0)
        };
        let sections = self.sections.iter().enumerate();
        let without = self.all_sections().enumerate();
        let without = without.filter(|(_, section)| section.summaries == 0);
        let added = without.filter_map(move |(number, section)| corrected(number, section));
        let added = added.chain((!has_total && first.is_none()).then_some(own));
        let (mut lines, mut summaries) = (&self.lines[..], &self.summaries[..]);
        let lines = sections.flat_map(move |(number, section)| {
            let (of_section, stated);
            (of_section, lines) = lines.split_at(section.lines);
            (stated, summaries) = summaries.split_at(section.summaries);
            self.section_lines(
                section,
                of_section,
                stated,
                corrected(number, section),
                event,
            )
        });
        let added = added.map(|total| Header::summary(b"", saturated(total)));
        let runs = || self.runs.text(self.commands().len());
        let runs = (self.runs.count() > 1).then(runs);
        let notes = self.incomplete_line().into_iter().chain(runs);
        let notes = notes.map(|text| Header {
            text: Cow::Owned(text),
            total: None,
        });
        notes.chain(lines).chain(added)
    }

    /// The lines of a section, of whose `summary:` lines so much is `stated`, and the first is to
    /// say what is `corrected`.
    fn section_lines<'a>(
        &'a self,
        section: &'a Section,
        lines: &'a [usize],
        stated: &'a [Cost],
        corrected: Option<i128>,
        event: &'a [u8],
    ) -> impl Iterator<Item = Header<'a>> {
        let corrected = corrected.or(section.is_rewritten.then_some(section.own));
        // The columns of lines beyond these have never come.
        let mut stated = stated.iter().enumerate();
        lines.iter().filter_map(move |&text| {
            let text = text_at(&self.texts, text);
            if text.starts_with(SUMMARY)
                && let Some((nth, &stated)) = stated.next()
            {
                return match (nth, corrected) {
                    (0, Some(total)) => Some(Header::summary(text, saturated(total))),
                    _ if section.is_rewritten => None,
                    _ => Some(Header::summary(text, stated)),
                };
            }
            let text = match section.is_alone && text.starts_with(EVENTS) {
                true => Cow::Owned([EVENTS, b" ", event].concat()),
                false => Cow::Borrowed(text),
            };
            Some(Header { text, total: None })
        })
    }

    fn all_sections(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().chain(&self.folded)
    }

    /// A line that says that data are missing, if they are.
    fn incomplete_line(&self) -> Option<Vec<u8>> {
        const WHY: &[u8] = b"data were cut off, skipped or missing";
        let line = || [b"desc: ", INCOMPLETE, WHY].concat();
        self.is_incomplete.then(line)
    }

    /// Lines that say whether data are missing, how many runs there are, and of which commands
    /// besides the least; they do not depend on the order in which profiles were merged.
    pub fn notes(&self) -> Vec<Vec<u8>> {
        let commands = self.commands();
        let mut lines: Vec<_> = self.incomplete_line().into_iter().collect();
        lines.push(self.runs.text(commands.len()));
        let others = commands.iter().take(MAX_COMMANDS).skip(1);
        lines.extend(others.map(|command| [b"desc: ", COMMAND, command].concat()));
        let processes = self.processes().into_iter().take(MAX_COMMANDS);
        lines.extend(processes.map(|process| [b"desc: ", PROCESS, &process].concat()));
        lines
    }

    /// The commands that were profiled, each once, sorted.
    pub fn commands(&self) -> BTreeSet<&[u8]> {
        let commands = self.texts.iter().filter_map(|text| {
            let command = text.strip_prefix(b"cmd:");
            let command = command.or_else(|| text.strip_prefix(b"desc: ")?.strip_prefix(COMMAND));
            command.map(<[u8]>::trim_ascii)
        });
        commands.filter(|command| !command.is_empty()).collect()
    }

    /// What the `summary:` lines add up to as they were read, if there are any; a section whose
    /// lines are missing or say 0 counts with its self costs.
    pub fn stated(&self) -> Option<i128> {
        self.summaries.first()?;
        let totals = self.all_sections().map(|section| match section.stated {
            0 => section.own,
            stated => stated,
        });
        Some(totals.sum())
    }
}

/// Whether a text is the number of a process.
fn is_pid(text: &[u8]) -> bool {
    let digits = text.trim_ascii();
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn text_at(texts: &IndexSet<Box<[u8]>, RandomState>, at: usize) -> &[u8] {
    texts.get_index(at).map_or(b"", |text| text)
}

/// Whether webgrind's reader will find this number in a `summary:` line: decimal, after a single
/// space.
fn begins_with(line: &[u8], number: Cost) -> bool {
    let rest = line.strip_prefix(b"summary: ");
    let rest = rest.and_then(|rest| rest.strip_prefix(number.to_string().as_bytes()));
    rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_as_far_as_they_are_numbers() {
        assert_eq!(summary_costs(b" 36163 -433456"), [36163, -433_456]);
        assert_eq!(summary_costs(b" 0x10\t7 x 8"), [16, 7]);
        assert_eq!(summary_costs(b"1 +2"), [1]);
        assert_eq!(summary_costs(b"1 -"), [1]);
        assert_eq!(summary_costs(b""), [0; 0]);
        let ends = b"18446744073709551615 -18446744073709551615 18446744073709551616 1";
        assert_eq!(summary_costs(ends), [Cost::MAX, Cost::MIN]);
    }
}
