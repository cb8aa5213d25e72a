//! A timeline of a trace in the Trace Event Format, for Perfetto, speedscope, the Firefox Profiler
//! and `chrome://tracing`.
//!
//! Each call is a complete event: its start `ts` and its duration `dur` in microseconds, its name,
//! its package as `cat`, and in `args` the file and line of the call; for calls without a caller,
//! those of the function. Each run is a thread.
//!
//! The order of calls and their durations are the profile's. A profile does not tell when a caller
//! spent its own time, so this is spread evenly before, between and after its calls. At most 200,000
//! calls are shown. If there are more, the shortest are omitted: all below the same duration.
//!
//! # Examples
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::output::timeline;
//!
//! let trace = "creator: xdebug 3.4.0\nevents: Time_(10ns)\nfl=a.php\nfn=work\n3 400\n\n\
//!     fl=a.php\nfn={main}\n7 200\ncfl=a.php\ncfn=work\ncalls=1 0 0\n8 400\n";
//! let mut options = ProfileOptions::default();
//! options.timeline = timeline::MAX_CALLS;
//! let mut builder = ProfileBuilder::new(options);
//! callgrind::read(trace.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//!
//! let mut json = Vec::new();
//! timeline::write(&builder.finish()?, &mut json)?;
//! let json = String::from_utf8(json)?;
//! // 2 µs of {main} are spread before and after work.
//! assert!(json.contains(r#""name":"work","cat":"a.php","ts":1.0,"dur":4.0,"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, Write};

use serde_core::Serialize;
use thiserror::Error;

use super::json;
use crate::compare::SideEvent;
use crate::display::numbers::rounded;
use crate::display::text::printable;
use crate::display::units::{Quantity, Unit};
use crate::maps::HashMap;
use crate::names::Packages;
use crate::profile::{Cost, Kind, NameId, Profile};
use crate::trace::{Timeline, TimelineBox};

/// The most calls that are shown.
pub const MAX_CALLS: usize = 200_000;

/// The version of the JSON layout, beyond that of the Trace Event Format.
const SCHEMA: u32 = 1;

/// What the format cannot say by itself.
const NOTE: &str = "The order of calls and their durations are the profile's. When a caller spent its own \
    time is not recorded: it is spread evenly before, between and after its calls.";

/// Why a profile has no timeline.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TimelineError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The profile does not contain single calls.
    #[error(
        "a timeline needs every call, as in Xdebug's profiles; this profile only has the sums of calls"
    )]
    Aggregate,
    /// The event is not a time.
    #[error("a timeline needs a time, which \"{0}\" is not")]
    Event(String),
}

/// Calls that are not shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("calls under {shortest} are not shown: {share} of the time")]
pub struct Omitted {
    shortest: String,
    share: String,
}

/// The timeline of a profile and the unit of its times.
pub(crate) fn of_profile(profile: &Profile) -> Result<(&Timeline, Unit), TimelineError> {
    let timeline = profile.timeline();
    let timeline = timeline.filter(|_| profile.kind() != Some(Kind::Aggregate));
    let timeline = timeline.ok_or(TimelineError::Aggregate)?;
    let event = SideEvent::new(profile, 0, 1);
    let unit = Some(Unit::of(event.unit, event.scale));
    let unit = unit.filter(|unit| unit.quantity == Quantity::Time);
    let unit = unit.ok_or_else(|| TimelineError::Event(printable(profile.event())))?;
    Ok((timeline, unit))
}

