//! The same bytes in reads of other sizes give the same result: output, warnings, errors.

#![no_main]

use cg_preprocess_fuzz::{Choices, OddReader, inputs, read_all, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, data)) = Choices::take(data) else {
        return;
    };
    let Some((&seed, data)) = data.split_first() else {
        return;
    };
    let outcome = |read: Result<_, String>| {
        let (profile, warnings) = read?;
        let written = write(&profile, choices.format.clone(), choices.on_overflow);
        Ok::<_, String>((written, warnings))
    };
    let whole = outcome(read_all(&choices, inputs(data)));
    let odd = inputs(data).map(|input| OddReader::new(input, seed));
    assert_eq!(whole, outcome(read_all(&choices, odd)));
});
