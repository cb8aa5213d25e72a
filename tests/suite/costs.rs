//! Which cost is written, and what happens to costs that 32 bits cannot hold.

use std::io::Cursor;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{
    Comparison, EventChoice, InclusiveCost, MOST_EVENTS, Profile, ProfileBuilder, Step,
};
use cg_preprocess::webgrind::{self, Version, WriteError, WriteOptions};

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::library::{
    Reading, all_events, event, linked, merged, profile, profile_options, read, read_files_with,
    write,
};

/// Cannot seek or write: for what must fail before it does either.
struct Untouchable;

impl std::io::Write for Untouchable {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        panic!("written to")
    }
    fn flush(&mut self) -> std::io::Result<()> {
        panic!("flushed")
    }
}

#[test]
fn a_file_over_4_gib_is_refused_before_anything_is_written() {
    let mut text = b"events: Ir\nfl=(1) ".to_vec();
    text.resize(text.len() + (8 << 20), b'x');
    for function in 0..520 {
        text.extend_from_slice(format!("\nfl=(1)\nfn=f{function}\n1 1").as_bytes());
    }
    text.push(b'\n');
    let error = webgrind::write(&profile(text), &WriteOptions::default(), Untouchable).unwrap_err();
    assert!(matches!(error, WriteError::TooLarge(bytes) if bytes > 4 << 30));
    assert_eq!(
        error.to_string(),
        "the file would have 4362093766 bytes, but the format cannot address more than 4294967295"
    );
}

/// Whatever is asked for, all events at once are what each of them is alone.
#[test]
fn all_events_at_once_are_what_each_is_alone() {
    let proxies = [&b"php::call_user_func"[..], b"php::call_user_func_array"];
    for name in [
        "xdebug3/features.cg",
        "xdebug3/proxies.cg",
        "xdebug3/fibers.cg",
        "producers/xdebug-2.9.cg",
        "valgrind/cachegrind.out",
        "valgrind/combine.cg",
    ] {
        let text = fixtures::bytes(name);
        for inclusive in [InclusiveCost::Summed, InclusiveCost::Outermost] {
            for proxies in [&proxies[..], &[]] {
                let wanting = |events| {
                    profile_options(|options| {
                        options.events = events;
                        options.inclusive = inclusive;
                        options.proxies = proxies.iter().map(|name| name.to_vec()).collect();
                    })
                };
                let all = read(&text, wanting(EventChoice::All));
                assert!(!all.events().is_empty());
                for (at, event) in all.events().iter().enumerate() {
                    let choice = EventChoice::Named(vec![event.name().to_vec()]);
                    let one = read(&text, wanting(choice));
                    let found = figures(&all, at);
                    assert_eq!(found, figures(&one, 0), "{name}, event {at}, {inclusive:?}");
                }
            }
        }
    }
}

/// Reads a preprocessed file, and a profile of `X`, for these events.
fn with_event_x(file: &[u8], events: &[&[u8]], inclusive: InclusiveCost) -> Profile {
    let options = profile_options(|options| {
        options.events = EventChoice::Named(events.iter().map(|&event| event.into()).collect());
        options.inclusive = inclusive;
        options.proxies = vec![b"php::call_user_func".to_vec()];
        options.contexts = true;
    });
    let mut builder = ProfileBuilder::new(options);
    webgrind::read(Cursor::new(file), "test.pre", &mut builder).unwrap();
    let text: &[u8] = b"events: X\nfn=x\n1 7\n";
    callgrind::read(text, "x.cg", &callgrind::Options::default(), &mut builder).unwrap();
    builder.finish().unwrap()
}

#[test]
fn the_event_of_a_preprocessed_file_may_be_any_of_those_wanted() {
    for (name, version) in [
        ("xdebug3/features.cg", Version::V7),
        ("xdebug3/proxies.cg", Version::V4),
        ("valgrind/plain.cg", Version::V4),
    ] {
        let profile = read(fixtures::bytes(name), linked());
        let event = profile.event().to_vec();
        let file = write(&profile, version);
        for inclusive in [InclusiveCost::Summed, InclusiveCost::Outermost] {
            let first = with_event_x(&file, &[&event, b"X"], inclusive);
            let second = with_event_x(&file, &[b"X", &event], inclusive);
            assert_eq!(figures(&first, 0), figures(&second, 1), "{name}");
            assert_eq!(figures(&first, 1), figures(&second, 0), "{name}");
            assert!(first.total() > 0);
            assert_eq!(second.total(), 7);
            // Contexts have the costs of the first event.
            let total = |profile: &Profile| -> Option<i64> {
                let contexts = profile.contexts()?;
                let costs = contexts.walk().map(|step| match step {
                    Step::Enter(id) => contexts.self_costs(id)[0],
                    Step::Leave(_) => 0,
                });
                Some(costs.sum())
            };
            let is_trace = version == Version::V4 && name.starts_with("xdebug");
            assert_eq!(total(&first), is_trace.then_some(first.total()), "{name}");
            assert_eq!(total(&second), is_trace.then_some(0), "{name}");
        }
    }
}

