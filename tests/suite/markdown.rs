//! Reports in Markdown: how much they show.

use cg_preprocess::compare::Comparison;
use cg_preprocess::output::ReportOptions;
use cg_preprocess::output::markdown::{self, MAX_CHARACTERS};
use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::stacks::Stacks;

use crate::cases;
use crate::library::{all_events, profile, read, text_of, text_options};

fn report(profile: &Profile, options: &ReportOptions) -> String {
    text_of(|output| markdown::write(&Stacks::new(profile), None, &[], options, output))
}

fn compared(base: &str, new: &str) -> String {
    let [base, mut new] = [base, new].map(profile);
    new.set_incomplete();
    let comparison = Comparison::new(&base, &new).unwrap();
    let verdicts = [cases::verdict(&comparison, "1")];
    let options = text_options(|options| options.top = Some(1));
    text_of(|output| markdown::write_comparison(&comparison, &verdicts, &options, output))
}

#[test]
fn a_report_always_fits_into_a_comment() {
    let marks = "\u{301}".repeat(500);
    let events: String = (0..64)
        .map(|number| format!(" E{number}{}", "x".repeat(200)))
        .collect();
    let mut text = format!("cmd: {marks}\nevents:{events}\n");
    for number in 0..400 {
        text += &format!("fl=/srv/{marks}\nfn=a{number}{marks}|\n1 {number}\n");
    }
    text += "fl=a\nfn=last\n1 0\n";
    for events in [ProfileOptions::default(), all_events()] {
        let profile = read(&text, events);
        for top in [Some(0), Some(10), None] {
            let found = report(&profile, &text_options(|options| options.top = top));
            assert!(found.chars().count() < MAX_CHARACTERS, "{}", found.len());
            assert!(found.contains(" more functions with a total self cost of "));
            // There would be room for it, but not for what comes before it.
            assert!(!found.contains("`last`"));
        }
        // Nothing is folded if there is no room for what comes before it.
        let found = report(&profile, &text_options(|options| options.top = Some(300)));
        assert!(!found.contains("<details>"));
    }
    let long = compared(&text, &text.replace("\n1 ", "\n1 1"));
    assert!(long.chars().count() < MAX_CHARACTERS);
    // Parts, paths and lines, too.
    let mut text = "creator: callgrind-3.25.0\nevents: Ir\n".to_owned();
    for number in 0..400 {
        text += &format!("part: 1\ndesc: Trigger: Client Request: {number}{marks}\n");
        text += &format!("fl=/srv/{number}{marks}\nfn=a{number}{marks}|\n1 {number}\n2 {number}\n");
        let callee = number + 1;
        text += &format!("cfi=/srv/{callee}{marks}\ncfn=a{callee}{marks}|\ncalls=1 1\n3 1\n");
    }
    let mut with_lines = ProfileOptions::default();
    with_lines.lines = true;
    let profile = read(&text, with_lines);
    for top in [Some(10), None] {
        let found = report(&profile, &text_options(|options| options.top = top));
        assert!(found.chars().count() < MAX_CHARACTERS, "{}", found.len());
        assert!(found.contains("### Heaviest stacks") && found.contains("### Costliest lines"));
    }
}
