//! Writes a merged profile in the callgrind format, which other programs can open and which can be
//! merged again.

use std::io::{self, BufWriter, Write};

use thiserror::Error;

use super::interpreter::MORE_INVOCATIONS;
use crate::maps::{HashSet, IndexSet};
use crate::profile::{CallEdge, Cost, EdgeRef, FunctionId, Line, NameId, Profile};
use crate::tables::first_cost;

/// Why a profile cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallgrindWriteError {
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A sum reached an end of the 64 bits.
    #[error("some sums exceed 64 bits")]
    TooLarge,
}

/// A difference between a profile and the written one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallgrindWriteWarning {
    /// This number of names contain line ends, or begin with blanks.
    #[error(
        "names that contain line ends or begin with blanks, which the callgrind format does not allow, were written like \\x0a: {0}"
    )]
    SpelledNames(usize),
    /// The inclusive costs of this number of functions are not self costs plus calls.
    #[error(
        "inclusive costs of functions that cannot be represented in the callgrind format: {0}; readers will show self cost plus calls"
    )]
    InclusiveCosts(usize),
}

/// Writes all functions and calls with the costs of all events, sorted by object, file and name.
///
/// The self costs of a function are on their [lines](Profile::lines), the function's own first.
/// Lines and calls in inlined code follow `fi=` lines.
///
/// The output can be read as an aggregate with the same functions, lines, costs and calls, and is
/// then written as the same bytes. It does not depend on the order in which inputs were merged. The
/// invocations of functions without callers are in comments, which other readers skip.
///
/// # Errors
///
/// When the output fails, and, before anything is written, when a sum exceeds 64 bits.
pub fn write(
    profile: &Profile,
    output: impl Write,
) -> Result<Vec<CallgrindWriteWarning>, CallgrindWriteError> {
    check(profile)?;
    let functions = profile.functions();
    let spelled: HashSet<NameId> = functions
        .flat_map(|(_, function)| [function.object, function.file, function.name])
        .chain(profile.edges().filter_map(|edge| edge.file()))
        .chain(profile.line_files())
        .filter(|&name| spell(profile.name(name)).is_some())
        .collect();
    let are_one = |pair: &[FunctionId]| profile.names_of(pair[0]) == profile.names_of(pair[1]);
    let order = sorted(profile);
    let other_inclusive = if spelled.is_empty() && !order.windows(2).any(are_one) {
        write_distinct(profile, order, output)?
    } else {
        // Readers could not distinguish these functions. A webgrind file can have some, because it
        // has no objects.
        let renamed = profile
            .renamed(spell)
            .map_err(|_| CallgrindWriteError::TooLarge)?;
        check(&renamed)?;
        write_distinct(&renamed, sorted(&renamed), output)?
    };
    let mut warnings = Vec::new();
    if let count @ 1.. = spelled.len() {
        warnings.push(CallgrindWriteWarning::SpelledNames(count));
    }
    if let functions @ 1.. = other_inclusive {
        warnings.push(CallgrindWriteWarning::InclusiveCosts(functions));
    }
    Ok(warnings)
}

