//! Costs by class, file, object, package or line.

use std::cmp::Reverse;

use super::{Cost, Function, FunctionId, Profile, ProfileData, ProfileKind, id};
use crate::display::text::printable;
use crate::maps::HashMap;
use crate::names::{Packages, class, is_known};
use crate::tables::{LineRule, NameId, NameTable, first_cost, slot};

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
    pub totals: Vec<Cost>,
}

/// The costs of functions in the first event, by group and name of the function.
type FunctionParts = HashMap<(FunctionId, NameId), i128>;

impl Profile {
    /// The [`folded`](Self::folded) profile with groups instead of functions. A group has a name,
    /// and a line has a file, too.
    ///
    /// Returns `None` for [`GroupBy::Function`]. `is_trace`: whether lines get the costs of calls
    /// instead of self costs.
    pub(crate) fn by(&self, by: GroupBy, is_trace: bool) -> Option<Groups> {
        match by {
            GroupBy::Function => None,
            GroupBy::Line => self.folded().by_line(is_trace),
            _ => self.folded().by_name(by),
        }
    }

    /// Groups of functions. Self costs are summed, and only calls from outside of a group count.
    fn by_name(&self, by: GroupBy) -> Option<Groups> {
        let text = |name: NameId| printable(self.name(name));
        let packages = (by == GroupBy::Package).then(|| {
            let functions = self.functions();
            Packages::new(functions.map(|(_, one)| (text(one.file), text(one.object))))
        });
        let mut names = NameTable::default();
        let group = |function: &Function| {
            let (file, object) = (text(function.file), text(function.object));
            let has_object = function.object != NameId::EMPTY;
            let place = match has_object && !is_known(&file) {
                true => &object,
                false => &file,
            };
            let name = match &packages {
                Some(packages) => packages.name(&text(function.name), &file, &object),
                None if by == GroupBy::Object && has_object => object,
                None if by == GroupBy::Class => {
                    class(&text(function.name)).unwrap_or_else(|| place.clone())
                }
                None => place.clone(),
            };
            Function {
                object: NameId::EMPTY,
                file: NameId::EMPTY,
                name: names.intern(name.as_bytes()),
                line: 0,
                may_nest: true,
                is_listed: false,
                before: 0,
                ..function.clone()
            }
        };
        let (mut contents, of_functions) = self.join(group, |_| NameId::EMPTY);
        contents.sums.lines = None;
        let mut parts = FunctionParts::default();
        for (&group, (id, function)) in of_functions.iter().zip(self.functions()) {
            add_part(&mut parts, group, function.name, self.self_costs(id));
        }
        let mut profile = self.of_groups(by, contents, names, parts)?;
        let (runs, count) = (profile.runs(), profile.functions().len());
        for group in (0..count).map(id) {
            let within = profile.sub_calls(group).filter(|edge| edge.callee == group);
            let within = within.map(|edge| edge.calls).fold(0, u64::saturating_add);
            let invocations = profile.function(group).invocations;
            // A group without callers ran once in each run, like a function without callers.
            let invocations = match invocations.saturating_sub(within) {
                0 => runs.min(invocations),
                from_others => from_others,
            };
            profile.count_once(group, invocations);
        }
        Some(Groups {
            profile,
            of_functions,
            of_calls: Vec::new(),
        })
    }

    /// Lines as groups. A line has the self costs of all functions on it, which are also its
    /// inclusive costs. Traces have no self costs by line, so a line has the costs and number of the
    /// calls on it.
    fn by_line(&self, is_trace: bool) -> Option<Groups> {
        let mut contents = self.without_functions();
        let sums = &mut contents.sums;
        sums.kind = Some(match is_trace {
            true => ProfileKind::Trace,
            false => ProfileKind::Aggregate,
        });
        let mut names = NameTable::default();
        // Names of files can be long, so those of groups are made once.
        let mut lines: HashMap<(NameId, u64), Function> = HashMap::default();
        let mut parts = FunctionParts::default();
        let mut add = |file: NameId, line: u64, function: NameId, costs: &[Cost], calls: u64| {
            let group = lines.entry((file, line)).or_insert_with(|| {
                let number = match line {
                    0 => "?".to_owned(),
                    line => line.to_string(),
                };
                let name = format!("{}:{number}", printable(self.name(file)));
                let file = names.intern(self.name(file));
                Function {
                    line,
                    ..Function::new(NameId::EMPTY, file, names.intern(name.as_bytes()))
                }
            });
            group.invocations = calls;
            let id = sums.functions.merge(group, [costs; 2], LineRule::Least);
            add_part(&mut parts, id, function, costs);
            id
        };
        let mut of_calls = Vec::new();
        if is_trace {
            of_calls.extend(self.edges().map(|edge| {
                let file = edge.file().unwrap_or(self.function(edge.caller).file);
                let callee = self.function(edge.callee).name;
                add(file, edge.line, callee, edge.costs(), edge.calls)
            }));
        } else {
            for (id, function) in self.functions() {
                for line in self.lines(id) {
                    let file = line.file.unwrap_or(function.file);
                    add(file, line.line, function.name, line.costs, 0);
                }
            }
        }
        Some(Groups {
            profile: self.of_groups(GroupBy::Line, contents, names, parts)?,
            of_functions: Vec::new(),
            of_calls,
        })
    }

    /// The profile of groups of this profile's functions, with their `parts`. Among the functions
    /// with the largest part of a group, the first by name counts.
    fn of_groups(
        &self,
        by: GroupBy,
        contents: ProfileData,
        mut names: NameTable,
        parts: FunctionParts,
    ) -> Option<Profile> {
        // The higher parts, then the first names.
        type Rank<'a> = (i128, Reverse<&'a [u8]>);
        let mut costliest: Vec<Option<Rank<'_>>> = Vec::new();
        for ((group, function), part) in parts {
            let most = slot(&mut costliest, group.index());
            *most = (*most).max(Some((part, Reverse(self.name(function)))));
        }
        let costliest = costliest.into_iter().flatten();
        let costliest = costliest.map(|(_, Reverse(name))| names.intern(name));
        let groups = GroupFacts {
            by,
            costliest: costliest.collect(),
            totals: self.totals(),
        };
        let profile = Profile::new(names, contents).ok()?;
        Some(Profile { groups, ..profile })
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

fn add_part(parts: &mut FunctionParts, group: FunctionId, function: NameId, costs: &[Cost]) {
    *parts.entry((group, function)).or_default() += i128::from(first_cost(costs));
}
