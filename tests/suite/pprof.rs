//! Files for pprof, decoded with a reader of their own. `tests/live` has others read them.

use std::collections::BTreeMap;
use std::io::Read;

use cg_preprocess::compare::Comparison;
use cg_preprocess::export::pprof::{self, Warning};
use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions};
use cg_preprocess::stacks::Stacks;
use flate2::read::GzDecoder;

use crate::common::fixtures;
use crate::library::{profile_options, read};
use crate::stacks::{collapsed, paths};

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// A message's fields of this number: what each holds, a number as it is encoded.
fn fields(mut message: &[u8], wanted: u64) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let mut rest = message;
        let number = varint(&mut rest);
        let (field, rest) = match tag & 7 {
            0 => message.split_at(message.len() - rest.len()),
            2 => rest.split_at(usize::try_from(number).unwrap()),
            other => panic!("wire type {other}"),
        };
        message = rest;
        if tag >> 3 == wanted {
            fields.push(field);
        }
    }
    fields
}

/// The numbers of a field, packed or single.
fn numbers(message: &[u8], wanted: u64) -> Vec<u64> {
    let encoded = fields(message, wanted).concat();
    let mut bytes = encoded.as_slice();
    std::iter::from_fn(|| (!bytes.is_empty()).then(|| varint(&mut bytes))).collect()
}

/// What a file holds.
struct Decoded {
    types: Vec<String>,
    default_type: String,
    comments: Vec<String>,
    /// The names of the mappings' files.
    programs: Vec<String>,
    /// Stacks as `frame@file:line;…`, the root first, with their values.
    samples: Vec<(String, Vec<i64>)>,
    labels: Vec<Vec<String>>,
    /// By `function@file`: the first line.
    first_lines: BTreeMap<String, u64>,
}

fn decode(file: &[u8]) -> Decoded {
    let mut data = Vec::new();
    GzDecoder::new(file).read_to_end(&mut data).unwrap();
    let strings = fields(&data, 6).into_iter().map(str::from_utf8);
    let strings: Vec<_> = strings.map(Result::unwrap).collect();
    assert_eq!(strings[0], "");
    let texts = |message: &[u8], field: u64| -> Vec<String> {
        let numbers = numbers(message, field).into_iter();
        numbers
            .map(|number| strings[number as usize].to_owned())
            .collect()
    };
    let functions = fields(&data, 5).into_iter().map(|function| {
        let name = format!("{}@{}", texts(function, 2)[0], texts(function, 4)[0]);
        // What stands for others begins nowhere.
        assert!(name != "(deeper)@" || numbers(function, 5).iter().all(|&line| line == 0));
        (numbers(function, 1)[0], name)
    });
    let functions: BTreeMap<u64, String> = functions.collect();
    let first_lines = fields(&data, 5).into_iter().map(|function| {
        let line = numbers(function, 5).first().copied().unwrap_or(0);
        (functions[&numbers(function, 1)[0]].clone(), line)
    });
    let first_lines = first_lines.collect();
    let locations = fields(&data, 4).into_iter().map(|location| {
        let line = fields(location, 4)[0];
        let function = &functions[&numbers(line, 1)[0]];
        let place = format!("{function}:{}", numbers(line, 2)[0]);
        (numbers(location, 1)[0], place)
    });
    let locations: BTreeMap<u64, String> = locations.collect();
    let samples = fields(&data, 2);
    let sample = |sample: &&[u8]| {
        let frames = numbers(sample, 1).into_iter().rev();
        let frames: Vec<_> = frames.map(|id| &*locations[&id]).collect();
        let values = numbers(sample, 2).into_iter();
        (frames.join(";"), values.map(u64::cast_signed).collect())
    };
    // Names, files and lines are known: nobody has to look for them in the program.
    for mapping in fields(&data, 3) {
        assert_eq!([7, 8, 9].map(|known| numbers(mapping, known)), [[1]; 3]);
    }
    let labels = |sample: &&[u8]| {
        let labels = fields(sample, 3).into_iter();
        labels
            .flat_map(|label| [texts(label, 1), texts(label, 2)].concat())
            .collect()
    };
    let kind = |kind: &&[u8]| [texts(kind, 1), texts(kind, 2)].concat().join("/");
    Decoded {
        types: fields(&data, 1).iter().map(kind).collect(),
        default_type: texts(&data, 14).concat(),
        comments: texts(&data, 13),
        programs: fields(&data, 3)
            .iter()
            .flat_map(|mapping| texts(mapping, 5))
            .collect(),
        samples: samples.iter().map(sample).collect(),
        labels: samples.iter().map(labels).collect(),
        first_lines,
    }
}

fn stacked() -> ProfileOptions {
    profile_options(|options| options.contexts = true)
}

