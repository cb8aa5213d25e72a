//! What the fuzz targets and these tests have found: once each, for good.
//!
//! What each file becomes stands beside it; `BLESS=1 cargo test --test suite findings` writes it anew.

use std::fs;

use cg_preprocess::profile::InclusiveCost;
use cg_preprocess::webgrind::Version;

use super::hostile::{any_reading, assert_harmless};
use crate::cases::shown;
use crate::common::{Random, fixtures};
use crate::library::{Reading, read_files, write};
use crate::shortcuts::check_any_way;

#[test]
fn fuzz_findings_are_harmless_with_any_options() {
    let mut files = fixtures::files_below(&fixtures::path("fuzz-findings"));
    files.retain(|path| {
        path.extension()
            .is_some_and(|end| end == "cg" || end == "pre")
    });
    assert!(files.len() > 7);
    for path in files {
        let data = fs::read(&path).unwrap();
        let read = if path.extension().is_some_and(|end| end == "cg") {
            for seed in 0..16 {
                assert_harmless(&any_reading(&mut Random(seed)), &data);
            }
            // What stands before a line must not be taken for it.
            for first in ["", " \n", "\t\r\n"] {
                check_any_way(&[first.as_bytes(), &data].concat(), 1, &[1, 3, 100]);
            }
            Reading::default().read([&data[..]])
        } else {
            assert_lasting(&data);
            read_files(&[&data]).map(|(profile, _)| (profile, Vec::new()))
        };
        fixtures::assert_holds(
            &path.with_extension("tables"),
            &shown(read, InclusiveCost::Summed),
        );
    }
}

/// What was read from a preprocessed file and written is the same file when that is done again.
fn assert_lasting(data: &[u8]) {
    let Ok((profile, _)) = read_files(&[data]) else {
        return;
    };
    for version in Version::ALL {
        let once = write(&profile, version);
        let (read, _) = read_files(&[&once]).unwrap();
        assert!(write(&read, version) == once, "{version:?}");
    }
}
