//! What the rows of a view are: functions, classes, files, objects, packages, lines or parts.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::Hidden;
use crate::display::text::printable;
use crate::maps::{HashMap, IndexMap};
use crate::named::by_name;
use crate::names::{Packages, class, is_known};
use crate::profile::{
    Cost, Function, FunctionId, Joined, Kind, ModelError, NameId, PartHeader, Profile,
};
use crate::stacks::HIDDEN;
use crate::tables::{ANY_WIDTH, FunctionTable, NameTable, first_cost, next_index, slot};

/// The kind of the rows of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum GroupBy {
    /// A function.
    #[default]
    Function,
    /// A line of a source file, inlined code included; in a trace, the calls made there.
    Line,
    /// A class, otherwise a namespace, otherwise a file.
    Class,
    /// A source file.
    File,
    /// An object file, otherwise a source file.
    Object,
    /// A Composer, npm or Python package, a crate or a shared library; otherwise the first directory
    /// below the common ones.
    Package,
    /// A dump or thread of Valgrind, a run of Xdebug's append mode, otherwise an input.
    #[cfg_attr(feature = "cli", value(aliases = ["run", "input"]))]
    Part,
}

by_name!(GroupBy {
    Function: "function",
    Line: "line",
    Class: "class",
    File: "file",
    Object: "object",
    Package: "package",
    Part: "part" | "run" | "input",
});

impl GroupBy {
    /// All but functions.
    pub(crate) fn groups() -> impl Iterator<Item = GroupBy> {
        let all = GroupBy::ALL.iter().copied();
        all.filter(|&by| by != GroupBy::Function)
    }

    /// The name of one group.
    pub(crate) fn name(self) -> &'static str {
        self.words().0
    }

    /// The name of several groups.
    pub(crate) fn names(self) -> &'static str {
        self.words().1
    }

    /// Whether rows are functions, or groups of them: these call each other.
    pub(crate) fn groups_functions(self) -> bool {
        match self {
            GroupBy::Function
            | GroupBy::Class
            | GroupBy::File
            | GroupBy::Object
            | GroupBy::Package => true,
            GroupBy::Line | GroupBy::Part => false,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            GroupBy::Function => ("function", "functions"),
            GroupBy::Line => ("line", "lines"),
            GroupBy::Class => ("class", "classes"),
            GroupBy::File => ("file", "files"),
            GroupBy::Object => ("object", "objects"),
            GroupBy::Package => ("package", "packages"),
            GroupBy::Part => ("part", "parts"),
        }
    }
}

/// The rows of a view, as functions of a profile.
#[derive(Clone, Debug)]
pub(super) struct Rows<'a> {
    pub table: Cow<'a, Profile>,
    pub numbers: RowNumbers,
    /// By group, the name of the function with the largest part of its cost.
    pub costliest: Vec<NameId>,
    /// The functions that these are.
    pub functions: Functions<'a>,
}

/// The functions that rows are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions<'a> {
    pub profile: &'a Profile,
    pub hidden: Option<&'a Hidden<'a>>,
}

impl<'a> Functions<'a> {
    /// All functions of a profile.
    pub fn all(profile: &'a Profile) -> Self {
        Functions {
            profile,
            hidden: None,
        }
    }

    /// The functions of the program that are shown.
    pub fn table(self) -> &'a Profile {
        self.hidden
            .map_or_else(|| self.profile.folded(), Hidden::table)
    }

    /// The number of a function of the profile there.
    pub fn number(self, id: FunctionId) -> Option<FunctionId> {
        match self.hidden {
            None => Some(self.profile.folded_function(id)),
            Some(hidden) => hidden.number(id),
        }
    }
}

/// Which row has something of the profile.
#[derive(Clone, Debug)]
pub(super) enum RowNumbers {
    /// Rows are the functions of the profile.
    Functions,
    /// The row of each function of the profile that is not hidden.
    OfFunctions(Vec<Option<FunctionId>>),
    /// Rows are lines with self costs.
    Lines,
    /// The row of each line with calls.
    OfCallSites(IndexMap<FileLine, FunctionId>),
    /// Rows are the parts of the profile.
    Parts,
}

/// A line of a file of the profile.
pub(super) type FileLine = (NameId, u64);

/// The costs of functions in the first event, by group and name of the function.
type FunctionParts = HashMap<(FunctionId, NameId), i128>;

