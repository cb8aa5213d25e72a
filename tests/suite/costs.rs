//! Which cost is written, and what happens to costs that 32 bits cannot hold.

use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile};

use crate::common::fixtures;
use crate::library::{profile_options, read};

/// Whatever is asked for, all events at once are what each of them is alone.
#[test]
fn all_events_at_once_are_what_each_is_alone() {
    let proxies = [&b"php::call_user_func"[..], b"php::call_user_func_array"];
    for name in [
        "xdebug3/features.cg",
        "xdebug3/proxies.cg",
        "xdebug3/fibers.cg",
        "producers/xdebug-2.9.cg",
        "valgrind/cachegrind.out",
        "valgrind/combine.cg",
    ] {
        let text = fixtures::bytes(name);
        for inclusive in [InclusiveCost::Summed, InclusiveCost::Once] {
            for proxies in [&proxies[..], &[]] {
                let wanting = |events| {
                    profile_options(|options| {
                        options.events = events;
                        options.inclusive = inclusive;
                        options.proxies = proxies.iter().map(|name| name.to_vec()).collect();
                    })
                };
                let all = read(&text, wanting(EventChoice::All));
                assert!(!all.events().is_empty());
                for (at, event) in all.events().iter().enumerate() {
                    let choice = EventChoice::Named(vec![event.name().to_vec()]);
                    let one = read(&text, wanting(choice));
                    let found = figures(&all, at);
                    assert_eq!(found, figures(&one, 0), "{name}, event {at}, {inclusive:?}");
                }
            }
        }
    }
}

/// Self costs, inclusive costs and the costs of calls, of one of the events.
fn figures(profile: &Profile, event: usize) -> (Vec<[i64; 2]>, Vec<Vec<i64>>) {
    let cost = |costs: &[i64]| costs[event];
    let functions = profile.functions().map(|(id, _)| {
        let rows = [profile.self_costs(id), profile.inclusive_costs(id)];
        rows.map(cost)
    });
    let calls = profile.functions().map(|(id, _)| {
        let calls = profile.sub_calls(id);
        calls.map(|edge| cost(edge.costs())).collect()
    });
    (functions.collect(), calls.collect())
}
