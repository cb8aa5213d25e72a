//! The reader of preprocessed files, and what it read written in every version.

#![no_main]

use cg_preprocess::profile::ProfileOptions;
use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::{Format, assert_lasting, read_file, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for invocations in [false, true] {
        let mut options = ProfileOptions::default();
        options.invocations = invocations;
        let Ok((profile, _)) = read_file(data, options) else {
            return;
        };
        for version in Version::ALL {
            let format = Format::Preprocessed(version);
            if let Ok((file, _)) = write(&profile, format, OnOverflow::Scale) {
                assert_lasting(&file);
            }
        }
    }
});
