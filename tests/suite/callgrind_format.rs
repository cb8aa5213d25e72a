//! Profiles in the callgrind format: what is written is read as the same sums.

use cg_preprocess::callgrind::{self, CallgrindWriteWarning};
use cg_preprocess::profile::Profile;

use crate::common::fixtures;
use crate::common::lines::Lines;
use crate::common::tables::{Tables, assert_same};
use crate::library::{all_events, merged, read, read_file};

fn write(profile: &Profile) -> (Vec<u8>, Vec<CallgrindWriteWarning>) {
    let mut output = Vec::new();
    let warnings = callgrind::write(profile, &mut output).unwrap();
    (output, warnings)
}

pub fn written(profile: &Profile) -> String {
    let (output, warnings) = write(profile);
    assert_eq!(warnings, []);
    String::from_utf8(output).unwrap()
}

/// What comes of a profile that is written and read.
fn again(profile: &Profile) -> Profile {
    read(write(profile).0, all_events())
}

/// All that the format holds of a profile.
pub fn sums(profile: &Profile) -> Tables {
    Tables::of(profile).sums()
}

#[test]
fn every_fixture_comes_back_and_is_written_again_as_the_same_bytes() {
    for (name, text) in fixtures::profiles() {
        let profile = read(&text, all_events());
        let (text, warnings) = write(&profile);
        assert_eq!(warnings, [], "{name}");
        let again = again(&profile);
        assert_eq!(profile.totals(), again.totals(), "{name}");
        assert_eq!(profile.events(), again.events(), "{name}");
        let definitions = [&profile, &again].map(Profile::event_definitions);
        assert_eq!(definitions[0], definitions[1], "{name}");
        assert_same(&sums(&again), &sums(&profile), &name);
        assert_eq!(profile.has_invocations(), again.has_invocations(), "{name}");
        assert!(text == write(&again).0, "{name}");
    }
}

/// Costs and calls in inlined code stand in the file in force.
#[test]
fn lines_come_back_and_are_summed_up() {
    let text = String::from_utf8(fixtures::bytes("valgrind/inlined.cg")).unwrap();
    let told = Lines::read(&text);
    let calls = told.calls.keys();
    let elsewhere = calls.filter(|(own, _, (file, _))| own[0] != *file);
    assert_eq!((told.calls.len(), elsewhere.count()), (105, 48));
    let [profile, other] = [&text, &text].map(|text| read(text, all_events()));
    assert!(Lines::read(&written(&profile)) == told);
    let twice = told.clone().plus(&told);
    assert!(Lines::read(&written(&merged([profile, other]))) == twice);
}

#[test]
fn preprocessed_files_come_back() {
    let mut goldens = fixtures::files_below(&fixtures::directory());
    goldens.retain(|path| path.to_string_lossy().ends_with("7.pre"));
    assert!(goldens.len() > 4);
    for path in goldens {
        let profile = read_file(&std::fs::read(path).unwrap()).unwrap();
        let again = again(&profile);
        assert_eq!(sums(&profile), sums(&again));
        assert!(write(&profile).0 == write(&again).0);
    }
}
