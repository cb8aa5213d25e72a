//! The whole conversion to each format, with every option that changes the path.
//!
//! Preprocessed files can be read back and are then the same again; JSON is JSON.

#![no_main]

use cg_preprocess_fuzz::{Choices, Format, assert_lasting, inputs, read_all, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, data)) = Choices::take(data) else {
        return;
    };
    let Ok((profile, _)) = read_all(&choices, inputs(data)) else {
        return;
    };
    let Ok((output, _)) = write(&profile, choices.format, choices.on_overflow) else {
        return;
    };
    match choices.format {
        Format::Preprocessed(_) => assert_lasting(&output),
        Format::Json => {
            serde_json::from_slice::<serde_json::Value>(&output).expect("JSON");
        }
        Format::Text(_) => {
            String::from_utf8(output).expect("UTF-8");
        }
    }
});
