//! Small profiles with much in common: few functions that call each other and themselves, few different
//! costs, names that begin alike, and the same name in two files.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::common::Random;

/// Their files, names and objects. The last one has the name of another.
const FUNCTIONS: [[&str; 3]; 10] = [
    ["/srv/app/x.php", "{main}", "app"],
    ["/srv/app/a.php", "run", "app"],
    ["/srv/app/a.php", "runAll", "app"],
    ["/srv/app/a.php", "A->run", "app"],
    ["/srv/app/b.php", "A::b", "app"],
    ["/srv/app/b.php", "B::make", "app"],
    ["/srv/app/vendor/acme/log/log.php", "Log::run", "liblog.so"],
    ["php:internal", "php::array_map", "libphp.so"],
    ["php:internal", "php::strlen", "libphp.so"],
    ["/srv/app/b.php", "run", "app"],
];

type Costs = [u64; 2];

/// An invocation, with its calls and their lines.
struct Node {
    function: usize,
    line: u64,
    own: Costs,
    calls: Vec<(u64, Node)>,
}

impl Node {
    fn inclusive(&self) -> Costs {
        let calls = self.calls.iter().map(|(_, callee)| callee.inclusive());
        calls.fold(self.own, |[sum, other], [cost, second]| {
            [sum + cost, other + second]
        })
    }

    /// All invocations, callees before their callers.
    fn each<'n>(&'n self, found: &mut Vec<&'n Node>) {
        self.calls.iter().for_each(|(_, callee)| callee.each(found));
        found.push(self);
    }
}

/// Profiles of the same shape are alike, except where `noise` makes them differ.
pub struct Profiles {
    pub shape: Random,
    pub noise: Random,
    pub has_traces: bool,
    pub has_sums: bool,
    /// The number of functions that are called, the first ones.
    pub functions: usize,
}

impl Profiles {
    /// The invocation of what is called first.
    fn root(&mut self) -> Node {
        let most = FUNCTIONS.len() - 2;
        self.functions = 2 + self.shape.index(most);
        let levels = 2 + self.shape.below(4);
        self.node(0, levels)
    }

    fn node(&mut self, function: usize, levels: u64) -> Node {
        let mut costs = || [10 * self.shape.small(6), self.shape.below(3)];
        let own = costs();
        let own = match self.noise.below(6) {
            0 => [own[0] + 10 * self.noise.below(3), 1],
            _ => own,
        };
        let line = 1 + self.shape.below(4);
        let calls = (0..self.shape.below(4.min(levels + 1))).map(|_| {
            let choice = 1 + self.shape.index(self.functions);
            let callee = match self.noise.below(20) {
                0 => 1 + self.noise.index(self.functions),
                _ => choice,
            };
            (10 + self.shape.below(2), self.node(callee, levels - 1))
        });
        let calls = calls.collect();
        Node {
            function,
            line,
            own,
            calls,
        }
    }

    /// The texts of files: traces, sums or both.
    pub fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        if self.has_sums {
            texts.extend(self.sums());
        }
        if self.has_traces {
            texts.extend(self.traces());
        }
        texts
    }

    /// Profiles of every call, each in a file.
    fn traces(&mut self) -> Vec<String> {
        let files = (0..1 + self.shape.small(3)).map(|_| {
            let root = self.root();
            let mut text = "creator: xdebug 3.4.0\ncmd: /srv/app/x.php\npositions: line\n\n\
                events: Ir Dr\n\n"
                .to_owned();
            let mut nodes = Vec::new();
            root.each(&mut nodes);
            for node in nodes {
                let [file, name, _] = FUNCTIONS[node.function];
                let [own, second] = node.own;
                writeln!(text, "fl={file}\nfn={name}\n{} {own} {second}", node.line).unwrap();
                for (line, callee) in &node.calls {
                    let [file, name, _] = FUNCTIONS[callee.function];
                    let [cost, second] = callee.inclusive();
                    writeln!(
                        text,
                        "cfl={file}\ncfn={name}\ncalls=1 0 0\n{line} {cost} {second}"
                    )
                    .unwrap();
                }
                text += "\n";
            }
            text
        });
        files.collect()
    }

    /// Sums of calls: several threads or parts of one file, or a program in each of several files.
    fn sums(&mut self) -> Vec<String> {
        let (has_threads, has_files) = (self.shape.below(2) == 0, self.shape.below(2) == 0);
        let mut texts = Vec::new();
        let mut text = String::new();
        let mut totals: Costs = [0, 0];
        for part in 1..=1 + self.shape.small(3) {
            if text.is_empty() {
                text = format!("creator: callgrind-3.19\ncmd: /srv/app/x{part}\nevents: Ir Dr\n");
            }
            let root = self.root();
            let cost = root.inclusive();
            totals = [totals[0] + cost[0], totals[1] + cost[1]];
            if has_threads {
                writeln!(text, "part: {part}\nthread: {}", 1 + part / 2).unwrap();
            }
            let name = self.shape.pick(&["one", "one more", ""]);
            if !name.is_empty() {
                writeln!(text, "desc: Trigger: Client Request: {name}").unwrap();
            }
            write_sums(&root, !self.has_traces, &mut text);
            if has_files {
                writeln!(text, "totals: {} {}", totals[0], totals[1]).unwrap();
                texts.push(std::mem::take(&mut text));
                totals = [0, 0];
            }
        }
        // Without totals, a profile is incomplete.
        if !text.is_empty() {
            if self.shape.below(6) > 0 {
                writeln!(text, "totals: {} {}", totals[0], totals[1]).unwrap();
            }
            texts.push(text);
        }
        texts
    }
}

/// Writes what all invocations below one cost, and their calls.
fn write_sums(root: &Node, has_objects: bool, text: &mut String) {
    let object = |object| if has_objects { object } else { "" };
    let mut nodes = Vec::new();
    root.each(&mut nodes);
    let mut calls: BTreeMap<_, [u64; 3]> = BTreeMap::new();
    for node in nodes {
        let [own, second] = node.own;
        let [file, name, of] = FUNCTIONS[node.function];
        writeln!(text, "ob={}\nfl={file}\nfn={name}", object(of)).unwrap();
        // Inlined code.
        let file = if node.line == 4 {
            "fi=/srv/app/b.php\n"
        } else {
            ""
        };
        writeln!(text, "{file}{} {own} {second}", node.line).unwrap();
        for (line, callee) in &node.calls {
            let sums = calls
                .entry((node.function, callee.function, line))
                .or_default();
            let [cost, second] = callee.inclusive();
            *sums = [sums[0] + 1, sums[1] + cost, sums[2] + second];
        }
    }
    for ((caller, callee, line), [calls, cost, second]) in calls {
        let [[file, name, of], [other_file, callee, of_callee]] =
            [caller, callee].map(|at| FUNCTIONS[at]);
        let [object, other] = [of, of_callee].map(object);
        writeln!(
            text,
            "ob={object}\nfl={file}\nfn={name}\ncob={other}\ncfi={other_file}\ncfn={callee}\n\
            calls={calls} 1\n{line} {cost} {second}"
        )
        .unwrap();
    }
}
