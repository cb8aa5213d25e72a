//! The stacks of sums: exact where only one is possible, otherwise estimated.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions, Stacks};
use cg_preprocess::report::collapsed;

use crate::common::fixtures;
use crate::library::{Reading, profile_options, read};
use crate::stacks::{rows, tree_of};

/// A function, its self cost, and its calls by function and cost.
type Sums<'a> = (&'a str, i64, &'a [(&'a str, i64)]);

fn text(functions: &[Sums<'_>]) -> String {
    let mut text = "creator: callgrind-3.22.0\nevents: Ir\n".to_owned();
    for (name, cost, calls) in functions {
        write!(text, "fl=a.c\nfn={name}\n1 {cost}\n").unwrap();
        for (callee, cost) in *calls {
            write!(text, "cfn={callee}\ncalls=1 1\n2 {cost}\n").unwrap();
        }
    }
    text
}

fn all_events() -> ProfileOptions {
    profile_options(|options| {
        options.contexts = true;
        options.events = EventChoice::All;
    })
}

/// Every stack that costs anything: its frames, its cost, and `~` if it is estimated.
fn listed(profile: &Profile) -> Vec<String> {
    let stacks = Stacks::new(profile);
    let mut paths: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for node in stacks.nodes() {
        let above = stacks
            .parent(node)
            .map(|above| format!("{};", paths[above.index()]));
        let frame = String::from_utf8_lossy(stacks.frame(node));
        let path = above.unwrap_or_default() + &frame;
        let mark = if stacks.is_estimated(node) { "~" } else { "" };
        let cost = stacks.self_costs(node)[0];
        if cost != 0 {
            lines.push(format!("{path} {mark}{cost}"));
        }
        paths.push(path);
    }
    lines
}

#[track_caller]
fn assert_stacks(functions: &[Sums<'_>], expected: &[&str]) {
    assert_eq!(listed(&read(text(functions), all_events())), expected);
}

#[test]
fn costs_of_several_callers_are_divided_by_what_the_calls_cost() {
    let functions: [Sums<'_>; 5] = [
        ("main", 10, &[("a", 61), ("b", 32)]),
        ("a", 20, &[("leaf", 41)]),
        ("b", 10, &[("leaf", 22)]),
        ("leaf", 50, &[("last", 13)]),
        ("last", 13, &[]),
    ];
    let expected = [
        "main 10",
        "main;a 20",
        "main;a;leaf ~33",
        "main;a;leaf;last ~8",
        "main;b 10",
        "main;b;leaf ~17",
        "main;b;leaf;last ~5",
    ];
    assert_stacks(&functions, &expected);
    let mut reversed = functions;
    reversed.reverse();
    assert_stacks(&reversed, &expected);
    let profile = read(text(&functions), all_events());
    let stacks = Stacks::new(&profile);
    assert_eq!(stacks.exact_share(), 40.0 / 103.0);
    let calls: Vec<u64> = stacks.nodes().map(|node| stacks.calls(node)).collect();
    assert_eq!(calls, [1, 1, 1, 1, 1, 1, 0]);
}

#[test]
fn equal_shares_go_to_the_first_stacks() {
    let functions: [Sums<'_>; 4] = [
        ("main", 0, &[("c", 5), ("b", 5)]),
        ("b", 0, &[("leaf", 5)]),
        ("c", 0, &[("leaf", 5)]),
        ("leaf", 10, &[]),
    ];
    assert_stacks(&functions, &["main;b;leaf ~5", "main;c;leaf ~5"]);
    let mut odd = functions;
    odd[3].1 = -3;
    assert_stacks(&odd, &["(other callers);leaf ~-3"]);
    odd[3].1 = 11;
    // What costs more than the calls to it has another stack besides.
    assert_stacks(&odd, &["leaf ~1", "main;b;leaf ~5", "main;c;leaf ~5"]);
}

#[test]
fn negative_costs_are_divided_too() {
    let text = "events: Ir Memory\nfl=a\nfn=main\n1 2 0\ncfn=a\ncalls=1 1\n1 3 0\ncfn=b\n\
        calls=1 1\n1 3 0\nfn=a\n1 1 0\ncfn=c\ncalls=1 1\n1 2 0\nfn=b\n1 1 0\ncfn=c\ncalls=1 1\n\
        1 2 0\nfn=c\n1 4 -7\n";
    let profile = read(text, all_events());
    let stacks = Stacks::new(&profile);
    let memory: Vec<i64> = stacks
        .nodes()
        .map(|node| stacks.self_costs(node)[1])
        .collect();
    assert_eq!(memory, [0, 0, -4, 0, -3]);
    let inclusive = stacks.roots().map(|root| stacks.inclusive_costs(root)[1]);
    assert_eq!(inclusive.collect::<Vec<_>>(), [-7]);
}

#[test]
fn recursion_ends() {
    assert_stacks(
        &[
            ("main", 1, &[("f", 99)]),
            ("f", 59, &[("g", 80)]),
            ("g", 40, &[("f", 40)]),
        ],
        &["main 1", "main;f ~59", "main;f;g ~40"],
    );
    // Of how many calls within each other it consists is not known.
    assert_stacks(
        &[("main", 1, &[("fib", 99)]), ("fib", 99, &[("fib", 300)])],
        &["main 1", "main;fib ~99"],
    );
    // Nobody calls any of them.
    assert_stacks(
        &[("f", 10, &[("g", 30)]), ("g", 20, &[("f", 20)])],
        &["f ~8", "f;g ~12", "g ~8", "g;f ~2"],
    );
}

#[test]
fn names_with_callers_give_the_stack() {
    assert_stacks(
        &[
            ("main", 1, &[("g'main", 40), ("h'main", 20)]),
            ("g'main", 10, &[("f'g'main", 30)]),
            ("f'g'main", 6, &[("f'2'g'main", 14), ("x'f'g'main", 10)]),
            ("f'2'g'main", 4, &[("f'2'g'main", 9), ("x'f'g'main", 10)]),
            ("x'f'g'main", 20, &[]),
            ("h'main", 20, &[]),
            // What calls it was not recorded.
            ("y'h'main", 7, &[]),
        ],
        &[
            "main;h;y 7",
            "main 1",
            "main;g 10",
            "main;g;f 6",
            "main;g;f;x 20",
            "main;g;f 4",
            "main;h 20",
        ],
    );
    // Cut after one caller.
    assert_stacks(
        &[
            ("main", 0, &[("a'main", 10), ("b'main", 10)]),
            ("a'main", 0, &[("f'a", 10)]),
            ("b'main", 0, &[("f'b", 10)]),
            ("f'a", 5, &[("x'f", 5)]),
            ("f'b", 5, &[("x'f", 5)]),
            ("x'f", 10, &[]),
        ],
        &["main;a;f 5", "main;a;f;x ~5", "main;b;f 5", "main;b;f;x ~5"],
    );
}

#[test]
fn what_has_no_place_is_listed_with_its_callers_unknown() {
    let calls = [("a", 1), ("b", 1)];
    assert_stacks(
        &[
            ("main", 10_000_000, &calls),
            ("a", 0, &[("tiny'f", 1)]),
            ("b", 0, &[("tiny'f", 1)]),
            ("tiny'f", 2, &[]),
            ("f", 3, &[]),
        ],
        &["(other callers);f;tiny ~2", "f 3", "main 10000000"],
    );
}

#[test]
fn names_are_read_in_this_way_only_if_valgrind_may_have_written_them() {
    let functions: [Sums<'_>; 2] = [("g", 3, &[]), ("f'g", 4, &[])];
    assert_stacks(&functions, &["g;f 4", "g 3"]);
    let other = text(&functions).replace("callgrind-3.22.0", "another");
    assert_eq!(listed(&read(other, all_events())), ["f'g 4", "g 3"]);
}

/// Sees that nodes come after their parents, and that for every event they add up to the totals and
/// to the self costs of each function.
#[track_caller]
fn assert_adds_up(profile: &Profile, name: impl std::fmt::Display) {
    let stacks = Stacks::new(profile);
    let mut sums: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    let mut order = Vec::new();
    for node in stacks.nodes() {
        assert!(stacks.parent(node).is_none_or(|above| above < node));
        let costs = stacks.self_costs(node);
        let mut inclusive = costs.to_vec();
        for child in stacks.children(node) {
            assert_eq!(stacks.parent(child), Some(node));
            for (sum, cost) in inclusive.iter_mut().zip(stacks.inclusive_costs(child)) {
                *sum += cost;
            }
        }
        assert_eq!(stacks.inclusive_costs(node), inclusive);
        match stacks.function(node) {
            None => assert!(costs.iter().all(|&cost| cost == 0)),
            Some(id) => {
                let row = sums.entry(id.index()).or_insert(vec![0; costs.len()]);
                row.iter_mut()
                    .zip(costs)
                    .for_each(|(sum, cost)| *sum += cost);
            }
        }
        let above = stacks
            .parent(node)
            .map_or(usize::MAX, |above| above.index());
        order.push((above, stacks.frame(node)));
    }
    order.sort_by_key(|&(above, _)| above);
    assert!(order.is_sorted(), "{name}: siblings by frame");
    for (id, _) in profile.functions() {
        let own = profile.self_costs(id).to_vec();
        let found = sums.remove(&id.index()).unwrap_or(vec![0; own.len()]);
        assert_eq!(found, own, "{name}: {}", id.index());
    }
}

fn sums_below(folder: &str) -> Vec<std::path::PathBuf> {
    let mut files = fixtures::files_below(&fixtures::folder().join(folder));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cg"));
    files
}

#[test]
fn stacks_of_every_producer_add_up_for_every_event() {
    let files = ["valgrind", "producers", "stacks", "xdebug2", "xdebug3"]
        .map(sums_below)
        .concat();
    assert!(files.len() > 20);
    for file in files {
        let data = std::fs::read(&file).unwrap();
        let profile = read(data, all_events());
        assert_adds_up(&profile, fixtures::short(&file));
    }
}

/// The lines of the stacks of inputs that are read one after the other.
fn lines(inputs: &[&[u8]]) -> String {
    let reading = Reading {
        profile: profile_options(|options| options.contexts = true),
        ..Reading::default()
    };
    let (profile, _) = reading.read(inputs.iter().copied()).unwrap();
    assert_adds_up(&profile, "merged");
    let mut output = Vec::new();
    collapsed::write(&Stacks::new(&profile), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_order_of_inputs_does_not_matter() {
    let names = [
        "stacks/sums-plain.cg",
        "valgrind/plain.cg",
        "valgrind/combine.cg",
    ];
    let [a, b, c] = names.map(fixtures::bytes);
    assert_eq!(lines(&[&a, &b, &c]), lines(&[&c, &a, &b]));
}

#[test]
fn traces_and_sums_are_one_tree() {
    let trace = "creator: xdebug 3.4.0\nevents: Ir\nfl=a.php\nfn=work\n1 40\n\nfl=a.php\nfn={main}\n\
        1 2\ncfl=a.php\ncfn=work\ncalls=1 0 0\n1 40\n";
    let sums = "events: Ir\nfl=a.php\nfn={main}\n1 3\ncfn=work\ncalls=1 1\n1 5\ncfn=other\n\
        calls=1 1\n1 6\nfn=work\n1 9\nfn=other\n1 2\ncfn=work\ncalls=1 1\n1 4\n";
    let expected = "{main} 5\n{main};other 2\n{main};other;work 4\n{main};work 45\n";
    for inputs in [[trace, sums], [sums, trace]] {
        assert_eq!(lines(&inputs.map(str::as_bytes)), expected);
        let reading = Reading {
            profile: all_events(),
            ..Reading::default()
        };
        let (profile, _) = reading.read(inputs.map(str::as_bytes)).unwrap();
        assert_eq!(
            rows(&tree_of(&profile, None, None)),
            [
                " 75.00         42     2      1  {main}",
                " 71.43         40    40      1    work",
                " 25.00         14     3      1  {main}",
                " 10.71          6     2      1    other",
                " ~7.14          4     4      1      work",
                " ~8.93          5     5      1    work",
            ]
        );
    }
}

#[test]
fn exact_stacks_are_those_that_separate_callers_recorded() {
    let [plain, callers] = ["plain", "callers"].map(|name| {
        let text = fixtures::bytes(&format!("stacks/sums-{name}.cg"));
        listed(&read(text, all_events()))
    });
    let exact: Vec<_> = plain.iter().filter(|line| !line.contains(" ~")).collect();
    assert_eq!(exact.len(), 28, "{exact:?}");
    for line in exact {
        assert!(callers.contains(line), "{line}");
    }
    assert!(
        callers
            .iter()
            .any(|line| line.contains("work;qsort;qsort_r;msort"))
    );
}

#[test]
fn deep_chains_and_complete_graphs_end() {
    let mut chain = "events: Ir\nfl=a.c\n".to_owned();
    for depth in 0..20_000 {
        let below = 20_000 - depth;
        write!(
            chain,
            "fn=f{depth}\n1 1\ncfn=f{}\ncalls=1 1\n1 {below}\n",
            depth + 1
        )
        .unwrap();
    }
    chain.push_str("fn=f20000\n1 1\n");
    let profile = read(chain, all_events());
    assert_adds_up(&profile, "chain");
    assert_eq!(Stacks::new(&profile).exact_share(), 1.0);

    let mut complete = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f0\ncalls=1 1\n1 150000\n".to_owned();
    for caller in 0..150 {
        write!(complete, "fn=f{caller}\n1 1000\n").unwrap();
        for callee in 0..150 {
            write!(complete, "cfn=f{callee}\ncalls=1 1\n1 1000\n").unwrap();
        }
    }
    let profile = read(complete, all_events());
    let stacks = Stacks::new(&profile);
    let estimated = stacks
        .nodes()
        .filter(|&node| stacks.is_estimated(node))
        .count();
    assert!((10_000..=200_001).contains(&estimated), "{estimated}");
    assert_adds_up(&profile, "complete graph");
}

#[test]
fn what_records_no_calls_is_flat() {
    let path = Path::new("valgrind/cachegrind.out");
    let profile = read(fixtures::bytes(path.to_str().unwrap()), all_events());
    let stacks = Stacks::new(&profile);
    assert!(stacks.nodes().all(|node| stacks.parent(node).is_none()));
    assert!(stacks.nodes().all(|node| !stacks.is_estimated(node)));
}

#[test]
fn times_are_rounded_and_counts_are_not() {
    let text = |event: &str| {
        format!("events: {event}\nfl=a\nfn=main\n1 5\ncfn=f\ncalls=1 1\n2 9\nfn=f\n1 11\n")
    };
    let [counted, timed] = ["Ir", "Time_(10ns)"].map(|event| {
        let profile = read(text(event), all_events());
        listed(&profile)
    });
    assert_eq!(counted, ["f ~2", "main 5", "main;f ~9"]);
    assert_eq!(timed, ["main 5", "main;f 11"]);
}
