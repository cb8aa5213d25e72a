//! The fast parser and the reference parser read the same, whatever the options: the same tables,
//! links, warnings and errors.

#![no_main]

use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::tables::Tables;
use cg_preprocess_fuzz::{Choices, Format, inputs, read_all, read_all_by_reference, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, data)) = Choices::take(data) else {
        return;
    };
    let outcome = |read: Result<_, String>| {
        let (profile, warnings) = read?;
        let links = Format::Preprocessed(Version::V4);
        let file = write(&profile, links, OnOverflow::Saturate);
        Ok::<_, String>((Tables::of(&profile), file, warnings))
    };
    let fast = outcome(read_all(&choices, inputs(data)));
    let reference = outcome(read_all_by_reference(&choices, inputs(data)));
    assert_eq!(fast, reference);
});