fn write(profile: &Profile) -> (Vec<u8>, Vec<Warning>) {
    write_against(profile, None, false)
}

fn write_against(
    profile: &Profile,
    base: Option<&Profile>,
    per_run: bool,
) -> (Vec<u8>, Vec<Warning>) {
    let mut file = Vec::new();
    let (stacks, base) = (Stacks::new(profile), base.map(Stacks::new));
    let notes = ["a note".to_owned()];
    let warnings = pprof::write(&stacks, base.as_ref(), per_run, &notes, &mut file).unwrap();
    (file, warnings)
}

/// A trace in which `main` calls `work` on lines 5 and 6, and `\xff` on line 7.
const TRACE: &[u8] = b"creator: xdebug 3.4.0\ncmd:  /srv/a.php --all\nevents: Time_(10ns)\n\n\
    fl=a.php\nfn=work\n20 3\n\nfl=a.php\nfn=work\n20 4\n\nfl=b.php\nfn=\xff\n30 0\n\n\
    fl=a.php\nfn=main\n1 2\ncfn=work\ncalls=1 0 0\n5 3\ncfn=work\ncalls=1 0 0\n6 4\n\
    cfl=b.php\ncfn=\xff\ncalls=1 0 0\n7 0\n";

#[test]
fn samples_are_stacks_with_their_places_and_values() {
    let profile = read(TRACE, stacked());
    let (file, warnings) = write(&profile);
    assert_eq!(warnings, []);
    assert_eq!(file, write(&profile).0);
    let decoded = decode(&file);
    assert_eq!(decoded.types, ["time/nanoseconds", "calls/count"]);
    assert_eq!(decoded.default_type, "time");
    let version = concat!("written by cg-preprocess ", env!("CARGO_PKG_VERSION"));
    let command = "command: /srv/a.php --all";
    assert_eq!(decoded.comments, [command, version, "a note"]);
    assert_eq!(decoded.programs, ["/srv/a.php"]);
    let expected = [
        ("main@a.php:1", vec![20, 1]),
        // Called on two lines, so that of `main` itself.
        ("main@a.php:1;work@a.php:20", vec![70, 2]),
        ("main@a.php:7;\u{fffd}@b.php:30", vec![0, 1]),
    ];
    let expected = expected.map(|(stack, values)| (stack.to_owned(), values));
    assert_eq!(decoded.samples, expected);
}

/// Readers tell sample types apart by their names.
#[test]
fn of_several_times_only_the_first_is_called_time() {
    let text = "events: Time_(10ns) Wall_(us) Heap_(bytes) Memory_(bytes)\nfn=f\n2 5 6 7 8\n";
    let decoded = decode(&write(&read(text, crate::library::all_events())).0);
    let expected = [
        "time/nanoseconds",
        "Wall_(us)/nanoseconds",
        "memory/bytes",
        "Memory_(bytes)/bytes",
    ];
    assert_eq!(decoded.types, expected);
    assert_eq!(decoded.samples[0].1, [50, 6000, 7, 8]);
}

fn with_lines() -> ProfileOptions {
    profile_options(|options| {
        options.lines = true;
        options.call_files = true;
        options.events = EventChoice::All;
    })
}

/// `f` costs 30 in two stacks, 20 and 10, and on three lines, 16, 12 and 2, one of them inlined code.
#[test]
fn stacks_and_lines_of_a_function_are_paired_by_cost() {
    let text = "events: Ir\nfl=a.c\nfn=main\n3 1\ncfn=g\ncalls=1 30\n1 21\ncfn=f\ncalls=1 9\n5 10\n\
        fn=g\n31 1\ncfn=f\ncalls=2 9\n30 20\nfn=f\n9 12\n8 2\nfi=b.h\n70 16\n";
    let profile = read(text, with_lines());
    let (file, _) = write(&profile);
    let decoded = decode(&file);
    let expected = [
        ("main@a.c:3", 1),
        ("main@a.c:5;f@a.c:9", 8),
        ("main@a.c:5;f@a.c:8", 2),
        ("main@a.c:1;g@a.c:31", 1),
        ("main@a.c:1;g@a.c:30;f@b.h:70", 16),
        ("main@a.c:1;g@a.c:30;f@a.c:9", 4),
    ];
    let expected = expected.map(|(stack, cost)| (stack.to_owned(), vec![cost]));
    assert_eq!(decoded.samples, expected);
    assert!(decoded.comments[2].starts_with("lines and stacks of 1 functions are paired"));
    // The least line with a cost or a call.
    let first = [("f@a.c", 8), ("f@b.h", 70), ("g@a.c", 30), ("main@a.c", 1)];
    let first = first.map(|(function, line)| (function.to_owned(), line));
    assert_eq!(decoded.first_lines, BTreeMap::from(first));
}

