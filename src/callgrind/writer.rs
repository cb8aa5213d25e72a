//! Writes a summed profile in the callgrind format, which other programs can open and which can be
//! merged again.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter, Write};

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use thiserror::Error;

use crate::profile::{
    Cost, EdgeRef, Event, FunctionId, NameId, OF_XDEBUG_2, OWN_NAME, Profile, first_cost,
};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why a profile cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A sum reached an end of the 64 bits.
    #[error("some sums do not fit into 64 bits")]
    TooLarge,
}

/// Something that a user should know about a profile that was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteWarning {
    /// So many names have bytes at which their lines would end or begin.
    #[error(
        "{0} names have line ends in them, or blanks before them, which the callgrind format cannot hold: they were spelled like \\x0a"
    )]
    SpelledNames(usize),
    /// The inclusive costs of so many functions are not those of the calls.
    #[error(
        "the inclusive costs of {0} functions are not their self costs and those of their calls, and readers of the callgrind format will work them out so"
    )]
    InclusiveCosts(usize),
}

/// Writes all functions and calls with the costs of all events, sorted by object, file and name.
/// Calls in inlined code stand under `fi=` lines.
///
/// The output can be read as an aggregate with the same functions, lines, costs and calls, and is
/// then written as the same bytes. It does not depend on the order in which inputs were merged. It
/// does not hold the number of invocations of functions that nothing calls (when read, it is 1),
/// nor the self costs by line.
///
/// # Errors
///
/// When the output fails, and, before anything is written, when a sum does not fit into 64 bits.
pub fn write(profile: &Profile, output: impl Write) -> Result<Vec<WriteWarning>, WriteError> {
    let has_too_many_calls = || profile.edges().any(|edge| edge.calls == u64::MAX);
    if profile.has_saturated() || has_too_many_calls() {
        return Err(WriteError::TooLarge);
    }
    let names = Names::of(profile);
    let order = Order::of(profile, &names);
    let mut writer = Writer {
        profile,
        names: &names,
        order: &order,
        output: BufWriter::new(output),
        objects: Ids::default(),
        files: Ids::default(),
        functions: Ids::default(),
        object: NameId::EMPTY,
        file: None,
        inline_file: None,
        other_inclusive: 0,
    };
    writer.header()?;
    for (number, group) in order.groups.iter().enumerate() {
        writer.function(number, group)?;
    }
    // By this line a reader knows that nothing is missing.
    writer.output.write_all(b"\n")?;
    writer.totals("totals:")?;
    writer.output.flush()?;
    Ok(writer.warnings())
}

/// The names of a profile as they are written.
struct Names<'a> {
    profile: &'a Profile,
    /// The names that cannot be written unchanged.
    spelled: HashMap<NameId, Vec<u8>, RandomState>,
}

impl<'a> Names<'a> {
    fn of(profile: &'a Profile) -> Self {
        let functions = profile.functions();
        let names =
            functions.flat_map(|(_, function)| [function.object, function.file, function.name]);
        let names = names.chain(profile.edges().filter_map(|edge| edge.file()));
        let spelled = names.filter_map(|id| Some((id, spell(profile.name(id))?)));
        let spelled = spelled.collect();
        Names { profile, spelled }
    }

    fn get(&self, id: NameId) -> &[u8] {
        match self.spelled.get(&id) {
            Some(text) => text,
            None => self.profile.name(id),
        }
    }
}

/// A name that comes back when its line is read, without line ends and without what is trimmed; none
/// if the name itself does.
fn spell(name: &[u8]) -> Option<Vec<u8>> {
    let is_lost = |(at, byte): (usize, &u8)| match byte {
        b' ' | b'\t' => at == 0,
        b'\r' => at + 1 == name.len(),
        byte => *byte == b'\n',
    };
    let bytes = name.iter().enumerate();
    let spelled = bytes
        .clone()
        .flat_map(|(at, byte)| match is_lost((at, byte)) {
            true => format!("\\x{byte:02x}").into_bytes(),
            false => vec![*byte],
        });
    bytes.clone().any(is_lost).then(|| spelled.collect())
}

/// The functions of a profile by object, file and name.
///
/// Functions that agree in all three are merged, because readers could not tell them apart. There
/// can be some from a preprocessed file, which has no objects.
struct Order {
    groups: Vec<Group>,
    /// The group of every function by its number.
    group_of: Vec<usize>,
}

/// Functions with the same names.
struct Group {
    functions: Vec<FunctionId>,
    /// The lowest, as in merging; 0 if unknown.
    line: u64,
}

impl Group {
    fn first(&self) -> FunctionId {
        self.functions[0]
    }
}

