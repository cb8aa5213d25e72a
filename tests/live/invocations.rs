//! A reader of webgrind's v4, which holds every invocation with who called it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::common::preprocessed::{Decoded, decode};
use crate::producer::Bench;
use crate::profile::{convert, sums};

/// The invocations that each one called: by the names of functions, and numbers in the order in
/// which those of a function ended.
pub type Links = BTreeMap<(String, u32), Vec<(String, u32)>>;

/// All invocations of all functions.
pub struct Invocations(Decoded);

impl Invocations {
    /// Converts profiles to v4 and reads it.
    pub fn of(inputs: &[PathBuf]) -> Self {
        let bench = Bench::new();
        let file = bench.path("v4");
        convert(inputs, &file, &["-q", "-f", "v4"]);
        let file = decode(&std::fs::read(&file).expect("a preprocessed file"));
        assert_eq!(file.version, 4);
        Invocations(file)
    }

    /// Numbers of invocations by function name: several scripts have functions of one name.
    pub fn counts(&self) -> BTreeMap<String, i64> {
        sums(
            self.0
                .invocations()
                .map(|([function, _], _)| (self.0.name(function), 1)),
        )
    }

    /// Names of functions with invocations that nobody called.
    pub fn roots(&self) -> BTreeSet<String> {
        self.0.roots().into_iter().collect()
    }

    /// Sees that every call that one side has stands on the other side as well, as the same.
    pub fn assert_linked(&self) {
        self.0.assert_linked();
    }

    /// Sees that calls cost what the invocations cost that they are linked to.
    ///
    /// Xdebug rounds the two apart, and takes the time twice: nearly all differ by a few units.
    pub fn assert_costs_agree(&self) {
        let differences = self.0.assert_linked();
        let large = differences.iter().filter(|&&units| units > 50).count();
        assert!(
            large * 20 <= differences.len(),
            "{large} of {}",
            differences.len()
        );
    }

    /// The invocations that each one called, in their order: by function and number.
    pub fn links(&self) -> Links {
        let all = self.0.invocations();
        let all = all.filter(|(_, invocation)| !invocation.sub_calls.is_empty());
        all.map(|([function, number], invocation)| {
            let calls = invocation.sub_calls.iter();
            let calls = calls.map(|call| (self.0.name(call.function), call.invocation));
            ((self.0.name(function), number), calls.collect())
        })
        .collect()
    }

    /// Numbers for all invocations, by these links: two have the same one if they are of the same
    /// function, cost the same, and so do the calls that they made and all below.
    pub fn looks(&self, links: &Links) -> BTreeMap<(String, u32), usize> {
        let mut looks = BTreeMap::new();
        let mut known = BTreeMap::new();
        let mut pending: Vec<_> = self.0.invocations().map(|(here, _)| here).collect();
        let numbers: BTreeMap<String, u32> = (0..)
            .zip(&self.0.functions)
            .map(|(number, _)| (self.0.name(number), number))
            .collect();
        while let Some(here) = pending.pop() {
            let key = (self.0.name(here[0]), here[1]);
            let called = links.get(&key).map_or(&[][..], Vec::as_slice);
            let missing = called.iter().filter(|called| !looks.contains_key(*called));
            let missing: Vec<_> = missing
                .map(|(name, number)| [numbers[name], *number])
                .collect();
            if !missing.is_empty() {
                pending.push(here);
                pending.extend(missing);
                continue;
            }
            let invocation = self.0.invocation(here);
            let calls = invocation
                .sub_calls
                .iter()
                .map(|call| (call.line, call.cost));
            let calls: Vec<_> = calls.collect();
            let below: Vec<usize> = called.iter().map(|called| looks[called]).collect();
            let next = known.len();
            let look = (here[0], invocation.self_cost, calls, below);
            looks.insert(key, *known.entry(look).or_insert(next));
        }
        looks
    }

    /// The stacks that a walk from the roots down finds.
    pub fn stacks(&self) -> BTreeMap<String, i64> {
        self.0.stacks()
    }
}