/// In every event, samples add up to what each stack and each line cost.
#[test]
fn calls_of_a_function_of_several_lines_count_once() {
    let text = "events: Ir\nfn=f\n1 5\n2 5\n\nversion: 1\ncreator: xdebug 3\nevents: Ir\nfl=a\nfn={main}\n1 1\n\n";
    let samples = decode(&write(&read(text, with_lines())).0).samples;
    let calls: i64 = samples.iter().map(|(_, values)| values[1]).sum();
    assert_eq!((samples.len(), calls), (3, 2));
}

#[test]
fn samples_add_up_by_stack_and_by_line() {
    for name in [
        "valgrind/inlined.cg",
        "valgrind/combine.cg",
        "valgrind/instr.cg",
        "stacks/sums-callers.cg",
        "other/gperf.cg",
    ] {
        let profile = read(fixtures::bytes(name), with_lines());
        let decoded = decode(&write(&profile).0);
        let mut found = [BTreeMap::new(), BTreeMap::new()];
        for (stack, values) in &decoded.samples {
            let frames = stack
                .split(';')
                .map(|frame| frame.rsplit_once('@').unwrap());
            let names: Vec<_> = frames.map(|(name, _)| name).collect();
            let leaf = stack.rsplit(';').next().unwrap();
            for (sums, key) in found.iter_mut().zip([names.join(";"), leaf.to_owned()]) {
                add(sums, key, values);
            }
        }
        let [found_stacks, found_lines] = found;
        let stacks = Stacks::new(&profile);
        let (mut by_stack, mut by_line) = (BTreeMap::new(), BTreeMap::new());
        let mut frames = BTreeMap::new();
        let text = |bytes: &[u8]| match bytes {
            b"" => "???".to_owned(),
            bytes => String::from_utf8_lossy(bytes).into_owned(),
        };
        for (node, path) in stacks.nodes().zip(paths(&stacks)) {
            add(&mut by_stack, path, stacks.self_costs(node));
            let frame = stacks
                .function(node)
                .map(|id| (id, text(stacks.frame(node))));
            frames.extend(frame);
        }
        let mut lines = 0;
        for (id, function) in profile.functions() {
            for line in profile.lines(id) {
                let file = profile.name(line.file.unwrap_or(function.file));
                let file = String::from_utf8_lossy(file);
                let key = format!("{}@{file}:{}", frames[&id], line.line);
                add(&mut by_line, key, line.costs);
                lines += 1;
            }
        }
        for sums in [&mut by_stack, &mut by_line] {
            sums.retain(|_, costs: &mut Vec<i64>| costs.iter().any(|&cost| cost != 0));
        }
        assert_eq!(found_stacks, by_stack, "{name}");
        assert_eq!(found_lines, by_line, "{name}");
        let most = profile.events().len() * (stacks.nodes().len() + lines);
        assert!(decoded.samples.len() <= most, "{name}");
    }
}

fn add(sums: &mut BTreeMap<String, Vec<i64>>, key: String, costs: &[i64]) {
    let sums = sums.entry(key).or_insert_with(|| vec![0; costs.len()]);
    sums.iter_mut()
        .zip(costs)
        .for_each(|(sum, cost)| *sum += cost);
}

#[test]
fn samples_have_a_value_for_each_of_many_events() {
    let events: Vec<_> = (0..20).map(|event| format!("e{event}")).collect();
    let text = format!("events: {}\nfn=main\n1 0 7\nfn=f\n2 5\n", events.join(" "));
    let profile = read(text, crate::library::all_events());
    let decoded = decode(&write(&profile).0);
    assert_eq!(decoded.types.len(), 20);
    let only = |at: usize, cost: i64| {
        let mut values = vec![0; 20];
        values[at] = cost;
        values
    };
    let values = decoded.samples.into_iter().map(|(_, values)| values);
    let values: Vec<_> = values.collect();
    assert_eq!(values, [only(0, 5), only(1, 7)]);
}

#[test]
fn lines_of_calls_in_inlined_code_are_not_those_of_the_caller() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 0\n2 10\n\
                fi=b.h\ncfi=a.c\ncfn=g\ncalls=1 0\n900 20\nfn=f\n3 4\n\
                cfn=h\ncalls=1 0\n5 6\nfn=g\n4 20\nfn=h\n7 6\n";
    let options = profile_options(|options| options.call_files = true);
    let decoded = decode(&write(&read(text, options)).0);
    let stacks: Vec<_> = decoded.samples.iter().map(|(stack, _)| &**stack).collect();
    let expected = [
        "main@a.c:1",
        "main@a.c:2;f@a.c:3",
        "main@a.c:2;f@a.c:5;h@a.c:7",
        "main@a.c:1;g@a.c:4",
    ];
    assert_eq!(stacks, expected);
    // Sums do not count the calls of a stack.
    assert!(decoded.samples.iter().all(|(_, values)| values.len() == 1));
}

