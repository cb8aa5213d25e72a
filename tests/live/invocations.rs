//! A reader of webgrind's v4, which holds every invocation with who called it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::preprocessed::{NOBODY, V4Invocation, decode};
use crate::producer::Bench;
use crate::profile::{convert, sums};

/// The invocations that each one called: by the names of functions, and numbers in the order in
/// which those of a function ended.
pub type Links = BTreeMap<(String, u32), Vec<(String, u32)>>;

/// All invocations of all functions.
pub struct Invocations {
    functions: Vec<Function>,
}

struct Function {
    name: String,
    invocations: Vec<Invocation>,
}

struct Invocation {
    self_cost: u32,
    inclusive: u32,
    call: Call,
    sub_calls: Vec<Call>,
}

/// A call as one of its sides has it: the other function and which invocation of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    other: (u32, u32),
    line: u32,
    cost: u32,
}

impl Invocations {
    /// Converts profiles to v4 and reads it.
    pub fn of(inputs: &[PathBuf]) -> Self {
        let bench = Bench::new();
        let file = bench.path("v4");
        convert(inputs, &file, &["-q", "-f", "v4"]);
        Invocations::read(&file)
    }

    fn read(file: &Path) -> Self {
        let file = decode(&std::fs::read(file).expect("a preprocessed file"));
        assert_eq!(file.version, 4);
        let functions = file.functions.into_iter().map(|function| Function {
            name: String::from_utf8_lossy(&function.name).into_owned(),
            invocations: function
                .invocations
                .into_iter()
                .map(Invocation::from)
                .collect(),
        });
        Invocations {
            functions: functions.collect(),
        }
    }

    /// Numbers of invocations by function name: several scripts have functions of one name.
    pub fn counts(&self) -> BTreeMap<String, i64> {
        let functions = self.functions.iter();
        sums(functions.map(|function| {
            let count = i64::try_from(function.invocations.len());
            (function.name.clone(), count.expect("a count"))
        }))
    }

    /// Names of functions with invocations that nobody called.
    pub fn roots(&self) -> BTreeSet<&str> {
        let orphans = self.all().filter(|(_, invocation)| invocation.is_orphan());
        orphans
            .map(|((function, _), _)| self.name(function))
            .collect()
    }

    /// Sees that every call that one side has stands on the other side as well, as the same.
    pub fn assert_linked(&self) {
        let mut made = BTreeSet::new();
        let mut received = BTreeSet::new();
        for (here, invocation) in self.all() {
            for &call in &invocation.sub_calls {
                let callee = self.name(call.other.0);
                assert_ne!(call.other.1, NOBODY, "a call of {callee} leads nowhere");
                made.insert((here, call));
            }
            if !invocation.is_orphan() {
                let Call { other, line, cost } = invocation.call;
                let mirrored = Call {
                    other: here,
                    line,
                    cost,
                };
                received.insert((other, mirrored));
            }
        }
        assert!(!made.is_empty(), "no calls at all");
        assert_eq!(made, received);
    }

    /// Sees that calls cost what the invocations cost that they are linked to.
    ///
    /// Xdebug rounds the two apart, and takes the time twice: nearly all differ by a few units.
    pub fn assert_costs_agree(&self) {
        let linked = self.all().filter(|(_, invocation)| !invocation.is_orphan());
        let differences: Vec<u32> = linked
            .map(|(_, invocation)| invocation.inclusive.abs_diff(invocation.call.cost))
            .collect();
        let large = differences.iter().filter(|&&units| units > 50).count();
        assert!(
            large * 20 <= differences.len(),
            "{large} of {}",
            differences.len()
        );
    }

    /// The invocations that each one called, in their order: by function and number.
    pub fn links(&self) -> Links {
        let of = |(function, number)| (self.name(function).to_owned(), number);
        let called = |call: &Call| match call.other {
            (function, NOBODY) => (self.name(function).to_owned(), NOBODY),
            other => of(other),
        };
        let all = self
            .all()
            .filter(|(_, invocation)| !invocation.sub_calls.is_empty());
        all.map(|(here, invocation)| {
            let calls = invocation.sub_calls.iter().map(called);
            (of(here), calls.collect())
        })
        .collect()
    }

    /// Numbers for all invocations, by these links: two have the same one if they are of the same
    /// function, cost the same, and so do the calls that they made and all below.
    pub fn looks(&self, links: &Links) -> BTreeMap<(String, u32), usize> {
        let mut looks = BTreeMap::new();
        let mut known = BTreeMap::new();
        let mut pending: Vec<_> = self.all().map(|(here, _)| here).collect();
        let all: BTreeMap<_, _> = self.all().collect();
        let numbers: BTreeMap<&str, u32> = (0..)
            .zip(&self.functions)
            .map(|(number, function)| (function.name.as_str(), number))
            .collect();
        while let Some(here) = pending.pop() {
            let key = (self.name(here.0).to_owned(), here.1);
            let called = links.get(&key).map_or(&[][..], Vec::as_slice);
            let missing = called.iter().filter(|called| !looks.contains_key(*called));
            let missing: Vec<_> = missing
                .map(|(name, number)| (numbers[name.as_str()], *number))
                .collect();
            if !missing.is_empty() {
                pending.push(here);
                pending.extend(missing);
                continue;
            }
            let calls = all[&here]
                .sub_calls
                .iter()
                .map(|call| (call.line, call.cost));
            let below: Vec<usize> = called.iter().map(|called| looks[called]).collect();
            let look = (
                here.0,
                all[&here].self_cost,
                calls.collect::<Vec<_>>(),
                below,
            );
            let next = known.len();
            looks.insert(key, *known.entry(look).or_insert(next));
        }
        looks
    }

    /// The sums of the self costs of all invocations with the same callers, by a walk from the
    /// roots down.
    pub fn stacks(&self) -> BTreeMap<String, i64> {
        let all: BTreeMap<_, _> = self.all().collect();
        let roots = self.all().filter(|(_, invocation)| invocation.is_orphan());
        let mut pending: Vec<_> = roots.map(|(root, _)| (String::new(), root)).collect();
        let mut costs = Vec::new();
        while let Some((above, here)) = pending.pop() {
            let stack = above + self.name(here.0);
            let calls = all[&here].sub_calls.iter();
            pending.extend(calls.map(|call| (format!("{stack};"), call.other)));
            costs.push((stack, i64::from(all[&here].self_cost)));
        }
        sums(costs.into_iter())
    }

    fn name(&self, function: u32) -> &str {
        let index = usize::try_from(function).expect("an index");
        &self.functions[index].name
    }

    /// All invocations, each with its function's and its own number.
    fn all(&self) -> impl Iterator<Item = ((u32, u32), &Invocation)> {
        let functions = (0..).zip(&self.functions);
        functions.flat_map(|(function, record)| {
            let invocations = (0..).zip(&record.invocations);
            invocations.map(move |(number, invocation)| ((function, number), invocation))
        })
    }
}

impl From<V4Invocation> for Invocation {
    fn from(invocation: V4Invocation) -> Self {
        let sub_calls = invocation.sub_calls.iter().map(|call| Call {
            other: (call.function, call.invocation),
            line: call.line,
            cost: call.cost,
        });
        Invocation {
            self_cost: invocation.self_cost,
            inclusive: invocation.inclusive,
            call: Call {
                other: (invocation.caller, invocation.caller_invocation),
                line: invocation.line,
                cost: invocation.call_cost,
            },
            sub_calls: sub_calls.collect(),
        }
    }
}

impl Invocation {
    fn is_orphan(&self) -> bool {
        self.call.other.0 == NOBODY
    }
}
