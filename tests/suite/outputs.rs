//! What comes of every fixture in every format, as checksums: an output that changes is noticed,
//! whatever the change.
//!
//! `BLESS=1 cargo test --test suite outputs` writes them anew. They say which outputs have changed,
//! not how: look at these, as both builds write them.

use std::fmt::Debug;
use std::io::{self, Read};

use cg_preprocess::callgrind;
use cg_preprocess::compare::Comparison;
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::html::{self, Compared};
use cg_preprocess::output::{Names, Options, Sort};
use cg_preprocess::output::{collapsed, json, pprof};
use cg_preprocess::output::{markdown, text, tree};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::webgrind::{self, OnOverflow, Version};
use flate2::read::GzDecoder;
use memchr::memmem;

use crate::cases::verdict;
use crate::common::{Random, fixtures};
use crate::library::{Reading, text_options, write_options, write_text};
use crate::properties::strategies::PROXIES;

/// The first 32 bits of the hash FNV-1a, of 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash) >> 32
}

/// The outputs of a profile, each after its name.
#[derive(Default)]
struct Outputs(String);

impl Outputs {
    /// Adds what is written, and what is said of it; without the version of this program.
    fn add<W: Debug, E: Debug>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> Result<W, E>,
    ) {
        let mut output = Vec::new();
        let said = write(&mut output);
        output.extend(format!("{said:?}").into_bytes());
        let version = concat!("cg-preprocess ", env!("CARGO_PKG_VERSION")).as_bytes();
        while let Some(at) = memmem::find(&output, version) {
            output.drain(at..at + version.len());
        }
        self.0 += &format!(" {name} {:08x}", checksum(&output));
    }

    /// Adds the data of a page.
    fn add_page(&mut self, stacks: &Stacks<'_>, compared: Option<&Compared<'_>>) {
        self.add("html", |output| {
            html::write(
                stacks,
                compared,
                &html::Notes::default(),
                &mut SourceFiles::default(),
                &html::Options::default(),
                &mut *output,
            )?;
            let data = memmem::find(output, br#"id="data">"#).unwrap();
            output.drain(..data);
            output.truncate(memmem::find(output, b"</script>").unwrap());
            io::Result::Ok(())
        });
    }

    fn add_samples(&mut self, stacks: &Stacks<'_>, base: Option<&Stacks<'_>>) {
        self.add("pprof", |output| {
            let mut file = Vec::new();
            let warnings = pprof::write(stacks, base, base.is_some(), &[], &mut file)?;
            GzDecoder::new(&file[..]).read_to_end(output)?;
            io::Result::Ok(warnings)
        });
    }
}

/// Names of functions are made longer than there is room for.
fn options(at: usize) -> Options {
    text_options(|options| {
        options.width = Some(60 + at % 40);
        options.top = Some(3 + at % 30);
        options.names = [Names::Short, Names::Auto, Names::Full][at % 3];
        options.sort = [Sort::SelfCost, Sort::Inclusive, Sort::Calls][at % 3];
    })
}

/// What comes of a profile, and of a comparison with the one before.
fn outputs(
    reading: &Reading,
    at: usize,
    text: &[u8],
    base: Option<&Profile>,
) -> (Outputs, Profile) {
    let mut outputs = Outputs::default();
    let options = options(at);

    let mut listed = reading.clone();
    listed.profile.invocations = true;
    listed.profile.inclusive = InclusiveCost::Outermost;
    listed.profile.proxies = PROXIES.map(Vec::from).to_vec();
    let profile = listed.sound(text);
    for version in Version::ALL {
        let options = write_options(|options| {
            options.version = version;
            options.escape_html = at.is_multiple_of(2);
            options.on_overflow = OnOverflow::Saturate;
        });
        let write = |output: &mut Vec<u8>| webgrind::write(&profile, &options, output);
        outputs.add(&format!("v{}", version.number()), write);
    }

    let mut stacked = reading.clone();
    stacked.profile.contexts = true;
    stacked.profile.call_files = true;
    stacked.profile.lines = true;
    stacked.profile.parts = true;
    let profile = stacked.sound(text);
    let stacks = Stacks::new(&profile);
    let plain = Options::default();
    outputs.add("text", |output| write_text(&profile, &plain, output));
    outputs.add("narrow", |output| write_text(&profile, &options, output));
    outputs.add("tree", |output| tree::write(&stacks, &options, output));
    outputs.add("collapsed", |output| collapsed::write(&stacks, output));
    outputs.add("markdown", |output| {
        markdown::write(&stacks, &[], &options, output)
    });

    stacked.profile.events = EventChoice::All;
    let sums = stacked.sound(text);
    outputs.add("callgrind", |output| callgrind::write(&sums, output));
    let mut profile = stacked.sound(text);
    profile.derive_events();
    outputs.add("json", |output| json::write(&profile, &[], output));
    let stacks = Stacks::new(&profile);
    outputs.add_page(&stacks, None);
    outputs.add_samples(&stacks, None);

    let compared = base.and_then(|base| Some((base, Comparison::new(base, &profile).ok()?)));
    if let Some((base, comparison)) = &compared {
        let limits = [verdict(comparison, "5")];
        let base = Stacks::new(base);
        let compared = Compared {
            base: &base,
            comparison,
        };
        outputs.add("changes", |output| {
            text::write_comparison(comparison, &options, output)
        });
        outputs.add("markdown", |output| {
            markdown::write_comparison(comparison, &limits, &options, output)
        });
        outputs.add("json", |output| json::write_comparison(comparison, output));
        outputs.add_page(&stacks, Some(&compared));
        outputs.add("collapsed", |output| {
            collapsed::write_comparison(&base, &stacks, output)
        });
        outputs.add_samples(&stacks, Some(&base));
    }
    (outputs, profile)
}

/// Sums of functions that call each other at random, some of them by recursion levels or callers.
fn graph(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut text = "events: Ir Dr\n".to_owned();
    let name = |at: u64| match at % 5 {
        0 => format!("f{}'2", at / 5),
        1 => format!("f{}'f{}", at / 5, at / 7),
        _ => format!("space::some_longer_name_{at}<int, char>(long)"),
    };
    let most = [10, 1 << 20, 1 << 62][random.index(3)];
    for caller in 0..25 {
        text += &format!("fl=/srv/app/{}.c\nfn={}\n", caller % 4, name(caller));
        text += &format!("{caller} {} -{}\n", random.below(most), random.below(9));
        for _ in 0..random.below(4) {
            let (callee, cost) = (name(random.below(25)), random.below(most));
            text += &format!(
                "cfn={callee}\ncalls={} 1\n{caller} {cost} 1\n",
                1 + random.below(9)
            );
        }
    }
    text.into_bytes()
}

#[test]
fn every_output_is_as_before() {
    let mut found = String::new();
    let mut base: Option<Profile> = None;
    let graphs = (1..30).map(|seed| (format!("graph {seed}"), graph(seed)));
    for (at, (name, text)) in fixtures::profiles().into_iter().chain(graphs).enumerate() {
        let (outputs, profile) = outputs(&Reading::default(), at, &text, base.as_ref());
        found += &format!("{name}:{}\n", outputs.0);
        base = Some(profile);
    }
    fixtures::assert_holds(&fixtures::path("outputs.txt"), &found);
}
