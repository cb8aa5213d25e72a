//! Aggregates come out as their model says.

use cg_preprocess::profile::InclusiveCost;
use proptest::prelude::*;

use super::document::Wanted;
use super::reading::{assert_headers, assert_tables};
use super::spelling::spell;
use super::strategies::{Size, aggregate, style, wanted};
use crate::library::Reading;

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
}
