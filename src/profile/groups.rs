//! Costs by class, file, object, package or line.

use std::cmp::Reverse;

use super::{Cost, Function, FunctionId, Profile, ProfileKind};
use crate::display::text::printable;
use crate::maps::{HashMap, IndexSet};
use crate::names::{Packages, class, is_known};
use crate::tables::{ANY_WIDTH, NameId, NameTable, first_cost};

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
    /// A Composer, npm or Python package, a crate or a shared library; otherwise the first folder
    /// below the common ones.
    Package,
}

impl GroupBy {
    /// All groups, without functions.
    pub(crate) const GROUPS: [GroupBy; 5] = [
        GroupBy::Line,
        GroupBy::Class,
        GroupBy::File,
        GroupBy::Object,
        GroupBy::Package,
    ];

    /// The name of one group.
    pub(crate) fn name(self) -> &'static str {
        self.words().0
    }

    /// The name of several groups.
    pub(crate) fn names(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            GroupBy::Function => ("function", "functions"),
            GroupBy::Line => ("line", "lines"),
            GroupBy::Class => ("class", "classes"),
            GroupBy::File => ("file", "files"),
            GroupBy::Object => ("object", "objects"),
            GroupBy::Package => ("package", "packages"),
        }
    }
}

/// A profile whose functions are groups of functions of another profile.
#[derive(Debug)]
pub(crate) struct Groups {
    pub profile: Profile,
    /// The group of each function of the other profile; empty if the groups are lines.
    pub of_functions: Vec<FunctionId>,
    /// The line of each call of a trace, if the groups are lines.
    pub of_calls: Vec<FunctionId>,
}

/// The facts about a profile of groups, in addition to costs.
#[derive(Debug, Default)]
pub(super) struct GroupFacts {
    pub by: GroupBy,
    /// By group, the name of the function with the largest part of its cost.
    pub costliest: Vec<NameId>,
    /// The self costs of all functions. The sum of the calls on all lines exceeds them, because
    /// nested calls count several times.
    pub totals: Vec<i128>,
}

/// The costs of functions in the first event, by group and name of the function.
#[derive(Default)]
pub(super) struct FunctionParts(HashMap<(usize, NameId), i128>);

impl FunctionParts {
    pub fn add(&mut self, group: FunctionId, function: NameId, costs: &[Cost]) {
        let part = self.0.entry((group.index(), function)).or_default();
        *part += i128::from(first_cost(costs));
    }

    /// The facts about groups of functions `of` this profile. Among the functions with the largest
    /// part of a group, the first by name counts. Their names are added to `names`.
    pub fn facts(
        self,
        by: GroupBy,
        of: &Profile,
        groups: usize,
        names: &mut NameTable,
    ) -> GroupFacts {
        let rank = |&(function, part): &(NameId, i128)| (part, Reverse(of.name(function)));
        let mut costliest: Vec<Option<(NameId, i128)>> = vec![None; groups];
        for ((group, function), part) in self.0 {
            let most = &mut costliest[group];
            let both = most.take().into_iter().chain([(function, part)]);
            *most = both.max_by_key(rank);
        }
        let costliest = costliest.into_iter().flatten();
        let costliest = costliest.map(|(function, _)| names.intern(of.name(function)));
        GroupFacts {
            by,
            costliest: costliest.collect(),
            totals: of.exact_totals(),
        }
    }
}

impl Profile {
    /// The profile with groups instead of functions. Self costs are summed, and only calls from
    /// outside of a group count.
    ///
    /// Returns `None` for [`GroupBy::Function`]. `is_trace`: whether lines get the costs of calls
    /// instead of self costs.
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
        if by == GroupBy::Package {
            let place = |function: &Function| (text(function.file), text(function.object));
            let packages = Packages::new(folded.functions().map(|(_, function)| place(function)));
            return folded.grouped(by, |function| {
                let (file, object) = place(function);
                packages.name(&file, &object).into_bytes()
            });
        }
        folded.grouped(by, |function| {
            let group = match by {
                GroupBy::Class => class(&text(function.name)).unwrap_or_else(|| file(function)),
                GroupBy::Object if function.object != NameId::EMPTY => text(function.object),
                _ => file(function),
            };
            group.into_bytes()
        })
    }

    /// The profile with lines instead of functions. A line has the self costs of all functions on
    /// it, which are also its inclusive costs. Traces have no self costs by line, so a line has the
    /// costs and number of the calls on it.
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
                let file = names.intern(folded.name(file));
                let name = names.intern(name.as_bytes());
                sums.functions.push(Function {
                    line,
                    ..Function::new(NameId::EMPTY, file, name)
                });
            }
            parts.add(id, function, costs);
            sums.functions.self_costs.add::<ANY_WIDTH>(at, costs);
            sums.functions.inclusive_costs.add::<ANY_WIDTH>(at, costs);
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
        let facts = parts.facts(GroupBy::Line, folded, lines.len(), &mut names);
        let mut profile = Profile::new(names, contents).ok()?;
        profile.groups = facts;
        Some(Groups {
            profile,
            of_functions: Vec::new(),
            of_calls,
        })
    }

    /// The kind of the functions in this profile, which may be groups.
    pub(crate) fn grouped_by(&self) -> GroupBy {
        self.groups.by
    }

    /// The name of the function with the largest part of a group's cost.
    pub(crate) fn costliest(&self, group: FunctionId) -> &[u8] {
        let name = self.groups.costliest.get(group.index());
        name.map_or(&[], |&name| self.name(name))
    }
}
