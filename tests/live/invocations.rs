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
