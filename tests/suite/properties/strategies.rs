//! How arbitrary documents, traces and styles come about.

use cg_preprocess::profile::Kind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::document::{Block, Costs, Document, EVENTS, Formula, Item, Key, Part, Wanted};
use super::spelling::{Start, Style, Summary};
use super::tree::{Node, Step, Trace};

const OBJECTS: [&[u8]; 3] = [b"", b"/usr/lib/libc.so.6", b"/srv/app/a.out"];

const FILES: [&[u8]; 6] = [
    b"/srv/app/a.php",
    b"php:internal",
    b"",
    b"???",
    b"(a) b = c.cpp",
    b"/srv/app/x.php(13) : eval()'d code",
];

const NAMES: [&[u8]; 12] = [
    b"main",
    b"{main}",
    b"(below main)",
    b"f'2",
    b"(8)name",
    b"operator==(A const&, B) [clone .cold]",
    b"class@anonymous\0/srv/app/a.php:3$0->run",
    b"\xff\xfe\xe9",
    b"events: Ir",
    b"cfn=x",
    b"(12 open",
    b"???",
];

/// Functions of traces that are called; the proxies are among them.
const CALLED: [&[u8]; 7] = [
    b"{main}",
    b"php::call_user_func",
    b"php::call_user_func:{/srv/app/a.php:3}",
    b"php::call_user_func_array",
    b"A->b",
    b"leaf",
    b"php::call_user_funcs",
];

/// The functions to step over.
pub const PROXIES: [&str; 2] = ["php::call_user_func", "php::call_user_func_array"];

/// Functions of traces that nobody calls, and those whose invocations are never written.
const ORPHANS: [&[u8]; 2] = [b"A->__destruct", b"B->__destruct"];
const MISSING: [&[u8]; 1] = [b"exit"];

/// How large costs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Sums fit into 32 bits.
    Small,
    /// Sums fit, but may be below 0.
    Signed,
    /// Likewise, and many of them are 0.
    Cancelling,
    /// Single costs may need 40 bits.
    Large,
}

fn cost(size: Size) -> BoxedStrategy<i64> {
    match size {
        Size::Small => prop_oneof![1 => Just(0), 3 => 0..20_000i64].boxed(),
        Size::Signed => (-1000..1000i64).boxed(),
        Size::Cancelling => (-1..2i64).boxed(),
        Size::Large => prop_oneof![2 => 0..100i64, 2 => 0..1i64 << 40].boxed(),
    }
}

fn costs(size: Size) -> impl Strategy<Value = Costs> {
    [cost(size), cost(size), cost(size), cost(size)]
}

fn line() -> impl Strategy<Value = u64> {
    prop_oneof![20 => 0..40u64, 1 => 0..=u64::from(u32::MAX)]
}

fn calls() -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(0), 8 => 1..20u64]
}

fn item(size: Size) -> impl Strategy<Value = Item> {
    let own = (line(), costs(size)).prop_map(|(line, costs)| Item::Own { line, costs });
    let call = (
        0..8usize,
        calls(),
        prop::option::of(line()),
        line(),
        costs(size),
    );
    let call = call.prop_map(|(callee, calls, target, line, costs)| Item::Call {
        callee,
        calls,
        target,
        line,
        costs,
    });
    prop_oneof![own, call]
}

fn block(size: Size) -> impl Strategy<Value = Block> {
    let items = vec(item(size), 0..6);
    (0..8usize, items).prop_map(|(function, items)| Block { function, items })
}

/// Columns in any order, at least one.
fn columns() -> impl Strategy<Value = Vec<usize>> {
    subsequence((0..EVENTS.len()).collect::<Vec<_>>(), 1..=EVENTS.len()).prop_shuffle()
}

fn part(size: Size) -> impl Strategy<Value = Part> {
    let blocks = vec(block(size), 0..8);
    (columns(), blocks).prop_map(|(columns, blocks)| Part { columns, blocks })
}

/// Two formulas, the second built on the first.
fn formulas() -> impl Strategy<Value = Vec<Formula>> {
    let terms = vec((1..4i64, select(&EVENTS[..])), 1..4);
    let more = vec((1..4i64, select(vec!["Sum", "Ir", "cpu(ms)"])), 1..3);
    (terms, more).prop_map(|(terms, more)| {
        vec![
            Formula { name: "Sum", terms },
            Formula {
                name: "All",
                terms: more,
            },
        ]
    })
}

fn keys() -> impl Strategy<Value = Vec<Key>> {
    let key = (select(&OBJECTS[..]), select(&FILES[..]), select(&NAMES[..]));
    let key = key.prop_map(|(object, file, name)| Key {
        object: object.to_vec(),
        file: file.to_vec(),
        name: name.to_vec(),
    });
    vec(key, 1..8)
}

