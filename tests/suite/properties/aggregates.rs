//! Aggregates come out as their model says.

use cg_preprocess::profile::InclusiveCost;
use cg_preprocess::webgrind::Version;
use proptest::prelude::*;

use super::document::Wanted;
use super::reading::{assert_headers, assert_tables};
use super::spelling::spell;
use super::strategies::{Size, aggregate, style, wanted};
use crate::common::preprocessed::{NOBODY, decode};
use crate::common::tables::{Call, Row, Tables, narrow};
use crate::library::{Reading, write};

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

    /// Without double counting, calls of a function to itself are left out.
    #[test]
    fn outermost_leaves_calls_to_itself_out(
        document in aggregate(Size::Small),
        style in style(),
    ) {
        let spelled = spell(&document, &style);
        let mut reading = Reading::default();
        reading.profile.inclusive = InclusiveCost::Outermost;
        let profile = reading.sound(&spelled.text);
        let mut tables = document.tables(&Wanted::First);
        for (number, row) in tables.functions.iter_mut().enumerate() {
            let own = row.sub_calls.iter().filter(|call| call.function == number);
            row.inclusive[0] -= own.map(|call| call.costs[0]).sum::<i64>();
        }
        assert_tables(&profile, &tables);
    }

    /// v4 holds each function as one invocation, called by the edge with the highest cost.
    #[test]
    fn v4_holds_sums_as_invocations(document in aggregate(Size::Small), style in style()) {
        let spelled = spell(&document, &style);
        let tables = document.tables(&Wanted::First);
        assert_v4(&tables, &spelled.text);
    }
}

fn assert_v4(tables: &Tables, text: &[u8]) {
    let mut reading = Reading::default();
    reading.profile.invocations = true;
    let decoded = decode(&write(&reading.sound(text), Version::V4));
    assert_eq!(decoded.functions.len(), tables.functions.len());
    for (function, row) in decoded.functions.iter().zip(&tables.functions) {
        let costs = [row.self_costs[0], row.inclusive[0]].map(narrow);
        assert_eq!([function.self_cost, function.inclusive], costs);
        let calls_cost = row.called_from.iter().map(|call| call.costs[0]).sum();
        assert_eq!(function.call_cost, narrow(calls_cost));
        let [invocation] = &function.invocations[..] else {
            panic!("one invocation: {function:?}");
        };
        assert_eq!([invocation.self_cost, invocation.inclusive], costs);
        let caller = [invocation.caller, invocation.line, invocation.call_cost];
        assert_eq!(caller, costliest_caller(row));
        assert_eq!(invocation.caller_invocation, 0);
        let sub_calls = invocation.sub_calls.iter().map(|call| {
            assert_eq!(call.invocation, 0);
            [call.function, call.line, call.cost]
        });
        assert!(sub_calls.eq(row.sub_calls.iter().map(numbers)));
    }
}

fn numbers(call: &Call) -> [u32; 3] {
    [call.function as i64, call.line as i64, call.costs[0]].map(narrow)
}

/// The first of the costliest edges: caller, line, cost.
fn costliest_caller(row: &Row) -> [u32; 3] {
    let costliest = row
        .called_from
        .iter()
        .rev()
        .max_by_key(|call| call.costs[0]);
    costliest.map_or([NOBODY, 0, 0], numbers)
}