/// Writes functions that differ in their object, file or name, in this order. Returns the number of
/// those whose inclusive costs differ from what readers compute.
fn write_distinct(
    profile: &Profile,
    order: Vec<FunctionId>,
    output: impl Write,
) -> Result<usize, CallgrindWriteError> {
    let mut ranks = vec![0; order.len()];
    for (rank, id) in order.iter().enumerate() {
        ranks[id.index()] = rank;
    }
    let mut writer = Writer {
        profile,
        ranks,
        has_counts: profile.edges().any(|edge| edge.calls > 0),
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
    for id in order {
        writer.function(id)?;
    }
    // This line proves that nothing is missing.
    writer.output.write_all(b"\n")?;
    writer.totals()?;
    writer.output.flush()?;
    Ok(writer.other_inclusive)
}

/// Checks that all sums fit into 64 bits.
fn check(profile: &Profile) -> Result<(), CallgrindWriteError> {
    let functions = profile.functions();
    let invocations = functions.map(|(_, function)| function.invocations);
    let mut counts = invocations.chain(profile.edges().map(|edge| edge.calls));
    if profile.has_saturated() || counts.any(|count| count == u64::MAX) {
        Err(CallgrindWriteError::TooLarge)
    } else {
        Ok(())
    }
}

/// The functions by object, file and name.
fn sorted(profile: &Profile) -> Vec<FunctionId> {
    let mut order: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
    order.sort_by_cached_key(|&id| profile.names_of(id));
    order
}

/// The escaped form of a name that would not survive reading its line; `None` if it would.
fn spell(name: &[u8]) -> Option<Vec<u8>> {
    let is_lost = |(at, byte): (usize, &u8)| match byte {
        b' ' | b'\t' => at == 0,
        b'\r' => at + 1 == name.len(),
        byte => *byte == b'\n',
    };
    let bytes = name.iter().enumerate();
    let spelled = bytes.clone().flat_map(|(at, byte)| {
        if is_lost((at, byte)) {
            format!("\\x{byte:02x}").into_bytes()
        } else {
            vec![*byte]
        }
    });
    bytes.clone().any(is_lost).then(|| spelled.collect())
}

type Ids = IndexSet<usize>;

struct Writer<'a, W: Write> {
    profile: &'a Profile,
    /// The position of each function in the output.
    ranks: Vec<usize>,
    /// Whether any edge has a number of calls.
    has_counts: bool,
    output: BufWriter<W>,
    /// Objects, files and functions with an id, in order of appearance. Functions of the same name
    /// have different ids, because KCachegrind treats an id as one function, whatever its file.
    objects: Ids,
    files: Ids,
    functions: Ids,
    /// The current object.
    object: NameId,
    /// The file of the last `fl=`.
    file: Option<NameId>,
    /// The file of an `fi=` since then, if it is current.
    inline_file: Option<NameId>,
    /// The number of functions whose inclusive costs differ from those that readers compute.
    other_inclusive: usize,
}

impl<'a, W: Write> Writer<'a, W> {
    fn header(&mut self) -> io::Result<()> {
        self.output.write_all(b"# callgrind format\n")?;
        for line in self.profile.common_headers(&self.profile.totals()) {
            self.output.write_all(line.text())?;
            self.output.write_all(b"\n")?;
        }
        Ok(())
    }

    fn totals(&mut self) -> io::Result<()> {
        self.output.write_all(b"totals:")?;
        for total in self.profile.totals() {
            write!(self.output, " {total}")?;
        }
        self.output.write_all(b"\n")
    }

    /// Writes the block of a function.
    fn function(&mut self, id: FunctionId) -> Result<(), CallgrindWriteError> {
        let profile = self.profile;
        let (function, self_costs) = (profile.function(id), profile.self_costs(id));
        let calls: Vec<EdgeRef<'_>> = profile.sub_calls(id).collect();
        let inclusive = i128::from(first_cost(profile.inclusive_costs(id)));
        let called = calls
            .iter()
            .map(|edge| i128::from(first_cost(edge.costs())));
        let sum = called.sum::<i128>() + i128::from(first_cost(self_costs));
        self.other_inclusive += usize::from(inclusive != sum);
        let has_block = !calls.is_empty() || self.needs_block(id);
        let more_invocations = self.more_invocations(id, has_block);
        if !has_block && more_invocations.is_none() {
            return Ok(());
        }
        self.output.write_all(b"\n")?;
        if self.object != function.object {
            self.object = function.object;
            self.name_line("ob=", function.object)?;
        }
        // At `fn=`, some readers keep the file of the last `fi=`, others return to that of `fl=`.
        if [self.file, self.inline_file] != [Some(function.file), None] {
            (self.file, self.inline_file) = (Some(function.file), None);
            self.name_line("fl=", function.file)?;
        }
        if let Some(more) = more_invocations {
            self.output.write_all(MORE_INVOCATIONS)?;
            writeln!(self.output, "{more}")?;
        }
        self.line_with_id("fn=", function.name, id.index())?;
        let own = |line: &Line<'_>| line.file.is_none() && line.line == function.line;
        match profile.all_lines(id).find(own) {
            Some(line) => self.costs(line.line, line.costs)?,
            // Readers use the first line as the function's.
            None => self.costs(function.line, &[0])?,
        }
        let lines = profile.all_lines(id).filter(|line| !own(line));
        let calls = calls.iter().map(|edge| {
            let (file, line, costs) = (edge.file(), edge.line, edge.costs());
            (Line { file, line, costs }, Some(edge))
        });
        let mut lines: Vec<_> = lines.map(|line| (line, None)).chain(calls).collect();
        // By file, the function's own first: self costs, then calls by line and callee.
        lines.sort_by_key(|(line, call)| {
            let file = line.file.map(|file| profile.name(file));
            (
                file,
                call.map(|call| (call.line, self.ranks[call.callee.index()])),
            )
        });
        for (line, call) in lines {
            self.enter_file(line.file)?;
            if let Some(call) = call {
                self.callee(call)?;
            }
            self.costs(line.line, line.costs)?;
        }
        Ok(())
    }

