//! What a function costs in groups: classes, files, objects, packages, and lines.

use std::cmp::Reverse;

use super::{Cost, Function, FunctionId, Profile, ProfileKind};
use crate::display::text::printable;
use crate::maps::{HashMap, IndexSet};
use crate::names::{class, package};
use crate::tables::{ANY_WIDTH, LineSource, NameId, NameTable, first_cost};

/// What a row of a report is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum GroupBy {
    /// A function.
    #[default]
    Function,
    /// A line of a source file, inlined code included; in a trace, the calls made there.
    Line,
    /// A class, else a namespace, else a file.
    Class,
    /// A source file.
    File,
    /// An object file, else a source file.
    Object,
    /// A Composer, npm or Python package, a crate or a shared library; else the first folder in which
    /// files differ.
    Package,
}

impl GroupBy {
    /// All but functions.
    pub(crate) const GROUPS: [GroupBy; 5] = [
        GroupBy::Line,
        GroupBy::Class,
        GroupBy::File,
        GroupBy::Object,
        GroupBy::Package,
    ];

    /// What one is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GroupBy::Function => "function",
            GroupBy::Line => "line",
            GroupBy::Class => "class",
            GroupBy::File => "file",
            GroupBy::Object => "object",
            GroupBy::Package => "package",
        }
    }

    /// What several are called.
    pub(crate) fn names(self) -> &'static str {
        match self {
            GroupBy::Function => "functions",
            GroupBy::Line => "lines",
            GroupBy::Class => "classes",
            GroupBy::File => "files",
            GroupBy::Object => "objects",
            GroupBy::Package => "packages",
        }
    }
}

/// Groups in the place of the functions of a profile.
pub(crate) struct Groups {
    pub profile: Profile,
    /// Which group each function of the folded profile is of; none if the groups are lines.
    pub of_functions: Vec<FunctionId>,
    /// Which line each call of a trace is on, if the groups are lines.
    pub of_calls: Vec<FunctionId>,
}

/// What a profile of groups has besides their costs.
#[derive(Debug, Default)]
pub(super) struct GroupFacts {
    pub by: GroupBy,
    /// By group: the name of the function with the largest part of its cost.
    pub costliest: Vec<NameId>,
    /// What all functions cost: less than the calls on all lines.
    pub totals: Vec<i128>,
}

/// What functions, by their names, cost of each group.
#[derive(Default)]
pub(super) struct FunctionParts(HashMap<(usize, NameId), i128>);

impl FunctionParts {
    pub fn add(&mut self, group: FunctionId, function: NameId, costs: &[Cost]) {
        let part = self.0.entry((group.index(), function)).or_default();
        *part += i128::from(first_cost(costs));
    }

    /// Which has the largest part of each group: of equals, the first by name. They get numbers in
    /// `names`.
    pub fn costliest(self, groups: usize, of: &Profile, names: &mut NameTable) -> Vec<NameId> {
        let rank = |&(function, part): &(NameId, i128)| (part, Reverse(of.name(function)));
        let mut costliest: Vec<Option<(NameId, i128)>> = vec![None; groups];
        for ((group, function), part) in self.0 {
            let most = &mut costliest[group];
            let both = most.take().into_iter().chain([(function, part)]);
            *most = both.max_by_key(rank);
        }
        let costliest = costliest.into_iter().flatten();
        let names = costliest.map(|(function, _)| names.intern(of.name(function)));
        names.collect()
    }
}

impl Profile {
    /// The profile with groups of functions in the place of functions: their self costs are summed,
    /// and only calls from outside of a group count.
    ///
    /// None where each function is a row of its own. `is_trace`: whether calls stand on lines, not self
    /// costs.
    pub(crate) fn by(&self, by: GroupBy, is_trace: bool) -> Option<Groups> {
        match by {
            GroupBy::Function => return None,
            GroupBy::Line => return self.by_line(is_trace),
            _ => {}
        }
        let folded = self.folded();
        let text = |name: NameId| printable(folded.name(name));
        let file = |function: &Function| match text(function.file) {
            file if !is_known(&file) && function.object != NameId::EMPTY => text(function.object),
            file => file,
        };
        let own_package =
            |function: &Function| package(&text(function.file), &text(function.object));
        // How many folders all files begin with that are of no package.
        let mut common: Option<Vec<String>> = None;
        for (_, function) in folded.functions().filter(|_| by == GroupBy::Package) {
            if is_known(&text(function.file)) && own_package(function).is_none() {
                let file = text(function.file);
                let folders =
                    common.get_or_insert_with(|| folders(&file).map(str::to_owned).collect());
                let shared = folders.iter().zip(self::folders(&file));
                let shared = shared.take_while(|(one, other)| one == other).count();
                folders.truncate(shared);
            }
        }
        let common = common.map_or(0, |folders| folders.len());
        folded.grouped(by, |function| {
            let group = match by {
                GroupBy::Class => class(&text(function.name)).unwrap_or_else(|| file(function)),
                GroupBy::Object if function.object != NameId::EMPTY => text(function.object),
                GroupBy::Package => own_package(function).unwrap_or_else(|| {
                    let file = file(function);
                    let folder = folders(&file).take(common + 1).last();
                    folder.map_or(file.clone(), str::to_owned)
                }),
                _ => file(function),
            };
            group.into_bytes()
        })
    }