impl Order {
    fn of(profile: &Profile, names: &Names<'_>) -> Self {
        let mut by_names: BTreeMap<_, Vec<FunctionId>> = BTreeMap::new();
        for (id, function) in profile.functions() {
            let names = [function.object, function.file, function.name].map(|name| names.get(name));
            by_names.entry(names).or_default().push(id);
        }
        let mut group_of = vec![0; profile.functions().len()];
        let groups = by_names
            .into_values()
            .enumerate()
            .map(|(group, functions)| {
                for id in &functions {
                    group_of[id.index()] = group;
                }
                let lines = functions.iter().map(|&id| profile.function(id).line);
                let line = lines.filter(|&line| line > 0).min().unwrap_or(0);
                Group { functions, line }
            });
        Order {
            groups: groups.collect(),
            group_of,
        }
    }
}

type Ids = IndexSet<usize, RandomState>;

/// What identifies calls of a group of functions: the name of their file, if it is not that of the
/// functions, their line, and the group that is called.
type CallKey<'a> = (Option<&'a [u8]>, u64, usize);

struct Writer<'a, W: Write> {
    profile: &'a Profile,
    names: &'a Names<'a>,
    order: &'a Order,
    output: BufWriter<W>,
    /// What has an id already, by first appearance: objects and files by their names, functions by
    /// their groups, for KCachegrind takes what has one id for one function, whatever its file.
    objects: Ids,
    files: Ids,
    functions: Ids,
    /// The object in force.
    object: NameId,
    /// The file of the last `fl=`.
    file: Option<NameId>,
    /// The file of an `fi=` since then.
    inline_file: Option<NameId>,
    /// How many functions have inclusive costs that differ from what readers will compute.
    other_inclusive: usize,
}

impl<'a, W: Write> Writer<'a, W> {
    fn header(&mut self) -> io::Result<()> {
        let profile = self.profile;
        let output = &mut self.output;
        output.write_all(b"# callgrind format\nversion: 1\n")?;
        output.write_all(&[b"creator: ", OWN_NAME, VERSION.as_bytes()].concat())?;
        if profile.is_of_xdebug_2() {
            output.write_all(OF_XDEBUG_2)?;
        }
        // The least one, so that it does not depend on the order of the inputs.
        let command = profile.commands().next().unwrap_or_default();
        output.write_all(&[b"\ncmd: ", command, b"\n"].concat())?;
        for line in profile.notes() {
            output.write_all(&[&line[..], b"\n"].concat())?;
        }
        output.write_all(b"positions: line\n")?;
        for definition in profile.event_definitions() {
            output.write_all(&[b"event: ", &definition[..], b"\n"].concat())?;
        }
        let names: Vec<&[u8]> = profile.events().iter().map(Event::name).collect();
        let names = names.join(&b' ');
        output.write_all(&[b"events: ", &names[..], b"\n"].concat())?;
        self.totals("summary:")
    }

    fn totals(&mut self, key: &str) -> io::Result<()> {
        self.output.write_all(key.as_bytes())?;
        for total in self.profile.totals() {
            write!(self.output, " {total}")?;
        }
        self.output.write_all(b"\n")
    }

    /// A block with the sums of functions that are one.
    fn function(&mut self, number: usize, group: &Group) -> Result<(), WriteError> {
        let profile = self.profile;
        let ids = group.functions.iter();
        let self_costs = self.sum(ids.clone().map(|&id| profile.self_costs(id)))?;
        let calls = self.calls(group);
        let inclusive = ids.map(|&id| i128::from(first_cost(profile.inclusive_costs(id))));
        let parts = calls.iter().map(|(_, edge)| first_cost(edge.costs()));
        let parts = parts.chain([first_cost(&self_costs)]).map(i128::from);
        self.other_inclusive += usize::from(inclusive.sum::<i128>() != parts.sum());
        if calls.is_empty() && !self.needs_block(&group.functions, &self_costs) {
            return Ok(());
        }
        let function = profile.function(group.first());
        self.output.write_all(b"\n")?;
        if self.object != function.object {
            self.object = function.object;
            self.name_line("ob=", function.object)?;
        }
        // At `fn=`, some readers stay in the file of an `fi=`, and others return from it.
        if [self.file, self.inline_file] != [Some(function.file), None] {
            (self.file, self.inline_file) = (Some(function.file), None);
            self.name_line("fl=", function.file)?;
        }
        self.line_with_id("fn=", function.name, number)?;
        self.costs(group.line, &self_costs)?;
        for calls in calls.chunk_by(|(key, _), (other, _)| key == other) {
            let ((name, line, callee), edge) = calls[0];
            let file = name.and(edge.file()).unwrap_or(function.file);
            if file != self.inline_file.unwrap_or(function.file) {
                self.inline_file = Some(file);
                self.name_line("fi=", file)?;
            }
            let mut counts = calls.iter().map(|(_, edge)| edge.calls);
            let count = counts.try_fold(0, u64::checked_add);
            self.callee(callee, count.ok_or(WriteError::TooLarge)?)?;
            let costs = self.sum(calls.iter().map(|(_, edge)| edge.costs()))?;
            self.costs(line, &costs)?;
        }
        Ok(())
    }

