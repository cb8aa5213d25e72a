//! Traces come out as a walk of their invocation trees says.

use std::collections::BTreeMap;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{FunctionId, InclusiveCost, Profile};
use cg_preprocess::view::View;
use cg_preprocess::webgrind::Version;
use proptest::prelude::*;

use super::document::Wanted;
use super::reading::{assert_headers, assert_tables};
use super::spelling::spell;
use super::strategies::{PROXIES, Size, style, trace, wanted};
use crate::common::preprocessed::decode;
use crate::common::tables::{Tables, narrow};
use crate::library::{Reading, write};
use crate::stacks::collapsed;

/// The proxies that are stepped over, if any are.
fn step_over(reading: &mut Reading, steps_over: bool) -> &'static [&'static str] {
    let proxies = if steps_over { &PROXIES[..] } else { &[] };
    reading.profile.proxies = proxies.iter().map(|&name| name.into()).collect();
    proxies
}

proptest! {
    #![proptest_config(super::config(96))]

    /// Whatever the spelling and the options, the tables are those of the trees.
    #[test]
    fn tables_come_out_in_any_spelling(
        trace in trace(Size::Small),
        style in style(),
        wanted in wanted(),
        outermost: bool,
        steps_over: bool,
        invocations: bool,
    ) {
        let document = &trace.document;
        let wanted = if document.offers(&wanted) { wanted } else { Wanted::First };
        let spelled = spell(document, &style);
        let mut reading = Reading::of(&wanted);
        reading.profile.invocations = invocations;
        reading.profile.contexts = outermost;
        let proxies = step_over(&mut reading, steps_over);
        let profile = reading.sound(&spelled.text);
        assert_tables(&profile, &trace.tables(&wanted, false, proxies));
        if outermost {
            let expected = trace.tables(&wanted, true, proxies);
            let found = Tables::counted_once(&profile);
            prop_assert_eq!(&found.functions, &expected.functions);
        }
        if let Some(tree) = profile.invocations() {
            let mut sums = vec![0; profile.functions().len()];
            for invocation in tree.invocations() {
                sums[invocation.function.index()] += invocation.self_cost;
            }
            for (id, _) in profile.functions() {
                prop_assert_eq!(sums[id.index()], profile.self_costs(id)[0]);
            }
        }
        assert_headers(&profile, document, &wanted, &spelled);
    }

    /// Stacks are those of a walk, their sums the functions' figures, whatever the spelling.
    #[test]
    fn stacks_are_those_of_a_walk(
        trace in trace(Size::Signed),
        style in style(),
        wanted in wanted(),
        steps_over: bool,
    ) {
        let document = &trace.document;
        let wanted = if document.offers(&wanted) { wanted } else { Wanted::First };
        let spelled = spell(document, &style);
        let mut reading = Reading::of(&wanted);
        reading.profile.contexts = true;
        let proxies = step_over(&mut reading, steps_over);
        let profile = reading.sound(&spelled.text);
        let expected = trace.stacks(&wanted, proxies);
        let (stacks, warnings) = collapsed(&profile);
        let is_written = |cost: &i64| *cost > 0;
        let written: Vec<_> = expected.iter().filter(|(_, cost)| is_written(cost)).collect();
        prop_assert_eq!(stacks.iter().collect::<Vec<_>>(), written);
        prop_assert_eq!(warnings.len(), usize::from(expected.values().any(|cost| *cost < 0)));
        let is_cut_off = document.functions.iter().any(|function| function.name == b"exit");
        if !steps_over && !is_cut_off && warnings.is_empty() {
            Tables::counted_once(&profile).assert_outermost(&stacks, |_| 0);
        }
    }

    /// The sums of a trace tell the same inclusive costs, where they are not estimated, and none
    /// exceeds the total.
    #[test]
    fn sums_count_once(trace in trace(Size::Small), style in style()) {
        let mut reading = Reading::default();
        reading.profile.contexts = true;
        let exact = reading.sound(&spell(&trace.document, &style).text);
        let mut sums = Vec::new();
        callgrind::write(&exact, &mut sums).expect("memory takes it");
        let profile = reading.sound(&sums);
        let [exact_view, view] =
            [&exact, &profile].map(|profile| View::as_recorded(profile, InclusiveCost::Once));
        let key = |profile: &Profile, id| {
            let function = profile.function(id);
            [function.object, function.file, function.name].map(|name| profile.name(name).to_vec())
        };
        let ids = exact.functions().map(|(id, _)| (key(&exact, id), id));
        let exact_ids: BTreeMap<_, _> = ids.collect();
        // What was truncated is not part of the total.
        let is_missing = |id: &FunctionId| exact.function(*id).invocations == 0;
        let missing = exact.functions().map(|(id, _)| id).filter(is_missing);
        let missing = missing.flat_map(|id| exact.called_from(id));
        // Xdebug rounds the costs of calls.
        let rounded = exact.calls();
        let most = profile.total() + missing.map(|call| call.costs()[0]).sum::<i64>();
        let most = most.saturating_add_unsigned(rounded);
        // Only the trace says what calls cost whose functions were truncated.
        let is_cut_off = exact.functions().any(|(_, one)| exact.name(one.name) == b"exit");
        for (id, _) in profile.functions() {
            let cost = view.inclusive_costs(id)[0];
            prop_assert!((profile.self_costs(id)[0]..=most).contains(&cost));
            let same = exact_ids[&key(&profile, id)];
            if !view.is_inclusive_estimated(id) && !is_cut_off {
                let expected = exact_view.inclusive_costs(same)[0];
                prop_assert!(cost.abs_diff(expected) <= rounded, "{} {}", cost, expected);
            }
        }
    }

    /// v4 links every call to an invocation, those of each function add up to its figures, and a walk
    /// over them finds the stacks.
    #[test]
    fn v4_links_are_exact(
        trace in trace(Size::Small),
        style in style(),
        steps_over: bool,
    ) {
        let spelled = spell(&trace.document, &style);
        let mut reading = Reading::default();
        reading.profile.invocations = true;
        let proxies = step_over(&mut reading, steps_over);
        let decoded = decode(&write(&reading.sound(&spelled.text), Version::V4));
        let expected = trace.tables(&Wanted::First, false, proxies);
        assert_eq!(decoded.functions.len(), expected.functions.len());
        for (function, row) in decoded.functions.iter().zip(&expected.functions) {
            let calls_cost = row.called_from.iter().map(|call| call.costs[0]).sum();
            let costs = [row.self_costs[0], row.inclusive[0], calls_cost].map(narrow);
            assert_eq!([function.self_cost, function.inclusive, function.call_cost], costs);
            assert_eq!(u64::from(function.invocation_count), row.invocations);
        }
        let (_, missing) = decoded.links();
        assert!(missing.iter().all(|name| name == "exit"));
        if !steps_over {
            assert_eq!(decoded.stacks(), trace.stacks(&Wanted::First, &[]));
        }
    }
}