/// Writes the timeline of a profile that was read with
/// [`ProfileOptions::timeline`](crate::profile::ProfileOptions::timeline). Returns which calls are
/// not shown.
///
/// # Errors
///
/// When the profile does not contain single calls, when its first event is not a time, or when the
/// output fails.
pub fn write(profile: &Profile, mut output: impl Write) -> Result<Option<Omitted>, TimelineError> {
    let (timeline, unit) = of_profile(profile)?;
    let omitted = timeline.dropped().map(|(shortest, time)| Omitted {
        shortest: unit.converted(shortest).unwrap_or_default(),
        share: share(time, timeline.total()),
    });
    let text = |name| printable(profile.name(name));
    let functions = profile.functions();
    let packages = Packages::new(
        profile
            .functions()
            .map(|(_, one)| (text(one.file), text(one.object))),
    );
    // The name and the package of each function that is shown, as JSON, and files of calls.
    let mut labels = vec![Vec::new(); functions.len()];
    let mut files: HashMap<NameId, Vec<u8>> = HashMap::default();
    for shown in timeline.boxes() {
        let label = &mut labels[shown.function.index()];
        if label.is_empty() {
            let function = profile.function(shown.function);
            let [name, file, object] = [function.name, function.file, function.object].map(text);
            let package = packages.name(&name, &file, &object);
            let name = if name.is_empty() { "???" } else { &name };
            append(label, "\"name\":", name);
            append(label, ",\"cat\":", &package);
        }
        let (file, _) = place(profile, shown);
        let json = files.entry(file).or_default();
        if json.is_empty() {
            append(json, "", &text(file));
        }
    }
    let microseconds = |cost: Cost| {
        let nanoseconds = i128::from(cost) * i128::from(unit.count);
        // Nearly all are small, which is faster to convert.
        let small = i64::try_from(nanoseconds).map(|small| small as f64);
        small.unwrap_or(nanoseconds as f64) / 1000.0
    };
    let mut fields = Vec::new();
    let mut document = json::begin(SCHEMA, &mut output)?;
    document.field("displayTimeUnit", "ms")?;
    document.record("metadata", |metadata| {
        metadata.field("creator", "cg-preprocess")?;
        metadata.field("note", NOTE)?;
        let omitted = omitted.as_ref().map(Omitted::to_string);
        omitted.map_or(Ok(()), |omitted| metadata.field("omitted", &omitted))
    })?;
    let lanes = (0..timeline.lanes()).map(Err);
    let events = lanes.chain(timeline.boxes().iter().map(Ok));
    document.records("traceEvents", events, |event, shown| match shown {
        Err(lane) => {
            event.field("ph", "M")?;
            event.field("pid", &1)?;
            event.field("tid", &(lane + 1))?;
            event.field("name", "thread_name")?;
            event.record("args", |args| {
                args.field("name", &format!("run {}", lane + 1))
            })
        }
        Ok(shown) => {
            let (file, line) = place(profile, shown);
            // There are many, so each is written in one go.
            fields.clear();
            append(
                &mut fields,
                "\"ph\":\"X\",\"pid\":1,\"tid\":",
                &(shown.lane + 1),
            );
            fields.push(b',');
            fields.extend_from_slice(&labels[shown.function.index()]);
            append(&mut fields, ",\"ts\":", &microseconds(shown.start));
            append(&mut fields, ",\"dur\":", &microseconds(shown.duration));
            fields.extend_from_slice(b",\"args\":{\"file\":");
            fields.extend_from_slice(&files[&file]);
            append(&mut fields, ",\"line\":", &line);
            fields.push(b'}');
            event.json_fields(&fields)
        }
    })?;
    document.end()?;
    Ok(omitted)
}

/// The file and line of a call, or of a function without a caller.
pub(crate) fn place(profile: &Profile, shown: &TimelineBox) -> (NameId, u64) {
    let function = profile.function(shown.function);
    let own = (function.file, function.line);
    shown.site.map_or(own, |site| (site.file, site.line))
}

/// Appends the name of a field and its value.
fn append(fields: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    fields.extend_from_slice(name.as_bytes());
    json::append(fields, value);
}

fn share(time: Cost, total: Cost) -> String {
    if total <= 0 {
        return "0 %".to_owned();
    }
    match rounded(i128::from(time) * 100, i128::from(total), 0) {
        less if less == "0" && time > 0 => "less than 1 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_never_0_percent_of_something() {
        let shares = [0, 1, 49, 50, 149, 150, 10_000].map(|time| share(time, 10_000));
        let expected = [
            "0 %",
            "less than 1 %",
            "less than 1 %",
            "1 %",
            "1 %",
            "2 %",
            "100 %",
        ];
        assert_eq!(shares, expected);
        assert_eq!(share(5, 0), "0 %");
    }
}
