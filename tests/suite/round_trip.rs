//! What is written as a preprocessed file is read back as it was.

use cg_preprocess::profile::{Kind, Profile};
use cg_preprocess::webgrind::{
    OnOverflow, ReadWarning, ReadWarningKind, Version, WebgrindWriteWarning,
};
use proptest::prelude::*;

use crate::common::fixtures;
use crate::common::tables::{self, Tables, assert_same};
use crate::library::{self, linked, write, write_with};
use crate::properties;
use crate::properties::spelling::spell;
use crate::properties::strategies::{PROXIES, Size, document, style};

/// Reads callgrind text, with its invocations.
fn read_text(text: &[u8]) -> Profile {
    library::read(text, linked())
}

fn read_file(file: &[u8]) -> Profile {
    let (profile, outcomes) = library::read_files(&[file]).unwrap();
    assert_eq!(outcomes[0].bytes, file.len() as u64);
    let is_absent =
        |warning: &ReadWarning| matches!(warning.kind, ReadWarningKind::EventAbsent { .. });
    assert!(!outcomes[0].warnings.iter().any(is_absent));
    profile
}

/// What comes back from a file of some version. The lists of calls are sorted: their order is lost.
fn held_by(profile: &Profile, version: Version, is_trace: bool) -> Tables {
    let mut tables = Tables::of(profile);
    tables.headers.push(tables::spelled(profile.event()));
    for row in &mut tables.functions {
        row.object.clear();
        if version != Version::V7 {
            row.line = 0;
        }
        let is_sum = version == Version::V4 && !is_trace;
        if is_sum {
            row.invocations = 1;
        }
        for list in [&mut row.called_from, &mut row.sub_calls] {
            list.sort();
            if is_sum {
                list.iter_mut().for_each(|call| call.calls = 1);
            }
        }
    }
    tables
}

/// Checks all that must hold of any profile.
fn check(profile: &Profile, policy: OnOverflow) {
    for version in Version::ALL {
        let (file, warnings) = write_with(profile, version, policy);
        let read = read_file(&file);
        // Of equally expensive callers, v4 names the first.
        if version != Version::V4 {
            let again = write(&read, version);
            let third = write(&read_file(&again), version);
            assert!(third == again, "{version:?}: not the same bytes");
        }
        let is_exact = warnings
            .iter()
            .all(|warning| matches!(warning, WebgrindWriteWarning::SumsAsInvocations(_)));
        if is_exact {
            let is_trace = profile.kind() == Some(Kind::Trace);
            let [found, expected] = [&read, profile].map(|one| held_by(one, version, is_trace));
            assert_same(&found, &expected, version.number());
        }
    }
}

#[test]
fn every_fixture_comes_back_from_every_version() {
    for (name, text) in fixtures::profiles() {
        println!("{name}");
        check(&read_text(&text), OnOverflow::Error);
    }
}

proptest! {
    #![proptest_config(properties::config(256))]

    #[test]
    fn made_up_profiles_come_back(
        document in document(Size::Large),
        style in style(),
        [has_contexts, steps_over, saturates]: [bool; 3],
    ) {
        let mut options = linked();
        options.contexts = has_contexts;
        if steps_over {
            options.proxies = PROXIES.map(Vec::from).to_vec();
        }
        let policy = if saturates { OnOverflow::Saturate } else { OnOverflow::Scale };
        check(&library::read(spell(&document, &style).text, options), policy);
    }
}
