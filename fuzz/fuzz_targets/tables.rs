//! Profiles whose tables are known: they come out of the reader as they are, and once more out of
//! each preprocessed format that they were written to.

#![no_main]

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use cg_preprocess::callgrind;
use cg_preprocess::profile::ProfileOptions;
use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::made::{Function, Key, Made, name};
use cg_preprocess_fuzz::{Choices, Format, read_all, read_file, tables, write};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(made) = Made::from_bytes(&mut Unstructured::new(data)) else {
        return;
    };
    let choices = Choices {
        format: Format::Json,
        on_overflow: OnOverflow::Error,
        read: callgrind::Options::default(),
        profile: ProfileOptions::default(),
    };
    // Fast paths look ahead: let them reach the last line.
    let text = made.text.clone() + &"# end\n".repeat(20);
    let (profile, warnings) = read_all(&choices, [text.as_bytes()].into_iter()).expect("sound");
    assert_eq!(warnings, [""; 0]);
    let before = tables(&profile);
    assert_eq!(functions(&before), made.functions);

    for version in [Version::V5, Version::V6, Version::V7] {
        let format = Format::Preprocessed(version);
        // What passes 32 bits is refused.
        let Ok((file, _)) = write(&profile, format, OnOverflow::Error) else {
            return;
        };
        let (profile, _) = read_file(&file, ProfileOptions::default()).expect("it can be read");
        let after = tables(&profile);
        assert_eq!(held_by(version, &after), held_by(version, &before));
    }
});

/// The functions of tables by file and name.
fn functions(tables: &Value) -> BTreeMap<Key, Function> {
    let list = tables["functions"].as_array().expect("a list");
    let number = |value: &Value| value.as_u64().expect("a number");
    // The profiles have one event.
    let cost = |costs: &Value| costs[0].as_i64().expect("a cost");
    let key = |function: &Value| {
        let digit = |field: &str, kind: char| {
            let text = function[field].as_str().expect("a name");
            (0..9).find(|&number| name(kind, number) == text)
        };
        (
            digit("file", 'a').expect("a file"),
            digit("name", 'f').expect("a function"),
        )
    };
    let functions = list.iter().map(|function| {
        let calls = function["sub_calls"].as_array().expect("a list").iter();
        let calls = calls.map(|call| {
            let callee = usize::try_from(number(&call["function"])).expect("an index");
            let place = (key(&list[callee]), number(&call["line"]));
            (place, (number(&call["calls"]), cost(&call["cost"])))
        });
        let calls: BTreeMap<_, _> = calls.collect();
        let self_cost = cost(&function["self"]);
        let costs = calls
            .iter()
            .filter(|((callee, _), _)| *callee != key(function));
        let inclusive = self_cost + costs.map(|(_, (_, cost))| cost).sum::<i64>();
        let all: i64 = calls.values().map(|(_, cost)| cost).sum();
        let stated = cost(&function["inclusive"]);
        assert!(
            stated == inclusive || stated == self_cost + all,
            "{function}"
        );
        let made = Function {
            line: number(&function["line"]),
            self_cost,
            calls,
        };
        (key(function), made)
    });
    functions.collect()
}

/// What a version holds of tables.
fn held_by(version: Version, tables: &Value) -> Value {
    let mut functions = tables["functions"].clone();
    for function in functions.as_array_mut().expect("a list") {
        let fields = function.as_object_mut().expect("an object");
        if version < Version::V7 {
            fields.remove("line");
        }
        if version < Version::V6 {
            fields.remove("sub_calls");
        }
    }
    functions
}
