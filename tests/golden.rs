//! What webgrind's own preprocessors have written of these profiles, we write byte for byte.
//!
//! Each `X.vN.pre` in fixtures/ was made by a webgrind of the time of version N from `X.cg`. These
//! files are never written anew.

mod fixtures;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use cg_preprocess::profile::ProfileOptions;
use cg_preprocess::webgrind::{self, OnOverflow, Version};

/// Splits `folder/X.vN.pre` into the path of `X.cg` and the version.
fn source_and_version(golden: &Path) -> Option<(std::path::PathBuf, Version)> {
    let stem = golden.to_str()?.strip_suffix(".pre")?;
    let (stem, version) = stem.rsplit_once('.')?;
    Some((format!("{stem}.cg").into(), version.parse().ok()?))
}

fn written(source: &Path, version: Version) -> Vec<u8> {
    let options = ProfileOptions {
        invocations: version == Version::V4,
        ..ProfileOptions::default()
    };
    let profile = fixtures::read(source, options);
    let mut output = Cursor::new(Vec::new());
    webgrind::write(&profile, version, OnOverflow::Error, &mut output).unwrap();
    output.into_inner()
}

#[test]
fn every_golden_file_is_written_byte_for_byte() {
    let mut seen = Vec::new();
    for golden in fixtures::files_below(&fixtures::folder()) {
        let Some((source, version)) = source_and_version(&golden) else {
            continue;
        };
        let (expected, found) = (fs::read(&golden).unwrap(), written(&source, version));
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
