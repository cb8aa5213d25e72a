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
    let Ok((output, warnings)) = write(&profile, choices.format.clone(), choices.on_overflow)
    else {
        return;
    };
    match choices.format {
        // Calls in different lines that all pass 32 bits are in the same line once they are read
        // again.
        Format::Preprocessed(_) if have_saturated_lines(&warnings) => {}
        Format::Preprocessed(_) => assert_lasting(&output),
        Format::Json => {
            serde_json::from_slice::<serde_json::Value>(&output).expect("JSON");
        }
        // Names are written as they are.
        Format::Collapsed => assert!(output.is_empty() || output.ends_with(b"\n")),
        Format::Text(_) | Format::Tree(_) => {
            String::from_utf8(output).expect("UTF-8");
        }
    }
});

fn have_saturated_lines(warnings: &[String]) -> bool {
    let mut warnings = warnings.iter();
    warnings.any(|warning| warning.contains("counts or line numbers"))
}
