//! The parts of Valgrind's profiles: dumps and threads, and the choice of some of them.

use std::collections::BTreeSet;

use cg_preprocess::callgrind::{self, PartFilter};
use cg_preprocess::profile::Profile;

use crate::common::fixtures;
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

fn sums(profile: &Profile) -> String {
    let mut sums = Vec::new();
    callgrind::write(profile, &mut sums).unwrap();
    String::from_utf8(sums).unwrap()
}

/// What each function costs, and each call.
fn functions(profile: &Profile) -> BTreeSet<String> {
    let place = |id| {
        let function = profile.function(id);
        let names = [function.object, function.file, function.name];
        names.map(|name| profile.name(name).escape_ascii().to_string())
    };
    let costs = profile.functions().map(|(id, _)| {
        let costs = [profile.self_costs(id), profile.inclusive_costs(id)];
        format!("{:?} {costs:?}", place(id))
    });
    let calls = profile.edges().map(|edge| {
        let places = [place(edge.caller), place(edge.callee)];
        let file = profile.call_file(&edge).escape_ascii().to_string();
        format!(
            "{places:?} {file}:{} {} {:?}",
            edge.line,
            edge.calls,
            edge.costs()
        )
    });
    costs.chain(calls).collect()
}

#[test]
fn each_part_adds_up_to_its_totals_line() {
    for name in FIXTURES {
        let text = fixtures::bytes(name);
        let profile = read(&text, &[]);
        let stated = str::from_utf8(&text).unwrap().lines();
        let stated = stated.filter_map(|line| line.strip_prefix("totals: "));
        let stated = stated.map(|costs| {
            let costs = costs.split(' ').map(|cost| cost.parse().unwrap());
            let mut costs: Vec<i64> = costs.collect();
            costs.resize(profile.events().len(), 0);
            costs
        });
        let found = profile.parts().map(|part| part.totals.to_vec());
        let (found, stated): (Vec<_>, Vec<_>) = (found.collect(), stated.collect());
        assert_eq!(found, stated, "{name}");
    }
}

#[test]
fn parts_that_were_chosen_one_by_one_make_the_whole() {
    for name in FIXTURES {
        let text = fixtures::bytes(name);
        let whole = read(&text, &[]);
        let numbers: BTreeSet<_> = whole.parts().filter_map(|part| part.number).collect();
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        let numbers_of_costs = whole.parts().filter(|part| part.totals[0] != 0);
        let numbers_of_costs: BTreeSet<_> = numbers_of_costs.map(|part| part.number).collect();
        let mut parts = numbers_of_costs
            .iter()
            .map(|number| read(&text, &[&number.unwrap().to_string()]));
        let mut sum = parts.next().unwrap();
        parts.for_each(|part| sum.merge(part).unwrap());
        assert_eq!(sum.totals(), whole.totals(), "{name}");
        let functions = functions(&whole);
        assert!(self::functions(&sum) == functions, "{name}");
        let all: Vec<_> = numbers.iter().map(String::as_str).collect();
        assert!(sums(&read(&text, &all)) == sums(&whole), "{name}");
    }
}

/// However many parts a file has, the first thousand are listed, and others by new names.
#[test]
fn parts_that_repeat_are_counted() {
    let part = |name: &str| format!("part: 1\ndesc: Trigger: {name}\nevents: Ir\nfn=f\n1 2\n");
    let text = part("a").repeat(1000) + &part("a").repeat(7) + &part("b") + &part("b");
    let profile = read(text.as_bytes(), &[]);
    assert_eq!((profile.parts().len(), profile.unlisted_parts()), (1001, 8));
    assert_eq!(profile.totals(), [2018]);
    assert!(profile.parts().all(|part| part.totals == [2]));
}
