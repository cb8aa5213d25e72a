//! What webgrind's own preprocessors have written of these profiles, we write byte for byte.
//!
//! Each `X.vN.pre` in fixtures/ was made by a webgrind of the time of version N from `X.cg`. These
//! files are never regenerated.

use std::fs;
use std::path::{Path, PathBuf};

use cg_preprocess::webgrind::{OnOverflow, Version};

use crate::common::fixtures;
use crate::library::{profile_options, read, write_with};

/// Splits `directory/X.vN.pre` into the path of `X.cg` and the version.
fn source_and_version(golden: &Path) -> Option<(PathBuf, Version)> {
    let stem = golden.to_str()?.strip_suffix(".pre")?;
    let (stem, version) = stem.rsplit_once('.')?;
    Some((format!("{stem}.cg").into(), version.parse().ok()?))
}

#[test]
fn every_golden_file_is_written_byte_for_byte() {
    let mut seen = Vec::new();
    for golden in fixtures::files_below(&fixtures::directory()) {
        let Some((source, version)) = source_and_version(&golden) else {
            continue;
        };
        let options = profile_options(|options| options.invocations = version == Version::V4);
        let profile = read(fs::read(source).unwrap(), options);
        let (found, _) = write_with(&profile, version, OnOverflow::Error);
        let expected = fs::read(&golden).unwrap();
        let same = expected.iter().zip(&found).take_while(|(a, b)| a == b);
        let same = same.count();
        assert!(
            expected == found,
            "{}: first difference at byte {same} of {} (written: {})",
            fixtures::short(&golden),
            expected.len(),
            found.len(),
        );
        seen.push(version);
    }
    for version in Version::ALL {
        assert!(seen.contains(&version), "no golden file of {version:?}");
    }
}