    /// Whether readers would lose something without the block of a group that calls nothing.
    ///
    /// One without costs and calls would give a function an invocation that is called from a place
    /// without a count.
    fn needs_block(&self, group: &[FunctionId], self_costs: &[Cost]) -> bool {
        let profile = self.profile;
        let mut callers = group.iter().flat_map(|&id| profile.called_from(id));
        let invocations = || {
            let functions = group.iter().map(|&id| profile.function(id));
            functions.map(|function| function.invocations).max()
        };
        self_costs.iter().any(|&cost| cost != 0)
            || callers.all(|edge| edge.calls == 0) && invocations() != Some(0)
            || group.iter().all(|&id| profile.called_from(id).len() == 0)
    }

    /// The calls of a group, by file (those in the group's own come first), line and callee.
    fn calls(&self, group: &Group) -> Vec<(CallKey<'a>, EdgeRef<'a>)> {
        let own_name = self.names.get(self.profile.function(group.first()).file);
        let edges = group.functions.iter();
        let edges = edges.flat_map(|&id| self.profile.sub_calls(id));
        let keyed = edges.map(|edge| {
            let name = edge.file().map(|file| self.names.get(file));
            let name = name.filter(|&name| name != own_name);
            let callee = self.order.group_of[edge.callee.index()];
            ((name, edge.line, callee), edge)
        });
        let mut calls: Vec<_> = keyed.collect();
        calls.sort_by_key(|&(key, _)| key);
        calls
    }

    /// The sums of rows of costs.
    fn sum<'c>(&self, rows: impl Iterator<Item = &'c [Cost]>) -> Result<Vec<Cost>, WriteError> {
        let mut sums: Vec<Cost> = vec![0; self.profile.events().len()];
        for row in rows {
            for (sum, &cost) in sums.iter_mut().zip(row) {
                *sum = sum.checked_add(cost).ok_or(WriteError::TooLarge)?;
            }
        }
        Ok(sums)
    }

    /// The lines of a call up to its costs.
    fn callee(&mut self, group: usize, calls: u64) -> io::Result<()> {
        let callees = &self.order.groups[group];
        let callee = self.profile.function(callees.first());
        if callee.object != self.object {
            self.name_line("cob=", callee.object)?;
        }
        if Some(callee.file) != self.inline_file.or(self.file) {
            self.name_line("cfi=", callee.file)?;
        }
        self.line_with_id("cfn=", callee.name, group)?;
        writeln!(self.output, "calls={calls} {}", callees.line)
    }

    /// A cost line, without the zeros at its end.
    fn costs(&mut self, line: u64, costs: &[Cost]) -> io::Result<()> {
        write!(self.output, "{line}")?;
        let last = costs.iter().rposition(|&cost| cost != 0).unwrap_or(0);
        for cost in costs.iter().take(last + 1) {
            write!(self.output, " {cost}")?;
        }
        self.output.write_all(b"\n")
    }

    /// A line that names an object or a file.
    fn name_line(&mut self, key: &str, name: NameId) -> io::Result<()> {
        self.line_with_id(key, name, name.index())
    }

    /// A line with a name, which defines an id the first time that this is named.
    fn line_with_id(&mut self, key: &str, name: NameId, named: usize) -> io::Result<()> {
        let ids = match key {
            "ob=" | "cob=" => &mut self.objects,
            "fn=" | "cfn=" => &mut self.functions,
            _ => &mut self.files,
        };
        let (name, output) = (self.names.get(name), &mut self.output);
        output.write_all(key.as_bytes())?;
        if !name.is_empty() {
            let (index, is_new) = ids.insert_full(named);
            write!(output, "({})", index + 1)?;
            if is_new {
                output.write_all(b" ")?;
                output.write_all(name)?;
            }
        }
        output.write_all(b"\n")
    }

    fn warnings(&self) -> Vec<WriteWarning> {
        let mut warnings = Vec::new();
        if let count @ 1.. = self.names.spelled.len() {
            warnings.push(WriteWarning::SpelledNames(count));
        }
        if let functions @ 1.. = self.other_inclusive {
            warnings.push(WriteWarning::InclusiveCosts(functions));
        }
        warnings
    }
}