/// Any aggregate profile that holds something.
pub fn aggregate(size: Size) -> impl Strategy<Value = Document> {
    let first = (0..8usize, line(), costs(size));
    let parts = vec(part(size), 1..4);
    let has_lines = prop::bool::weighted(0.9);
    (keys(), formulas(), has_lines, parts, first).prop_map(
        |(keys, formulas, has_lines, mut parts, (function, line, costs))| {
            let items = vec![Item::Own { line, costs }];
            parts[0].blocks.push(Block { function, items });
            let functions = distinct(keys);
            let count = functions.len();
            for block in parts.iter_mut().flat_map(|part| &mut part.blocks) {
                block.function %= count;
                for item in &mut block.items {
                    if let Item::Call { callee, .. } = item {
                        *callee %= count;
                    }
                }
            }
            Document {
                kind: Kind::Aggregate,
                functions,
                formulas,
                has_lines,
                parts,
            }
        },
    )
}

fn distinct(keys: Vec<Key>) -> Vec<Key> {
    let mut distinct = Vec::new();
    for key in keys {
        if !distinct.contains(&key) {
            distinct.push(key);
        }
    }
    distinct
}

/// An invocation of one of the functions that are called, with all below it.
fn node(size: Size) -> impl Strategy<Value = Node> {
    let orphan = (CALLED.len()..CALLED.len() + ORPHANS.len()).boxed();
    let leaf = (0..CALLED.len(), line(), costs(size)).prop_map(|(function, line, costs)| Node {
        function,
        line,
        costs,
        steps: Vec::new(),
    });
    leaf.prop_recursive(5, 24, 4, move |inner| {
        // Xdebug rounds both costs for itself; by more than a unit only where there were calls.
        let called = (line(), 0..2i64, inner.clone());
        let called = called.prop_map(|(line, rounding, node)| Step::Call {
            line,
            rounding,
            node,
        });
        let orphan = (orphan.clone(), inner.clone()).prop_map(|(function, mut node)| {
            node.function = function;
            Step::Orphan(node)
        });
        let missing = (line(), costs(size)).prop_map(|(line, costs)| Step::Missing {
            function: CALLED.len() + ORPHANS.len(),
            line,
            costs,
        });
        let step = prop_oneof![8 => called, 1 => orphan, 1 => missing];
        (inner, vec(step, 0..5)).prop_map(|(mut node, mut steps)| {
            node.steps.append(&mut steps);
            node
        })
    })
}

/// Any trace of one run or several.
pub fn trace(size: Size) -> impl Strategy<Value = Trace> {
    let files = vec(
        select(&FILES[..]),
        CALLED.len() + ORPHANS.len() + MISSING.len(),
    );
    let run = (columns(), vec(node(size), 1..4));
    (files, formulas(), vec(run, 1..4)).prop_map(|(files, formulas, runs)| {
        let names = CALLED.iter().chain(&ORPHANS).chain(&MISSING);
        let functions = names.zip(files).map(|(name, file)| Key {
            object: Vec::new(),
            file: file.to_vec(),
            name: name.to_vec(),
        });
        let (columns, runs): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let parts = columns.into_iter().map(|columns| Part {
            columns,
            blocks: Vec::new(),
        });
        let document = Document {
            kind: Kind::Trace,
            functions: functions.collect(),
            formulas,
            has_lines: true,
            parts: parts.collect(),
        };
        Trace::new(document, &runs)
    })
}

/// Any profile.
pub fn document(size: Size) -> impl Strategy<Value = Document> {
    prop_oneof![
        aggregate(size),
        trace(size).prop_map(|trace| trace.document)
    ]
}

/// Which event to ask for; the caller sees to it that the document has it.
pub fn wanted() -> impl Strategy<Value = Wanted> {
    let names = [EVENTS.to_vec(), vec!["Sum", "All"]].concat();
    prop_oneof![
        1 => Just(Wanted::First),
        2 => select(names).prop_map(Wanted::Named),
    ]
}

/// Any spelling.
pub fn style() -> impl Strategy<Value = Style> {
    let quirks = prop_oneof![1 => Just(0), 3 => prop::bits::u32::ANY];
    let start = select(vec![Start::Run, Start::Part, Start::Columns]);
    let summary = select(vec![
        Summary::InHeader,
        Summary::InFirstBlock,
        Summary::AtEnd,
        Summary::Missing,
    ]);
    (any::<u64>(), quirks, start, summary).prop_map(|(seed, quirks, start, summary)| Style {
        seed,
        quirks,
        start,
        summary,
    })
}
