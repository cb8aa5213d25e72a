//! The callgrind reader, skipping what cannot be read, with all that a trace can be asked for.
//!
//! Whatever the options, the sums of self costs and the numbers of functions and headers are the
//! same: options change lists and inclusive costs, never what was read.

#![no_main]

use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::webgrind::{OnOverflow, Version};
use cg_preprocess_fuzz::{Choices, Format, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut plain = Choices {
        format: Format::Preprocessed(Version::V4),
        on_overflow: OnOverflow::Scale,
        read: Default::default(),
        profile: ProfileOptions::default(),
    };
    plain.read.lenient = true;
    let mut linked = plain.clone();
    linked.profile.invocations = true;
    let plain = read_all(&plain, [data].into_iter());
    let linked = read_all(&linked, [data].into_iter());
    match (plain, linked) {
        (Ok((plain, warnings)), Ok((linked, same_warnings))) => {
            assert_eq!(warnings, same_warnings);
            if plain.kind().is_none() {
                // Where invocations are kept, sums that have none stay apart.
                return;
            }
            assert_eq!(figures(&plain), figures(&linked));
            assert_eq!(plain.edges().len(), linked.edges().len());
        }
        (Err(plain), Err(linked)) => assert_eq!(plain, linked),
        (plain, linked) => panic!("{:?} {:?}", plain.err(), linked.err()),
    }
});

fn figures(profile: &Profile) -> impl PartialEq + std::fmt::Debug {
    let functions = profile.functions();
    let functions = functions.map(|(id, f)| {
        let costs = [profile.self_costs(id), profile.inclusive_costs(id)];
        (costs.map(<[i64]>::to_vec), f.invocations, f.line)
    });
    let headers = profile.headers();
    let headers = headers.map(|header| header.text().to_vec());
    (functions.collect::<Vec<_>>(), headers.collect::<Vec<_>>())
}
