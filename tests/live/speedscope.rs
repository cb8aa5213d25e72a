//! speedscope in a browser: which stacks it finds in our files, and what they cost there.

use std::fs;
use std::path::Path;
use std::slice::from_ref;

use serde_json::Value;

use crate::browser::Browser;
use crate::callgrind;
use crate::go_pprof::{Costs, folded, written};
use crate::producer::{Bench, Tool};
use crate::profile::{assert_figures, convert, list};
use crate::xdebug::Session;

/// A link to a script; its page stands beside it.
const SPEEDSCOPE: Tool = Tool::new("speedscope", "with npm speedscope");

/// Opens a file with speedscope; the unit of its costs, and the stacks as it saves them.
fn opened(bench: &Bench, browser: &Browser, file: &Path) -> (String, Costs) {
    let script = fs::canonicalize(SPEEDSCOPE.path()).expect("speedscope");
    let page = script.with_file_name("../dist/release/index.html");
    let loader = bench.path("loader.js");
    let (name, bytes) = (file.file_name(), fs::read(file).expect("a file"));
    let load = format!(
        "speedscope.loadFileFromBase64({name:?}, btoa(String.fromCharCode(...{bytes:?})))",
        name = name.expect("a name")
    );
    fs::write(&loader, load).expect("a file");
    let page = fs::canonicalize(page).expect("the page of speedscope");
    let loader = loader.to_str().expect("UTF-8").trim_start_matches('/');
    browser.open(&page, &format!("#localProfilePath={loader}"));
    browser.wait_for("return document.title.endsWith(' - speedscope')");
    browser.run(
        "URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text }); return '#'; };
         dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }));",
    );
    browser.wait_for("return !!window.saved");
    let saved = browser.run("return JSON.parse(window.saved)");
    let frames = list(&saved["shared"]["frames"], |frame| {
        let name = frame["name"].as_str().expect("a name");
        // Of events, it adds what they have as `args`.
        let (name, _) = name.split_once(" {\"file\":").unwrap_or((name, ""));
        name.to_owned()
    });
    let profile = &saved["profiles"][0];
    let unit = profile["unit"].as_str().expect("a unit").to_owned();
    // Events have times in microseconds, with decimals.
    let scale = if unit == "microseconds" { 1000.0 } else { 1.0 };
    (unit, costs(&frames, &profile["events"], scale))
}

/// What stacks cost, of events that open and close frames.
fn costs(frames: &[String], events: &Value, scale: f64) -> Costs {
    let (mut costs, mut stack, mut before) = (Costs::new(), Vec::new(), 0);
    for event in events.as_array().expect("events") {
        let at = event["at"].as_f64().expect("a cost") * scale;
        let at = at.round() as i64;
        if at > before {
            *costs.entry(stack.join(";")).or_default() += at - before;
        }
        before = at;
        let frame = event["frame"].as_u64().expect("a frame");
        match event["type"].as_str() {
            Some("O") => stack.push(frames[frame as usize].as_str()),
            _ => drop(stack.pop()),
        }
    }
    costs
}

#[test]
fn opens_what_we_write() {
    let browser = Browser::start();
    let session = Session::of("closures.php");
    let bench = Bench::new();
    let time = folded(&bench, from_ref(&session.profile()), "Time_(10ns)", 10);
    let file = written(&bench, "time.pb.gz", from_ref(&session.profile()), &[]);
    let (unit, found) = opened(&bench, &browser, &file);
    assert_eq!(unit, "nanoseconds");
    assert_figures(&found, &time);
    // A timeline has the same stacks, one call after the other.
    let file = bench.path("time.trace.json");
    convert(from_ref(&session.profile()), &file, &[]);
    let (unit, found) = opened(&bench, &browser, &file);
    assert_eq!(unit, "microseconds");
    assert_figures(&found, &time);

    let session = callgrind::Session::c(&["--cache-sim=yes"]);
    let reads = folded(&bench, &session.files, "Dr", 1);
    let file = written(&bench, "sums.pb.gz", &session.files, &["-e", "Dr"]);
    let (unit, found) = opened(&bench, &browser, &file);
    assert_eq!(unit, "none");
    assert_figures(&found, &reads);
    let (_, found) = opened(&bench, &browser, &bench.path("folded"));
    assert_figures(&found, &reads);
}
