//! The parts of Valgrind's profiles: dumps and threads, and the choice of some of them.

use std::collections::BTreeSet;

use cg_preprocess::callgrind::PartFilter;
use cg_preprocess::profile::Profile;

use crate::callgrind_format::{sums, written};
use crate::common::fixtures;
use crate::common::tables::assert_same;
use crate::library::{Reading, all_events, read_options};

const FIXTURES: [&str; 4] = [
    "valgrind/parts.cg",
    "valgrind/benchmarks.cg",
    "valgrind/combine.cg",
    "valgrind/threads-02.cg",
];

/// Reads the parts that these filters choose; all without any.
fn read(text: &[u8], filters: &[&str]) -> Profile {
    let reading = Reading {
        read: read_options(|options| {
            options.parts = filters.iter().map(|&name| PartFilter::new(name)).collect();
        }),
        profile: all_events(),
    };
    reading.read([text]).unwrap().0
}

#[test]
fn parts_that_were_chosen_one_by_one_make_the_whole() {
    for name in FIXTURES {
        let text = fixtures::bytes(name);
        let whole = read(&text, &[]);
        let numbers: BTreeSet<_> = whole
            .parts()
            .filter_map(|part| part.header.number)
            .collect();
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        let numbers_of_costs = whole.parts().filter(|part| part.totals[0] != 0);
        let numbers_of_costs: BTreeSet<_> =
            numbers_of_costs.map(|part| part.header.number).collect();
        let mut parts = numbers_of_costs
            .iter()
            .map(|number| read(&text, &[&number.unwrap().to_string()]));
        let mut sum = parts.next().unwrap();
        parts.for_each(|part| sum.merge(part).unwrap());
        assert_eq!(sum.totals(), whole.totals(), "{name}");
        let [found, expected] = [&sum, &whole].map(|profile| {
            let mut sums = sums(profile);
            sums.functions.iter_mut().for_each(|row| row.line = 0);
            sums
        });
        assert_same(&found, &expected, name);
        let all: Vec<_> = numbers.iter().map(String::as_str).collect();
        assert!(written(&read(&text, &all)) == written(&whole), "{name}");
    }
}
