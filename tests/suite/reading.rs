//! Files read into a profile, as programs that use the library do.

use std::fs;

use cg_preprocess::callgrind;
use cg_preprocess::compare::Limit;
use cg_preprocess::io::{Source, Target};
use cg_preprocess::profile::{Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::run::{self, ConvertOptions, Format};
use cg_preprocess::view::View;
use tempfile::TempDir;

#[cfg(feature = "compression")]
use crate::common::gzip;
use crate::library::read_options;

const TEXT: &str = "events: Ir\nfl=a.c\nfn=main\n1 20\ncfn=f\ncalls=2 5\n2 30\nfn=f\n5 30\n";

#[cfg(feature = "compression")]
#[test]
fn any_files_become_a_profile() {
    let directory = TempDir::new().unwrap();
    let [plain, packed, cut] = ["plain", "packed", "cut"].map(|name| directory.path().join(name));
    fs::write(&plain, TEXT).unwrap();
    fs::write(&packed, gzip(TEXT.as_bytes())).unwrap();
    fs::write(&cut, &TEXT[..TEXT.len() - 1]).unwrap();
    let size = |path: &std::path::PathBuf| fs::metadata(path).unwrap().len();
    let bytes = size(&plain) + size(&packed);
    let sources = [plain, packed, cut].map(Source::File);

    let (profile, report) = run::read(&sources[..2], &ConvertOptions::default()).unwrap();
    assert_eq!(profile.total(), 100);
    assert_eq!((report.functions, report.calls), (2, 4));
    assert_eq!(report.bytes_in, bytes);
    assert!(report.is_complete() && report.warnings.is_empty());

    let (profile, report) = run::read(&sources, &ConvertOptions::default()).unwrap();
    assert_eq!(profile.total(), 150);
    assert!(!report.is_complete());
    assert_eq!(report.warnings.iter().count(), 1);
}

/// There is no page of webgrind's that compares.
#[test]
fn formats_without_comparisons_are_refused() {
    let directory = TempDir::new().unwrap();
    let [profile, output] = ["profile", "output"].map(|name| directory.path().join(name));
    fs::write(&profile, TEXT).unwrap();
    let inputs = [Source::File(profile)];
    let mut options = ConvertOptions::default();
    options.format = Format::V7;
    options.base = inputs.to_vec();
    let converted = run::convert(&inputs, &Target::File(output.clone()), &options);
    let error = converted.unwrap_err().to_string();
    assert_eq!(error, "this format does not support this comparison");
    assert!(!output.exists());
}

#[test]
fn nothing_to_read_is_an_error() {
    let error = run::read(&[], &ConvertOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no input");
}

#[test]
fn growth_without_a_base_is_an_error() {
    let profile = Profile::read(TEXT.as_bytes()).unwrap();
    let limit = Limit::growth(b"5%").unwrap();
    let error = limit.check(&View::of(&profile)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a limit on growth needs a base to compare with"
    );
}

#[test]
fn compressed_bytes_are_no_profile_where_text_is_read() {
    let packed = b"\x1f\x8b\x08\0\0\0\0\0\n1\n2".as_slice();
    let zstd = b"\x28\xb5\x2f\xfd\n".as_slice();
    for (bytes, lenient) in [(packed, false), (packed, true), (zstd, false)] {
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        let options = read_options(|options| options.lenient = lenient);
        let error = callgrind::read(bytes, "a.cg", &options, &mut builder).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with("a.cg:1: this is not a callgrind profile: "),
            "{message}"
        );
    }
}
