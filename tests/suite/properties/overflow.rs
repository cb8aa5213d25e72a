//! Numbers of more than 32 bits, under each policy.

use cg_preprocess::webgrind::{self, OnOverflow, Version};
use proptest::prelude::*;

use super::document::Wanted;
use super::reading::total;
use super::spelling::spell;
use super::strategies::{Size, aggregate, style};
use crate::common::preprocessed::{Decoded, decode};
use crate::common::tables::{Tables, assert_same};
use crate::library::{Reading, write_options};

/// The smallest power of ten that makes all costs fit, rounded.
fn divisor(tables: &Tables, smallest: i64) -> i64 {
    let costs = tables.functions.iter().flat_map(|row| {
        let calls = row.called_from.iter().map(|call| call.costs[0]);
        calls.chain([row.self_costs[0], row.inclusive[0]])
    });
    let largest = costs.max().unwrap_or(0);
    let fits = |divisor: &i64| (largest + divisor / 2) / divisor <= i64::from(u32::MAX);
    if fits(&1) {
        return 1;
    }
    let mut powers = std::iter::successors(Some(smallest), |power| Some(power * 10));
    powers.find(fits).expect("some power is large enough")
}

fn assert_costs(decoded: &Decoded, tables: &Tables, narrow: impl Fn(i64) -> i64) {
    let mut decoded = decoded.tables();
    decoded.headers.clear();
    let expected = tables.clone().map_costs(narrow).held_by(Version::V7);
    assert_same(&decoded, &expected, "costs");
}

fn header<'a>(decoded: &'a Decoded, key: &str) -> Vec<&'a str> {
    let headers = decoded.headers.iter();
    let texts = headers.filter_map(|header| std::str::from_utf8(header).ok());
    let values = texts.filter_map(|text| text.strip_prefix(key));
    values.filter_map(|value| value.split(' ').next()).collect()
}

proptest! {
    #![proptest_config(super::config(64))]

    #[test]
    fn each_policy_does_what_it_says(document in aggregate(Size::Large), style in style()) {
        let tables = document.tables(&Wanted::First);
        let profile = Reading::default().sound(&spell(&document, &style).text);
        let write = |policy| {
            let mut output = Vec::new();
            let warnings = webgrind::write(&profile, &write_options(|options| options.on_overflow = policy), &mut output)
                .map_err(|error| error.to_string())?;
            Ok::<_, String>((decode(&output), warnings))
        };
        let event = String::from_utf8_lossy(profile.event()).into_owned();
        let is_time = event == "Time_(10ns)";
        let divisor = divisor(&tables, if is_time { 100 } else { 10 });

        let (scaled, warnings) = write(OnOverflow::Scale).unwrap();
        assert_costs(&scaled, &tables, |cost| (cost + divisor / 2) / divisor);
        prop_assert_eq!(warnings.len(), usize::from(divisor > 1));
        let name = match divisor {
            1 => event,
            100 if is_time => "Time_(us)".to_owned(),
            _ if is_time => format!("Time_(us)_(x{})", divisor / 100),
            _ => format!("{event}_(x{divisor})"),
        };
        prop_assert!(header(&scaled, "events: ").into_iter().all(|event| event == name));
        let summaries = header(&scaled, "summary: ");
        let sum: i64 = summaries.iter().map(|number| number.parse::<i64>().unwrap()).sum();
        let off = (sum * divisor - total(&tables)).abs();
        prop_assert!(off <= divisor * summaries.len() as i64);

        let (saturated, warnings) = write(OnOverflow::Saturate).unwrap();
        assert_costs(&saturated, &tables, |cost| cost.min(u32::MAX.into()));
        prop_assert_eq!(warnings.len(), usize::from(divisor > 1));

        prop_assert_eq!(write(OnOverflow::Error).is_ok(), divisor == 1);
    }
}
