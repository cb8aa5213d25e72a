//! A reader of webgrind's v4, which holds every invocation with who called it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::common::preprocessed::{Decoded, decode};
use crate::producer::Bench;
use crate::profile::{convert, sums};

/// The invocations that each one called: by the names of functions, and numbers in the order in
/// which those of a function ended.
pub type Links = BTreeMap<(String, u32), Vec<(String, u32)>>;

/// Converts profiles to v4 and reads it.
pub fn of(inputs: &[PathBuf]) -> Decoded {
    let bench = Bench::new();
    let file = bench.path("v4");
    convert(inputs, &file, &["-q", "-f", "v4"]);
    let file = decode(&std::fs::read(&file).expect("a preprocessed file"));
    assert_eq!(file.version, 4);
    file
}

/// Numbers of invocations by function name: several scripts have functions of one name.
pub fn counts(file: &Decoded) -> BTreeMap<String, i64> {
    let invocations = file.invocations();
    sums(invocations.map(|([function, _], _)| (file.name(function), 1)))
}

/// Sees that calls cost what the invocations cost that they are linked to.
///
/// Xdebug rounds the two apart, and takes the time twice: nearly all differ by a few units.
pub fn assert_costs_agree(file: &Decoded) {
    let differences = file.assert_linked();
    let (all, large) = (
        differences.len(),
        differences.iter().filter(|&&units| units > 50),
    );
    let large = large.count();
    assert!(large * 20 <= all, "{large} of {all}");
}

/// The invocations that each one called, in their order: by function and number.
pub fn links(file: &Decoded) -> Links {
    let all = file.invocations();
    let all = all.filter(|(_, invocation)| !invocation.sub_calls.is_empty());
    all.map(|([function, number], invocation)| {
        let calls = invocation.sub_calls.iter();
        let calls = calls.map(|call| (file.name(call.function), call.invocation));
        ((file.name(function), number), calls.collect())
    })
    .collect()
}

/// Numbers for all invocations, by these links: two have the same one if they are of the same
/// function, cost the same, and so do the calls that they made and all below.
pub fn looks(file: &Decoded, links: &Links) -> BTreeMap<(String, u32), usize> {
    let mut looks = BTreeMap::new();
    let mut known = BTreeMap::new();
    let mut pending: Vec<_> = file.invocations().map(|(here, _)| here).collect();
    let functions = (0..).zip(&file.functions);
    let numbers = functions.map(|(number, _)| (file.name(number), number));
    let numbers: BTreeMap<String, u32> = numbers.collect();
    while let Some(here) = pending.pop() {
        let key = (file.name(here[0]), here[1]);
        let called = links.get(&key).map_or(&[][..], Vec::as_slice);
        let missing = called.iter().filter(|called| !looks.contains_key(*called));
        let missing = missing.map(|(name, number)| [numbers[name], *number]);
        let missing: Vec<_> = missing.collect();
        if !missing.is_empty() {
            pending.push(here);
            pending.extend(missing);
            continue;
        }
        let invocation = file.invocation(here);
        let calls = invocation.sub_calls.iter();
        let calls: Vec<_> = calls.map(|call| (call.line, call.cost)).collect();
        let below: Vec<usize> = called.iter().map(|called| looks[called]).collect();
        let next = known.len();
        let look = (here[0], invocation.self_cost, calls, below);
        looks.insert(key, *known.entry(look).or_insert(next));
    }
    looks
}