#[test]
fn larger_units_of_a_preprocessed_file_may_stand_for_several_events() {
    let text = "events: Ir\nfn=f\n1 4000000000000\ncfn=f\ncalls=1 1\n2 5000\n";
    let file = write(&profile(text), Version::V7);
    let events: [&[u8]; 3] = [b"X", b"Ir", b"Ir_(x1000)"];
    let profile = with_event_x(&file, &events, InclusiveCost::Summed);
    assert_eq!(profile.totals(), [7, 4_000_000_000_000, 4_000_000_000]);
    assert_eq!(profile.edges().next().unwrap().costs(), [0, 5000, 5]);
}

#[test]
fn larger_units_of_a_v4_file_come_back() {
    let calls = "fl=a.php\nfn=work\n3 5000000000000\n\nfl=a.php\nfn=main\n7 2000\n\
                 cfl=a.php\ncfn=work\ncalls=1 3\n8 5000000001000\n\n";
    for creator in ["xdebug 3.4.0", "any"] {
        let text = format!("creator: {creator}\nevents: Ir\nsummary: 5000000002000\n{calls}");
        let file = write(&read(text, linked()), Version::V4);
        let headers = decode(&file).headers;
        assert!(headers.contains(&b"events: Ir_(x10000)".to_vec()));
        let mut options = event("Ir");
        options.invocations = true;
        let (profile, _) = read_files_with(&[&file], options).unwrap();
        assert_eq!(profile.total(), 5_000_000_000_000);
        let again = write(&profile, Version::V4);
        assert_eq!(decode(&again), decode(&file), "{creator}");
    }
}

/// Self costs, inclusive costs and the costs of calls, of one of the events.
fn figures(profile: &Profile, event: usize) -> (Vec<[i64; 2]>, Vec<Vec<i64>>) {
    // Zeros at the end may be missing.
    let cost = |costs: &[i64]| costs.get(event).copied().unwrap_or(0);
    let functions = profile.functions().map(|(id, _)| {
        let rows = [profile.self_costs(id), profile.inclusive_costs(id)];
        rows.map(cost)
    });
    let calls = profile.functions().map(|(id, _)| {
        let calls = profile.sub_calls(id);
        calls.map(|edge| cost(edge.costs())).collect()
    });
    (functions.collect(), calls.collect())
}

#[test]
fn events_with_a_wrong_formula_are_not_recommended() {
    let text = "event: Sum = Ir + Dx\nevent: Twice = 2 Ir\nevents: Ir\nfn=f\n1 5\n";
    let profile = profile(text);
    let names: Vec<&[u8]> = profile.available_events().collect();
    assert_eq!(names, [&b"Ir"[..], b"Twice"]);
}

#[test]
fn events_of_different_lists_stand_in_the_conventional_order() {
    let merged = |inputs: &[&str]| -> String {
        let texts = inputs
            .iter()
            .map(|names| format!("events: {names}\nfn=f\n1 1 2 3\n"));
        let profile = merged(texts.map(|text| read(text, all_events())));
        let (id, _) = profile.functions().next().unwrap();
        let events = profile.events().iter().zip(profile.self_costs(id));
        let events = events.map(|(event, cost)| format!("{} {cost}", event.name().escape_ascii()));
        events.collect::<Vec<_>>().join(", ")
    };
    let (one, other) = ("zeal Memory Dr", "Time Ir Dr");
    let expected = "Ir 2, Dr 6, Time 1, Memory 2, zeal 1";
    assert_eq!(merged(&[one, other]), expected);
    assert_eq!(merged(&[other, one]), expected);
    assert_eq!(merged(&[one, one]), "zeal 2, Memory 4, Dr 6");
    assert_eq!(merged(&["Dr Ir x", "Ir Dr x"]), "Ir 3, Dr 3, x 6");
}