    /// The profile with lines in the place of functions, each with the self costs of all functions
    /// there, which are its inclusive costs, too. A trace has none by line, so these are what the calls
    /// cost that are made there, and how many they are.
    fn by_line(&self, is_trace: bool) -> Option<Groups> {
        let folded = self.folded();
        let mut contents = folded.without_sums();
        let sums = &mut contents.sums;
        sums.kind = Some(match is_trace {
            true => ProfileKind::Trace,
            false => ProfileKind::Aggregate,
        });
        sums.widen(folded.events().len());
        let mut names = NameTable::default();
        let mut lines: IndexSet<(NameId, u64)> = IndexSet::default();
        let mut parts = FunctionParts::default();
        let mut add = |file: NameId, line: u64, function: NameId, costs: &[Cost], calls: u64| {
            let (at, is_new) = lines.insert_full((file, line));
            let id = super::id(at);
            if is_new {
                let name = printable(folded.name(file));
                let name = match line {
                    0 => format!("{name}:?"),
                    line => format!("{name}:{line}"),
                };
                sums.functions.push(Function {
                    object: NameId::EMPTY,
                    file: names.intern(folded.name(file)),
                    name: names.intern(name.as_bytes()),
                    line,
                    invocations: 0,
                    may_nest: true,
                    is_assumed: false,
                    is_listed: false,
                    has_lines: false,
                    before: 0,
                    line_source: LineSource::Nothing,
                });
            }
            parts.add(id, function, costs);
            sums.functions.self_costs.add::<ANY_WIDTH>(at, costs);
            let invocations = &mut sums.functions.as_mut_slice()[at].invocations;
            *invocations = invocations.saturating_add(calls);
            id
        };
        let name = |id: FunctionId| folded.function(id).name;
        let mut of_calls = Vec::new();
        if is_trace {
            of_calls.extend(folded.edges().map(|edge| {
                let callers = folded.function(edge.caller).file;
                let file = edge.file().unwrap_or(callers);
                add(file, edge.line, name(edge.callee), edge.costs(), edge.calls)
            }));
        } else {
            for (id, function) in folded.functions() {
                for line in folded.lines(id) {
                    let file = line.file.unwrap_or(function.file);
                    add(file, line.line, function.name, line.costs, 0);
                }
            }
        }
        let facts = GroupFacts {
            by: GroupBy::Line,
            costliest: parts.costliest(lines.len(), folded, &mut names),
            totals: folded.exact_totals(),
        };
        let mut profile = folded.with_sums(names, contents)?;
        profile.groups = facts;
        let costs = profile.contents.sums.functions.self_costs.clone();
        let are_estimated = vec![false; costs.rows()];
        profile.set_costs(costs, are_estimated);
        Some(Groups {
            profile,
            of_functions: Vec::new(),
            of_calls,
        })
    }

    /// What the functions of this profile stand for.
    pub(crate) fn grouped_by(&self) -> GroupBy {
        self.groups.by
    }

    /// Which function has the largest part of the cost of a group.
    pub(crate) fn costliest(&self, group: FunctionId) -> &[u8] {
        let name = self.groups.costliest.get(group.index());
        name.map_or(&[], |&name| self.name(name))
    }
}

/// Whether a file has a name.
fn is_known(file: &str) -> bool {
    !matches!(file, "" | "???")
}

/// The folders of a file.
fn folders(file: &str) -> impl Iterator<Item = &str> {
    let end = file.rfind(['/', '\\']).unwrap_or(0);
    file[..end]
        .split(['/', '\\'])
        .filter(|folder| !folder.is_empty())
}
