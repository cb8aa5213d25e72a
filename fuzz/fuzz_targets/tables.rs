//! Profiles whose tables are known: they come out of the reader as they are, and once more out of
//! each preprocessed format that they were written to.

#![no_main]

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use cg_preprocess::callgrind;
use cg_preprocess::profile::ProfileOptions;
use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::made::{Function, Key, Made, name};
use cg_preprocess_fuzz::tables::{Row, Tables};
use cg_preprocess_fuzz::{Choices, Format, read_all, read_file, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(made) = Made::from_bytes(&mut Unstructured::new(data)) else {
        return;
    };
    let choices = Choices {
        format: Format::Json,
        on_overflow: OnOverflow::Error,
        read: callgrind::ReadOptions::default(),
        profile: ProfileOptions::default(),
    };
    // Fast paths look ahead: let them reach the last line.
    let text = made.text.clone() + &"# end\n".repeat(20);
    let (profile, warnings) = read_all(&choices, [text.as_bytes()].into_iter()).expect("sound");
    assert_eq!(warnings, [""; 0]);
    let before = Tables::of(&profile);
    assert_eq!(functions(&before), made.functions);

    for version in [Version::V5, Version::V6, Version::V7] {
        let format = Format::Preprocessed(version);
        // What passes 32 bits is refused.
        let Ok((file, _)) = write(&profile, format, OnOverflow::Error) else {
            return;
        };
        let (profile, _) = read_file(&file, ProfileOptions::default()).expect("it can be read");
        let mut after = Tables::of(&profile);
        let held = before.clone().held_by(version);
        if version < Version::V6 {
            // The order of these follows from that of the others.
            after
                .functions
                .iter_mut()
                .for_each(|row| row.sub_calls.clear());
        }
        assert_eq!(after.functions, held.functions);
    }
});

/// The functions of tables by file and name.
fn functions(tables: &Tables) -> BTreeMap<Key, Function> {
    let key = |row: &Row| {
        let digit = |text: &str, kind: char| (0..9).find(|&number| name(kind, number) == text);
        (
            digit(&row.file, 'a').expect("a file"),
            digit(&row.name, 'f').expect("a function"),
        )
    };
    let functions = tables.functions.iter().map(|row| {
        // The profiles have one event.
        let calls = row.sub_calls.iter().map(|call| {
            let place = (key(&tables.functions[call.function]), call.line);
            (place, (call.calls, call.costs[0]))
        });
        let calls: BTreeMap<_, _> = calls.collect();
        let self_cost = row.self_costs[0];
        let others = calls.iter().filter(|((callee, _), _)| *callee != key(row));
        let inclusive = self_cost + others.map(|(_, (_, cost))| cost).sum::<i64>();
        let all: i64 = calls.values().map(|(_, cost)| cost).sum();
        let stated = row.inclusive[0];
        assert!(stated == inclusive || stated == self_cost + all, "{row:?}");
        let line = row.line;
        let made = Function {
            line,
            self_cost,
            calls,
        };
        (key(row), made)
    });
    functions.collect()
}
