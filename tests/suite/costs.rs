//! Which cost is written, and what happens to costs that 32 bits cannot hold.

use std::io::Cursor;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile, ProfileBuilder};
use cg_preprocess::webgrind::{self, Version};

use crate::common::fixtures;
use crate::library::{linked, profile_options, read, write};

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

/// Reads a preprocessed file, and a profile of `X`, for these events.
fn with_event_x(file: &[u8], events: &[&[u8]], inclusive: InclusiveCost) -> Profile {
    let options = profile_options(|options| {
        options.events = EventChoice::Named(events.iter().map(|&event| event.into()).collect());
        options.inclusive = inclusive;
        options.proxies = vec![b"php::call_user_func".to_vec()];
    });
    let mut builder = ProfileBuilder::new(options);
    webgrind::read(Cursor::new(file), "test.pre", &mut builder).unwrap();
    let text: &[u8] = b"events: X\nfn=x\n1 7\n";
    callgrind::read(
        text,
        "x.cg",
        &callgrind::ReadOptions::default(),
        &mut builder,
    )
    .unwrap();
    builder.finish().unwrap()
}

#[test]
fn the_event_of_a_preprocessed_file_may_be_any_of_those_wanted() {
    for (name, version) in [
        ("xdebug3/features.cg", Version::V7),
        ("xdebug3/proxies.cg", Version::V4),
        ("valgrind/plain.cg", Version::V4),
    ] {
        let profile = read(fixtures::bytes(name), linked());
        let event = profile.event().to_vec();
        let file = write(&profile, version);
        for inclusive in [InclusiveCost::Summed, InclusiveCost::Once] {
            let first = with_event_x(&file, &[&event, b"X"], inclusive);
            let second = with_event_x(&file, &[b"X", &event], inclusive);
            assert_eq!(figures(&first, 0), figures(&second, 1), "{name}");
            assert_eq!(figures(&first, 1), figures(&second, 0), "{name}");
            assert!(first.total() > 0);
            assert_eq!(second.total(), 7);
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
