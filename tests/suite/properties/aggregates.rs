//! Aggregates come out as their model says.

use std::collections::BTreeSet;

use cg_preprocess::profile::{EventChoice, InclusiveCost};
use cg_preprocess::view::View;
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::document::{EVENTS, Wanted};
use super::reading::{assert_headers, assert_tables};
use super::spelling::spell;
use super::strategies::{PROXIES, Size, aggregate, document, style, wanted};
use crate::common::tables::Tables;
use crate::library::Reading;

/// Whether a function calls another one, directly or through others.
fn reaches(tables: &Tables, from: usize, to: usize) -> bool {
    let (mut pending, mut seen) = (vec![from], BTreeSet::from([from]));
    while let Some(function) = pending.pop() {
        let calls = tables.functions[function].sub_calls.iter();
        pending.extend(
            calls
                .map(|call| call.function)
                .filter(|&callee| seen.insert(callee)),
        );
    }
    seen.contains(&to)
}

proptest! {
    #![proptest_config(super::config(96))]

    /// Whatever the spelling, v5, v6, v7 and JSON hold the model's tables and headers. Costs below 0
    /// are summed as they are; only the 32 bits cut them off at 0.
    #[test]
    fn tables_come_out_in_any_spelling(
        document in prop_oneof![aggregate(Size::Small), aggregate(Size::Signed)],
        style in style(),
        wanted in wanted(),
    ) {
        let wanted = if document.offers(&wanted) { wanted } else { Wanted::First };
        let spelled = spell(&document, &style);
        let profile = Reading::of(&wanted).sound(&spelled.text);
        assert_tables(&profile, &document.tables(&wanted));
        assert_headers(&profile, &document, &wanted, &spelled);
    }

    /// Several events, in any order, are what each of them is alone: derived ones too, which may be
    /// just another name for a column.
    #[test]
    fn each_of_several_events_is_as_if_read_alone(
        document in document(Size::Signed),
        style in style(),
        names in subsequence([&EVENTS[..], &["Sum", "All", "CEst", "L1m", "Bm"]].concat(), 1..=9)
            .prop_shuffle(),
        [has_contexts, steps_over]: [bool; 2],
    ) {
        // Shortcuts are taken where enough follows.
        let text = [spell(&document, &style).text, b"\n# end".repeat(20), b"\n".to_vec()].concat();
        let read = |names: &[&str]| {
            let mut reading = Reading::default();
            let names = names.iter().map(|name| name.as_bytes().to_vec());
            reading.profile.events = EventChoice::Named(names.collect());
            reading.profile.contexts = has_contexts;
            if steps_over {
                reading.profile.proxies = PROXIES.map(Vec::from).to_vec();
            }
            reading.read([&text[..]]).map(|(profile, _)| Tables::of(&profile).functions)
        };
        let alone = names.iter().map(|&name| Some((name, read(&[name]).ok()?)));
        let (names, alone): (Vec<_>, Vec<_>) = alone.flatten().unzip();
        let all = if names.is_empty() { Vec::new() } else { read(&names).unwrap() };
        for (event, functions) in alone.into_iter().enumerate() {
            let only = |costs: &mut Vec<i64>| *costs = vec![costs[event]];
            let mut found = all.clone();
            for row in &mut found {
                let calls = row.called_from.iter_mut().chain(&mut row.sub_calls);
                calls.for_each(|call| only(&mut call.costs));
                only(&mut row.self_costs);
                only(&mut row.inclusive);
            }
            prop_assert_eq!(found, functions, "{}", names[event]);
        }
    }

    /// Without double counting, calls of a function to itself are left out.
    #[test]
    fn outermost_does_not_count_recursive_calls(
        document in aggregate(Size::Small),
        style in style(),
    ) {
        let spelled = spell(&document, &style);
        let reading = Reading::default();
        let profile = reading.sound(&spelled.text);
        let view = View::as_recorded(&profile, InclusiveCost::Once);
        let tables = document.tables(&Wanted::First);
        for (number, (row, (id, _))) in tables.functions.iter().zip(view.functions()).enumerate() {
            let own = row.sub_calls.iter().filter(|call| call.function == number);
            let most = row.inclusive[0] - own.map(|call| call.costs[0]).sum::<i64>();
            let cost = view.inclusive_costs(id)[0];
            let is_in_cycle = row.sub_calls.iter().any(|call| {
                call.function != number && reaches(&tables, call.function, number)
            });
            // In a cycle with others, it costs at most as much.
            prop_assert!(if is_in_cycle { cost <= most } else { cost == most }, "{row:?} {cost}");
        }
    }
}
