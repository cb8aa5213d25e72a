//! The callgrind reader, stopping at the first line that cannot be read.
//!
//! What strict reading takes without a warning, lenient reading takes too, with the same result.
//! (Where runs are truncated, they may differ in what they make of the last lines.)

#![no_main]

use cg_preprocess::profile::ProfileOptions;
use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::{Choices, Format, read_all, write};
use libfuzzer_sys::fuzz_target;

const V7: Format = Format::Preprocessed(Version::V7);

fuzz_target!(|data: &[u8]| {
    let strict = Choices {
        format: V7,
        on_overflow: OnOverflow::Scale,
        read: Default::default(),
        profile: ProfileOptions::default(),
    };
    let Ok((profile, warnings)) = read_all(&strict, [data].into_iter()) else {
        return;
    };
    if !warnings.is_empty() {
        return;
    }
    let mut lenient = strict;
    lenient.read.lenient = true;
    let (again, _) = read_all(&lenient, [data].into_iter()).expect("lenient reads it");
    let outputs = [profile, again].map(|profile| write(&profile, V7, OnOverflow::Scale));
    assert_eq!(outputs[0], outputs[1]);
});