    /// Enters inlined code of another file, or returns to the function's file.
    fn enter_file(&mut self, file: Option<NameId>) -> io::Result<()> {
        if file == self.inline_file {
            return Ok(());
        }
        self.inline_file = file;
        match (file, self.file) {
            (Some(file), _) => self.name_line("fi=", file),
            (None, file) => self.name_line("fe=", file.unwrap_or(NameId::EMPTY)),
        }
    }

    /// Whether a function without calls needs a block.
    ///
    /// Readers count a block without costs and calls as an invocation, so a function that is called
    /// without a count has none.
    fn needs_block(&self, id: FunctionId) -> bool {
        let mut callers = self.profile.called_from(id);
        self.profile.all_lines(id).next().is_some()
            || callers.len() == 0
            || callers.all(|edge| edge.calls == 0)
                && self.profile.function(id).counted_invocations() != 0
    }

    /// The invocations of a function minus the calls to it, if readers would compute another number;
    /// -1 if it was not invoked at all.
    fn more_invocations(&self, id: FunctionId, has_block: bool) -> Option<i128> {
        let function = self.profile.function(id);
        let calls = self.profile.calls_to(id);
        let counted = function.counted_invocations();
        let read = if has_block { calls.max(1) } else { calls };
        let is_read = !function.is_assumed && counted == read && (self.has_counts || counted == 0);
        let more = match i128::from(counted) - i128::from(calls) {
            0 if counted == 0 && !function.is_assumed => -1,
            more => more,
        };
        (self.profile.has_invocations() && !is_read).then_some(more)
    }

    /// Writes the lines of a call before its cost line.
    fn callee(&mut self, edge: &CallEdge) -> io::Result<()> {
        let callee = self.profile.function(edge.callee);
        if callee.object != self.object {
            self.name_line("cob=", callee.object)?;
        }
        if Some(callee.file) != self.inline_file.or(self.file) {
            self.name_line("cfi=", callee.file)?;
        }
        self.line_with_id("cfn=", callee.name, edge.callee.index())?;
        self.output.write_all(b"calls=")?;
        self.number(edge.calls)?;
        self.output.write_all(b" ")?;
        self.number(callee.line)?;
        self.output.write_all(b"\n")
    }

    /// Writes a cost line, without the zeros at its end.
    fn costs(&mut self, line: u64, costs: &[Cost]) -> io::Result<()> {
        self.number(line)?;
        let last = costs.iter().rposition(|&cost| cost != 0).unwrap_or(0);
        for cost in &costs[..costs.len().min(last + 1)] {
            self.output.write_all(b" ")?;
            self.number(*cost)?;
        }
        self.output.write_all(b"\n")
    }

    fn number(&mut self, number: impl itoa::Integer) -> io::Result<()> {
        let mut digits = itoa::Buffer::new();
        self.output.write_all(digits.format(number).as_bytes())
    }

    /// Writes a line with the name of an object or a file.
    fn name_line(&mut self, key: &str, name: NameId) -> io::Result<()> {
        self.line_with_id(key, name, name.index())
    }

    /// Writes a line with a name, which defines its id at the first use.
    fn line_with_id(&mut self, key: &str, name: NameId, named: usize) -> io::Result<()> {
        let ids = match key {
            "ob=" | "cob=" => &mut self.objects,
            "fn=" | "cfn=" => &mut self.functions,
            _ => &mut self.files,
        };
        let (name, output) = (self.profile.name(name), &mut self.output);
        output.write_all(key.as_bytes())?;
        if !name.is_empty() {
            let (index, is_new) = ids.insert_full(named);
            output.write_all(b"(")?;
            output.write_all(itoa::Buffer::new().format(index + 1).as_bytes())?;
            output.write_all(b")")?;
            if is_new {
                output.write_all(b" ")?;
                output.write_all(name)?;
            }
        }
        output.write_all(b"\n")
    }
}