impl<'a> Rows<'a> {
    /// Functions as the inputs contain them, so with each of Valgrind's contexts.
    pub fn recorded(profile: &'a Profile) -> Self {
        Rows {
            table: Cow::Borrowed(profile),
            numbers: RowNumbers::Functions,
            costliest: Vec::new(),
            functions: Functions::all(profile),
        }
    }

    /// Functions as the inputs contain them, whether these are traces or aggregates.
    pub fn joined(profile: &'a Profile) -> Self {
        match profile.with_kinds_joined() {
            None => Rows::recorded(profile),
            Some(joined) => {
                let numbers = joined.of_functions.into_iter().map(Some);
                Rows {
                    table: Cow::Owned(joined.profile),
                    numbers: RowNumbers::OfFunctions(numbers.collect()),
                    ..Rows::recorded(profile)
                }
            }
        }
    }

    /// The functions or groups of a profile. `by_call_site`: whether lines have the calls made there
    /// instead of self costs.
    pub fn new(
        functions: Functions<'a>,
        by: GroupBy,
        by_call_site: bool,
    ) -> Result<Self, ModelError> {
        match by {
            GroupBy::Line => Rows::by_line(functions, by_call_site),
            GroupBy::Part => Rows::by_part(functions.profile),
            GroupBy::Function
            | GroupBy::Class
            | GroupBy::File
            | GroupBy::Object
            | GroupBy::Package => Rows::by_name(functions, by, None),
        }
    }

    /// The same without hidden functions, where these are rows of their own.
    pub fn with_hidden_apart(hidden: &'a Hidden<'a>, by: GroupBy) -> Result<Self, ModelError> {
        Rows::by_name(Functions::all(hidden.profile()), by, Some(hidden))
    }

    /// The row of a function of the profile, unless rows are lines or parts.
    pub fn of_function(&self, id: FunctionId) -> Option<FunctionId> {
        match &self.numbers {
            RowNumbers::Functions => Some(id),
            RowNumbers::OfFunctions(rows) => rows.get(id.index()).copied().flatten(),
            RowNumbers::Lines | RowNumbers::OfCallSites(_) | RowNumbers::Parts => None,
        }
    }

    /// The row of each function that is shown.
    pub fn of_shown(&self, hidden: &Hidden<'_>) -> Vec<Option<FunctionId>> {
        let table = hidden.table();
        if std::ptr::eq(&*self.table, table) {
            return table.functions().map(|(id, _)| Some(id)).collect();
        }
        let mut rows = vec![None; table.functions().len()];
        for (id, _) in hidden.profile().functions() {
            if let Some(shown) = hidden.number(id) {
                rows[shown.index()] = self.of_function(id);
            }
        }
        if let Some((shown, row)) = self.of_rest(hidden) {
            rows[shown.index()] = Some(row);
        }
        rows
    }

    /// What hidden functions cost that nobody who is shown calls: its number among the functions that are
    /// shown, and its row.
    pub fn of_rest(&self, hidden: &Hidden<'_>) -> Option<(FunctionId, FunctionId)> {
        let shown = hidden.rest().filter(|_| self.have_functions())?;
        if std::ptr::eq(&*self.table, hidden.table()) {
            return Some((shown, shown));
        }
        let mut groups = self.table.functions();
        let (row, _) = groups.find(|(_, group)| self.table.name(group.name) == HIDDEN)?;
        Some((shown, row))
    }

    /// Whether each function of the profile has a row.
    pub fn have_functions(&self) -> bool {
        matches!(
            self.numbers,
            RowNumbers::Functions | RowNumbers::OfFunctions(_)
        )
    }

    /// The functions of the program.
    pub fn folded(functions: Functions<'a>) -> Self {
        let (profile, table) = (functions.profile, functions.table());
        let row = |(id, _)| functions.number(id);
        let numbers = if std::ptr::eq(table, profile) {
            RowNumbers::Functions
        } else {
            RowNumbers::OfFunctions(profile.functions().map(row).collect())
        };
        Rows {
            table: Cow::Borrowed(table),
            numbers,
            costliest: Vec::new(),
            functions,
        }
    }