#[test]
fn the_base_is_subtracted() {
    let base = read(TRACE, stacked());
    let new = String::from_utf8_lossy(TRACE).replace("20 4", "20 9");
    let decoded = decode(&write_against(&read(new, stacked()), Some(&base), false).0);
    let is_base = decoded.labels.iter().map(|labels| !labels.is_empty());
    let is_base: Vec<_> = is_base.collect();
    assert_eq!(is_base, [true, true, true, false, false, false]);
    assert_eq!(decoded.labels[0], ["pprof::base", "true"]);
    let values: Vec<_> = decoded
        .samples
        .into_iter()
        .map(|(_, values)| values)
        .collect();
    let expected = [[-20, -1], [-70, -2], [0, -1], [20, 1], [120, 2], [0, 1]];
    assert_eq!(values, expected);
}

#[test]
fn per_run_each_side_is_divided_by_its_runs() {
    let run = |costs: [u32; 3]| {
        let [main, f, g] = costs;
        format!(
            "creator: xdebug 3.4.0\nevents: Ir\n\nfl=a\nfn=f\n1 {f}\n\nfl=a\nfn=g\n1 {g}\n\n\
             fl=a\nfn=main\n1 {main}\ncfn=f\ncalls=1 0 0\n2 {f}\ncfn=g\ncalls=1 0 0\n3 {g}\n\n"
        )
    };
    let base = read(run([7, 8, 9]), stacked());
    let new = [run([1, 1, 1]), run([0, 0, 1]), run([0, 0, 0])];
    let new = read(new.join("==== NEW PROFILING FILE ====\n"), stacked());
    assert_eq!(new.runs(), 3);
    let decoded = decode(&write_against(&new, Some(&base), true).0);
    let told = "costs and calls are divided: by 1 run in the base, 3 runs in the new profile";
    assert_eq!(decoded.comments[2], told);
    let values = |is_base| {
        let samples = decoded.samples.iter().zip(&decoded.labels);
        let samples = samples.filter(move |(_, label)| label.is_empty() != is_base);
        samples
            .map(|((_, values), _)| values.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(values(true), [[-7, -1], [-8, -1], [-9, -1]]);
    // The sum of 4 is 1 per run, though each sample by itself would be 0 or 1.
    assert_eq!(values(false), [[0, 1], [1, 1], [0, 1]]);
    let total: i64 = values(false).iter().map(|values| values[0]).sum();
    let comparison = Comparison::per_run(&base, &new).unwrap();
    assert_eq!(i128::from(total), comparison.first().new);
}

#[test]
fn all_samples_add_up_as_in_other_formats() {
    for name in ["features", "composer", "fibers"] {
        let profile = read(fixtures::bytes(&format!("xdebug3/{name}.cg")), stacked());
        let decoded = decode(&write(&profile).0);
        let costs = decoded.samples.iter().map(|(_, values)| values[0]);
        let mut costs: Vec<_> = costs.collect();
        assert_eq!(costs.iter().sum::<i64>(), 10 * profile.total(), "{name}");
        costs.retain(|&cost| cost != 0);
        let expected = collapsed(&profile).0.into_values();
        let mut expected: Vec<_> = expected.map(|cost| 10 * cost).collect();
        costs.sort_unstable();
        expected.sort_unstable();
        assert_eq!(costs, expected, "{name}");
    }
}

#[test]
fn what_is_negative_stays() {
    let text = "creator: xdebug 3.4.0\nevents: Memory_(bytes)\nfl=a.php\nfn=main\n1 -5\n";
    let (file, warnings) = write(&read(text, stacked()));
    assert_eq!(warnings, [Warning::Negative(1)]);
    let decoded = decode(&file);
    assert_eq!(decoded.types, ["memory/bytes", "calls/count"]);
    assert_eq!(decoded.samples, [("main@a.php:1".to_owned(), vec![-5, 1])]);
}

#[test]
fn what_lies_too_deep_is_summed_up() {
    let mut text = "creator: xdebug 3.4.0\nevents: Ir\nfl=a.php\nfn=f\n1 1\n\n".to_owned();
    for depth in 1..3000 {
        text += &format!("fl=a.php\nfn=f\n1 1\ncfl=a.php\ncfn=f\ncalls=1 0 0\n2 {depth}\n\n");
    }
    let (file, warnings) = write(&read(text, stacked()));
    assert_eq!(warnings, [Warning::Deeper(1)]);
    let decoded = decode(&file);
    let (deepest, values) = decoded.samples.last().unwrap();
    assert_eq!(decoded.samples.len(), 1025);
    assert!(deepest.ends_with(";f@a.php:2;(deeper)@:0"), "{deepest}");
    assert_eq!(*values, [3000 - 1024; 2]);
}