/// What a sum passes on its way does not matter, but where it ends does.
#[test]
fn sums_do_not_depend_on_the_order() {
    let most = i64::MAX - 7;
    for costs in [
        [most, most, -most],
        [most, -most, most],
        [-most, most, most],
    ] {
        let lines = costs.map(|cost| format!("1 {cost}\n")).concat();
        let text = format!("events: Ir\nevent: T = Ir + Ir\nfn=f\n{lines}");
        let sum = profile(&text);
        assert_eq!((sum.total(), sum.has_saturated()), (most, false));
        // The same by inputs, and in the costs of calls.
        let call = |cost| format!("events: Ir\nfn=f\n1 {cost}\ncfn=g\ncalls=1 0\n1 {cost}\n");
        let profile = merged(costs.map(|cost| profile(call(cost))));
        assert!(profile.edges().all(|edge| edge.costs() == [most]));
        assert_eq!(profile.total(), most);
        // Its inclusive cost is twice as much, which is too much.
        assert!(profile.has_saturated());
        // So is what the formula makes of it.
        assert!(read(&text, event("T")).has_saturated());
    }
}

/// Nothing that the profile holds is too much, but an inclusive cost is that a formula makes of it.
#[test]
fn derived_events_are_sums_too() {
    for (factor, is_too_much) in [(2, false), (3, true)] {
        let text = format!(
            "event: T = {factor} Ir\nevents: Ir\nfn=f\n1 2000000000000000000\ncfn=g\ncalls=1 0\n\
             1 2000000000000000000\n"
        );
        let mut profile = read(&text, all_events());
        assert!(!profile.has_saturated());
        profile.derive_events();
        assert_eq!(profile.has_saturated(), is_too_much);
    }
}

#[test]
fn no_more_events_are_held_than_the_limit_says() {
    let text = |from: usize, to: usize| {
        let names: Vec<_> = (from..to).map(|number| format!("e{number}")).collect();
        format!("events: {}\nfn=f\n1 1\n", names.join(" "))
    };
    let with = |from, to| read(text(from, to), all_events());
    assert_eq!(with(0, MOST_EVENTS).events().len(), MOST_EVENTS);
    let reading = Reading {
        profile: all_events(),
        ..Reading::default()
    };
    let error = reading.read([text(0, MOST_EVENTS + 1).as_bytes()]);
    assert!(error.unwrap_err().contains("more than 64 events"));

    // The same for inputs that are read apart.
    let most = merged([with(0, MOST_EVENTS), with(9, 30)]);
    most.check_events().unwrap();
    let more = merged([most, with(MOST_EVENTS, MOST_EVENTS + 1)]);
    let error = more.check_events().unwrap_err().to_string();
    assert!(error.contains("more than 64 events"), "{error}");
}

#[test]
fn larger_units_are_those_of_the_same_event() {
    let cost = |wanted: &str| {
        let reading = Reading {
            profile: event(wanted),
            ..Reading::default()
        };
        let text = b"events: Ir_(x1000) Time_(us)\nfn=f\n1 2 3\n";
        let (profile, _) = reading.read([&text[..]])?;
        profile.check_events().map_err(|error| error.to_string())?;
        Ok::<_, String>(profile.total())
    };
    assert_eq!(cost("Ir"), Ok(2000));
    assert_eq!(cost("Time_(10ns)"), Ok(300));
    for other in ["Dr", "Time", "Ir_(x10)"] {
        let error = cost(other).unwrap_err();
        assert!(error.contains(other), "{error}");
    }
}

#[test]
fn derived_events_are_merged_and_compared() {
    let text = "event: A = Ir + 2 Dr\nevent: B = 3 A\nevents: Ir Dr\nfn=f\n1 10 1\n";
    let [mut new, more, mut base] = [(); 3].map(|()| {
        let mut profile = read(text, all_events());
        profile.derive_events();
        profile
    });
    new.merge(more).unwrap();
    new.keep_common_events(&mut base).unwrap();
    let comparison = Comparison::new(&base, &new).unwrap();
    let totals = comparison.events.iter();
    let totals: Vec<_> = totals.map(|event| (event.base, event.new)).collect();
    assert_eq!(totals, [(10, 20), (1, 2), (12, 24), (36, 72)]);
}

#[test]
fn summaries_add_up_in_any_order() {
    const MOST: i64 = 9_223_372_036_854_775_000;
    for costs in [
        [MOST, MOST, -MOST],
        [MOST, -MOST, MOST],
        [-MOST, MOST, MOST],
    ] {
        let parts = costs.map(|cost| format!("part: 1\nevents: Ir\nsummary: {cost}\nfn=f\n1 1\n"));
        assert_eq!(profile(parts.concat()).stated_total(), Some(MOST));
    }
}