    /// Functions, or groups of them. Self costs are summed, and only calls from outside of a group
    /// count. The functions of `apart` are groups of their own.
    fn by_name(
        functions: Functions<'a>,
        by: GroupBy,
        apart: Option<&Hidden<'_>>,
    ) -> Result<Self, ModelError> {
        let (profile, folded) = (functions.profile, functions.table());
        let Some(groups) = GroupNames::new(profile, by) else {
            return Ok(Rows::folded(functions));
        };
        // They come in the order of functions.
        let mut apart = apart.map_or(&[][..], Hidden::hidden).iter().peekable();
        let mut number = 0;
        let group = |names: &mut NameTable, function: &Function| {
            let id = FunctionId(number);
            number += 1;
            if apart.next_if_eq(&&id).is_some() {
                // Groups have no file.
                let name = names.intern(format!("hidden {}", id.number()).as_bytes());
                return Function {
                    file: name,
                    name,
                    ..function.clone()
                };
            }
            let name = groups.of(folded, function);
            Function {
                file: NameId::EMPTY,
                name: names.intern(name.as_bytes()),
                line: 0,
                ..function.clone()
            }
        };
        let Joined {
            profile: mut table,
            of_functions: groups,
        } = folded.grouped(group)?;
        let mut parts = FunctionParts::default();
        for (&group, (id, function)) in groups.iter().zip(folded.functions()) {
            add_part(&mut parts, group, function.name, folded.self_costs(id));
        }
        let (runs, count) = (profile.runs(), table.functions().len());
        for group in (0..next_index(count)).map(FunctionId) {
            let within = table.sub_calls(group).filter(|edge| edge.callee == group);
            let within = within.map(|edge| edge.calls).fold(0, u64::saturating_add);
            let invocations = table.function(group).invocations;
            // A group without callers ran once in each run, like a function without callers.
            let invocations = match invocations.saturating_sub(within) {
                0 => runs.min(invocations),
                from_others => from_others,
            };
            table.set_invocations(group, invocations);
        }
        let row = |(id, _)| Some(groups[functions.number(id)?.index()]);
        Ok(Rows {
            numbers: RowNumbers::OfFunctions(profile.functions().map(row).collect()),
            costliest: costliest(folded, parts),
            table: Cow::Owned(table),
            functions,
        })
    }

    /// Lines as groups. A line has the self costs of all functions on it. Traces have no self costs
    /// by line, so a line has the calls made there.
    fn by_line(functions: Functions<'a>, by_call_site: bool) -> Result<Self, ModelError> {
        let (profile, folded) = (functions.profile, functions.table());
        let width = profile.events().len();
        let mut names = NameTable::default();
        let mut table = FunctionTable::default();
        table.self_costs.widen(width);
        table.inclusive_costs.widen(width);
        // Names of files can be long, so those of groups are made once.
        let mut lines: IndexMap<FileLine, FunctionId> = IndexMap::default();
        let mut parts = FunctionParts::default();
        let mut add = |file: NameId, line: u64, costs: &[Cost], count: u64| {
            let id = *lines.entry((file, line)).or_insert_with(|| {
                let number = match line {
                    0 => "?".to_owned(),
                    line => line.to_string(),
                };
                let shown = match folded.name(file) {
                    b"" => "???".to_owned(),
                    name => printable(name),
                };
                let name = format!("{shown}:{number}");
                let file = names.intern(folded.name(file));
                table.push(Function {
                    line,
                    ..Function::new(NameId::EMPTY, file, names.intern(name.as_bytes()))
                });
                FunctionId(next_index(table.as_slice().len() - 1))
            });
            table.self_costs.add::<ANY_WIDTH>(id.index(), costs);
            if let Some(row) = table.get_mut(id) {
                row.invocations = row.invocations.saturating_add(count);
            }
            id
        };
        if by_call_site {
            // Calls of hidden functions are calls, too.
            let all = profile.folded();
            let hidden = functions.hidden.map_or(&[][..], Hidden::hidden);
            let is_shown = |id: FunctionId| hidden.binary_search(&id).is_err();
            for edge in all.edges().filter(|edge| is_shown(edge.caller)) {
                let file = edge.file().unwrap_or(all.function(edge.caller).file);
                let id = add(file, edge.line, edge.costs(), edge.calls);
                if !is_shown(edge.callee) {
                    parts.entry((id, NameId::EMPTY)).or_default();
                }
            }
            for edge in folded.edges() {
                let file = edge.file().unwrap_or(folded.function(edge.caller).file);
                if let Some(&id) = lines.get(&(file, edge.line)) {
                    let callee = folded.function(edge.callee).name;
                    add_part(&mut parts, id, callee, edge.costs());
                }
            }
        } else {
            for (id, function) in folded.functions() {
                for line in folded.lines(id) {
                    let file = line.file.unwrap_or(function.file);
                    let id = add(file, line.line, line.costs, 0);
                    add_part(&mut parts, id, function.name, line.costs);
                }
            }
        }
        Ok(Rows {
            table: Cow::Owned(profile.with_functions(names, table)?),
            numbers: if by_call_site {
                RowNumbers::OfCallSites(lines)
            } else {
                RowNumbers::Lines
            },
            costliest: costliest(folded, parts),
            functions,
        })
    }

    /// Parts, with the names of those that are the only ones of their input, or with their numbers.
    fn by_part(profile: &'a Profile) -> Result<Self, ModelError> {
        let mut counts: HashMap<&str, u64> = HashMap::default();
        for part in profile.parts() {
            *counts.entry(part.input).or_default() += 1;
        }
        let word = match profile.kind() {
            Some(Kind::Trace) => "run",
            _ => "part",
        };
        let (mut names, mut table) = (NameTable::default(), FunctionTable::default());
        table.self_costs.widen(profile.events().len());
        table.inclusive_costs.widen(profile.events().len());
        for (row, part) in profile.parts().enumerate() {
            let PartHeader { number, thread, .. } = part.header;
            let name = match (part.header.name(), counts[part.input]) {
                (Some(name), _) => printable(name),
                (None, 1) => part.input.to_owned(),
                (None, _) => {
                    let number = number.map(|number| format!("{word} {number}"));
                    let number = number.unwrap_or_else(|| format!("unnamed {word}"));
                    match counts.len() {
                        1 => number,
                        _ => format!("{}: {number}", part.input),
                    }
                }
            };
            let name = match thread {
                Some(thread) => format!("{name} (thread {thread})"),
                None => name,
            };
            table.push(Function {
                invocations: part.calls,
                ..Function::new(NameId::EMPTY, NameId::EMPTY, names.intern(name.as_bytes()))
            });
            table.self_costs.add::<ANY_WIDTH>(row, part.totals);
        }
        Ok(Rows {
            table: Cow::Owned(profile.with_functions(names, table)?),
            numbers: RowNumbers::Parts,
            ..Rows::recorded(profile)
        })
    }
}

/// How groups of functions are named.
pub(super) enum GroupNames {
    Class,
    File,
    Object,
    Package(Packages),
}

impl GroupNames {
    /// For the functions of a profile, hidden ones included; `None` if rows are no groups of functions.
    pub fn new(profile: &Profile, by: GroupBy) -> Option<Self> {
        Some(match by {
            GroupBy::Function | GroupBy::Line | GroupBy::Part => return None,
            GroupBy::Class => GroupNames::Class,
            GroupBy::File => GroupNames::File,
            GroupBy::Object => GroupNames::Object,
            GroupBy::Package => {
                let folded = profile.folded();
                let text = |name: NameId| printable(folded.name(name));
                let functions = folded.functions();
                let places = functions.map(|(_, one)| (text(one.file), text(one.object)));
                GroupNames::Package(Packages::new(places))
            }
        })
    }

    /// The name of the group of a function of this table.
    pub fn of(&self, table: &Profile, function: &Function) -> String {
        let text = |name: NameId| printable(table.name(name));
        let [file, object, name] = [function.file, function.object, function.name];
        let has_object = object != NameId::EMPTY;
        let place = || {
            let file = text(file);
            if has_object && !is_known(&file) {
                text(object)
            } else {
                file
            }
        };
        match self {
            _ if table.name(name) == HIDDEN => text(name),
            GroupNames::Package(packages) => packages.name(&text(name), &text(file), &text(object)),
            GroupNames::Object if has_object => text(object),
            GroupNames::Class => class(&text(name)).unwrap_or_else(place),
            GroupNames::File | GroupNames::Object => place(),
        }
    }
}

/// The name of the function with the largest part of each group's cost. Among those with the same
/// part, the first by name counts.
fn costliest(profile: &Profile, parts: FunctionParts) -> Vec<NameId> {
    // The higher parts, then the first names.
    type Rank<'a> = (i128, Reverse<(&'a [u8], NameId)>);
    let mut costliest: Vec<Option<Rank<'_>>> = Vec::new();
    for ((group, function), part) in parts {
        let most = slot(&mut costliest, group.index());
        *most = (*most).max(Some((part, Reverse((profile.name(function), function)))));
    }
    let costliest = costliest.into_iter().flatten();
    costliest.map(|(_, Reverse((_, name)))| name).collect()
}

fn add_part(parts: &mut FunctionParts, group: FunctionId, function: NameId, costs: &[Cost]) {
    *parts.entry((group, function)).or_default() += i128::from(first_cost(costs));
}
