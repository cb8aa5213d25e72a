//! Profiles for the matrix and the walks, made at random, but the same ones in each run. Costs come from short lists,
//! so that there are ties, and functions call any other, so that they recur.

use std::fmt::Write;

use super::{Random, trace};

/// One of the values.
pub fn one_of<T: Copy>(values: &[T], random: &mut Random) -> T {
    values[random.index(values.len())]
}

/// Functions of a PHP program: name, file and line.
const PHP: &[(&str, &str, usize)] = &[
    ("{main}", "public/index.php", 1),
    ("App\\Shop->run", "src/Shop.php", 20),
    ("php::array_map", "", 0),
    ("helper", "src/helpers.php", 3),
    ("php::usort", "", 0),
    ("App\\Shop->runAll", "src/Shop.php", 30),
    ("fib", "src/helpers.php", 12),
    (
        "App\\Shop->{closure:/srv/app/src/Shop.php:44-45}",
        "src/Shop.php",
        44,
    ),
    ("Acme\\Log\\Log->write", "vendor/acme/log/src/Log.php", 7),
    ("App\\Cart->add", "src/Cart.php", 20),
    ("php::PDO->query", "", 0),
    ("App\\even", "src/helpers.php", 30),
    ("App\\odd", "src/helpers.php", 33),
    (
        "require_once::/srv/app/src/helpers.php",
        "src/helpers.php",
        1,
    ),
    ("App\\Cart->run", "src/Cart.php", 10),
    (
        "Acme\\Log\\Log->writeAll",
        "vendor/acme/log/src/Log.php",
        17,
    ),
    ("Other\\Db\\Row->get", "vendor/other/db/Row.php", 5),
    ("App\\Part0->run", "src/Shop.php", 100),
    ("App\\Part1->run", "src/Shop.php", 101),
    ("App\\Part2->run", "src/Shop.php", 102),
    ("App\\Part3->run", "src/Shop.php", 103),
    ("App\\New->run", "src/Shop.php", 220),
];

/// A run of a PHP program, as Xdebug traces it: the first so many functions, of which `{main}` makes
/// some calls, and each of these in turn, a few levels deep. What the program was before is elsewhere,
/// and has other costs, lines and functions.
struct Run {
    calls: Random,
    costs: Random,
    functions: usize,
    depth: usize,
    is_old: bool,
    tree: String,
    sum: [i64; 2],
}

impl Run {
    fn text(seed: u64, command: &str, functions: usize, sizes: [usize; 2], is_old: bool) -> String {
        let mut run = Run {
            calls: Random(seed),
            costs: Random(seed + 1_000 * u64::from(is_old)),
            functions,
            depth: sizes[1],
            is_old,
            tree: String::new(),
            sum: [0, 0],
        };
        run.invocation(0, 0, 0, sizes[0]);
        let [time, memory] = run.sum;
        trace(&format!(
            "version: 1\ncreator: xdebug 3.4.0 (PHP 8.3.6)\ncmd: /srv/app/{command}\npart: 1\n\
            positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n{}summary: {time} {memory}\n\n",
            run.tree
        ))
    }

    fn invocation(&mut self, function: usize, depth: usize, at: usize, most: usize) {
        let (mut name, file, mut line) = PHP[function];
        let mut root = "/srv/app/";
        if self.is_old {
            root = "/home/ci/app/";
            name = if name == "App\\New->run" {
                "App\\Gone->run"
            } else {
                name
            };
            line += 2 * usize::from(line > 20);
        }
        let file = match file {
            "" => "php:internal".to_owned(),
            "vendor/other/db/Row.php" if self.is_old => {
                format!("{root}vendor/other/db/lib/Row.php")
            }
            file => format!("{root}{file}"),
        };
        let time = one_of(&[0, 1, 10, 10, 20, 100, 1_000], &mut self.costs);
        let memory = one_of(&[0, 0, 16, 400, -400], &mut self.costs);
        self.sum = [self.sum[0] + time, self.sum[1] + memory];
        if depth > 0 {
            write!(self.tree, "{:1$}{at} ", "", 2 * depth).unwrap();
        }
        writeln!(self.tree, "{name} {file}:{line} {time} {memory}").unwrap();
        for _ in 0..if depth < self.depth { most } else { 0 } {
            let callee = 1 + self.calls.index(self.functions - 1);
            let more = one_of(&[0, 0, 0, 1, 1, 2, 3], &mut self.calls);
            let times = one_of(&[1, 1, 1, 1, 2, 3], &mut self.costs);
            let next = line + one_of(&[1, 1, 2, 3], &mut self.costs);
            for _ in 0..times {
                self.invocation(callee, depth + 1, next, more);
            }
        }
    }
}

/// Functions of a compiled program: name, object, file and line.
const COMPILED: &[(&str, &str, &str, usize)] = &[
    ("main", "", "/srv/app/src/main.c", 10),
    ("run", "", "/srv/app/src/shop.c", 20),
    ("even", "", "/srv/app/src/main.c", 90),
    ("odd", "", "/srv/app/src/main.c", 100),
    ("malloc", "/usr/lib/libc.so.6", "???", 0),
    ("run_all", "", "/srv/app/src/shop.c", 30),
    ("fib", "/srv/app/libshop.so", "/srv/app/src/main.c", 80),
    ("fib'2", "/srv/app/libshop.so", "/srv/app/src/main.c", 80),
    ("Shop::run(int)", "", "/srv/app/src/shop.cpp", 40),
    (
        "Shop::run(int, std::vector<int, std::allocator<int> > const&)",
        "",
        "/srv/app/src/shop.cpp",
        50,
    ),
    ("memcpy", "/usr/lib/libc.so.6", "???", 0),
    (
        "std::sort<int*>(int*, int*)",
        "/usr/lib/libc++.so.1",
        "/usr/include/c++/12/algorithm",
        60,
    ),
    ("free", "/usr/lib/libc.so.6", "???", 0),
    (
        "<shop::Cart as core::fmt::Display>::fmt",
        "",
        "/srv/app/src/cart.rs",
        70,
    ),
    ("Cart::add(int)", "", "/srv/app/src/cart.cpp", 75),
];

const EVENTS: &[&str] = &[
    "Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw", "Bc", "Bcm",
];

/// Sums of a compiled program, as Valgrind writes them, in parts, of which some have a name.
struct Sums {
    seed: u64,
    pid: usize,
    command: &'static str,
    events: usize,
    functions: usize,
    parts: usize,
    threads: usize,
    is_old: bool,
}

impl Sums {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut calls = Random(self.seed);
        let mut costs = Random(self.seed + 1_000 * u64::from(self.is_old));
        for part in 1..=self.parts {
            for thread in 1..=self.threads {
                self.part(&mut text, part, thread, &mut calls, &mut costs);
            }
        }
        text
    }

    fn part(
        &self,
        text: &mut String,
        part: usize,
        thread: usize,
        calls: &mut Random,
        costs: &mut Random,
    ) {
        let mut add = |line: String| *text += &(line + "\n");
        add(format!(
            "version: 1\ncreator: callgrind-3.19.0\npid: {}",
            self.pid
        ));
        add(format!("cmd: ./{} 10\npart: {part}", self.command));
        if self.threads > 1 {
            add(format!("thread: {thread}"));
        }
        add("desc: I1 cache: 32768 B, 64 B, 8-way associative".to_owned());
        let bench = part - usize::from(self.is_old && part > 2);
        add(match part == self.parts {
            true => "desc: Trigger: Program termination".to_owned(),
            false => format!("desc: Trigger: Client Request: bench {bench}"),
        });
        add(format!(
            "positions: line\nevents: {}",
            EVENTS[..self.events].join(" ")
        ));
        let mut totals = vec![0; self.events];
        for (function, &(.., file, line)) in COMPILED[..self.functions].iter().enumerate() {
            let line = line + 2 * usize::from(self.is_old && function > 4);
            if function > 0 && costs.index(6) == 0 {
                continue;
            }
            let mut own = |at: usize, costs: &mut Random| {
                let numbers = numbers(&mut totals, costs);
                format!("{at}{numbers}")
            };
            add(self.place(function, ""));
            add(own(line, costs));
            if calls.index(3) == 0 {
                add(format!("fi=/srv/app/src/inline.h\n{}", own(5, costs)));
                add(format!("{}\nfe={file}", own(6, costs)));
                add(own(line + 2, costs));
            }
            for _ in 0..calls.index(4) + costs.index(2) {
                let callee = calls.index(self.functions);
                let times = one_of(&[1, 2, 3, 10, 11], costs);
                let at = line + one_of(&[1, 1, 2], costs);
                let cost = numbers(&mut vec![0; self.events], costs);
                let to = COMPILED[callee].3;
                add(format!(
                    "{}\ncalls={times} {to}\n{at}{cost}",
                    self.place(callee, "c")
                ));
            }
        }
        let totals: String = totals.iter().map(|total| format!(" {total}")).collect();
        add(format!("totals:{totals}\n"));
    }

    /// Where and what a function is.
    fn place(&self, function: usize, prefix: &str) -> String {
        let (name, object, file, _) = COMPILED[function];
        let object = match object {
            "" => format!("/srv/app/{}", self.command),
            object => object.to_owned(),
        };
        format!("{prefix}ob={object}\n{prefix}fl={file}\n{prefix}fn={name}")
    }
}

/// Costs, which are added to totals.
fn numbers(totals: &mut [u64], costs: &mut Random) -> String {
    let mut text = String::new();
    for total in totals {
        let cost = one_of(&[0, 1, 5, 10, 20, 100, 200], costs);
        *total += cost;
        write!(text, " {cost}").unwrap();
    }
    text
}

/// As many rows, callers and callees as are shown, and one more.
fn wide(is_old: bool) -> String {
    let most = 11 + usize::from(!is_old);
    let mut text = "creator: hand\ncmd: wide\npositions: line\nevents: Ir\n".to_owned();
    let place = |at: usize| format!("fl=src/dir{}/file{at}.c\n", at % 11);
    for at in 0..most {
        let cost = at / 2 * 10;
        let ten = ["cfl=\ncfn=ten\ncalls=1 1\n3 5\n", ""][usize::from(at > 9)];
        write!(text, "{}fn=f{at}\n{} {cost}\n", place(at), 1 + at % 10).unwrap();
        write!(
            text,
            "cfl=\ncfn=shared\ncalls={} 1\n2 {}\n{ten}",
            at + 1,
            at + 1
        )
        .unwrap();
    }
    text += "fl=\nfn=shared\n1 66\nfn=ten\n";
    (1..=most).for_each(|line| writeln!(text, "{line} 5").unwrap());
    text += "fn=calls_many\n1 1\n";
    for at in 0..most {
        write!(
            text,
            "c{}cfn=f{at}\ncalls=1 1\n{} {}\n",
            place(at),
            2 + at % 10,
            at / 2 * 10
        )
        .unwrap();
    }
    text
}

/// One function below the other, of negative costs, too.
fn deep() -> String {
    let mut text = "events: Memory Time\n".to_owned();
    let costs = |level: i64| {
        (
            [10, 0, 0, 7][usize::try_from(level % 4).unwrap()] - level,
            level * 5,
        )
    };
    for level in 0..40 {
        let (memory, time) = costs(level);
        let below = (level + 1..40).map(costs);
        let below = below.fold((0, 0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1));
        write!(
            text,
            "fl=deep.c\nfn=level{level}\n{level} {memory} {time}\n"
        )
        .unwrap();
        if level < 39 {
            let (next, (memory, time)) = (level + 1, below);
            write!(
                text,
                "cfn=level{next}\ncalls=1 {next}\n{level} {memory} {time}\n"
            )
            .unwrap();
        }
    }
    text
}

/// As many parts as messages list, and one more, each with a function of one name.
fn borders() -> String {
    let part = |(at, cost): (usize, u64)| {
        let name = ["Client Request: part", "--dump-every-bb="][usize::from(at > 0)];
        format!(
            "part: {}\ndesc: Trigger: {name}\npositions: line\nevents: Ir\n\
            fl=borders.cpp\nfn=part{at}::same\n{} {cost}\ntotals: {cost}\n",
            at + 2,
            at + 1
        )
    };
    let costs = [
        50_000_000_050,
        250,
        1_050,
        300,
        400,
        500,
        600,
        700,
        800,
        900,
        1_000,
    ];
    let parts: String = costs.into_iter().enumerate().map(part).collect();
    format!("creator: callgrind-3.22.0\npid: 8\ncmd: ./borders\n{parts}")
}

/// Runs of one more command than are listed.
fn commands() -> String {
    let commands: String = (1..=100)
        .map(|at| format!("desc: Command: command-{at:03}\n"))
        .collect();
    format!(
        "# callgrind format\nversion: 1\ncreator: cg-preprocess 0.3.0\ncmd: command-000\n\
        desc: Runs: 101 of over 100 commands\n{commands}events: Ir\nsummary: 101\n\
        fl=a.c\n# more-invocations=101\nfn=main\n1 101\n"
    )
}

/// All of them, with their names.
pub fn all() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, text: String| files.push((name.to_owned(), text));
    for (is_old, ending) in [(false, ".cg"), (true, ".cg.old")] {
        for (name, seed, functions, sizes) in [
            ("shop", 1, PHP.len(), [20, 3]),
            ("random", 2, 14, [8, 5]),
            ("tiny-1", 3, 6, [6, 4]),
            ("tiny-2", 4, 9, [6, 5]),
            ("tiny-3", 5, 8, [5, 3]),
        ] {
            let text = Run::text(seed, "public/index.php", functions, sizes, is_old);
            add(&format!("{name}{ending}"), text);
        }
        for (name, seed, pid, command, events, functions, parts, threads) in [
            ("sums", 6, 1, "shop", 10, 15, 1, 1),
            ("mail", 7, 2, "mail", 10, 12, 1, 1),
            ("parts", 8, 3, "shop", 2, 15, 4, 1),
            ("graph-1", 9, 31, "shop", 2, 5, 2, 2),
            ("graph-2", 10, 32, "mail", 2, 6, 2, 1),
            ("graph-3", 11, 31, "shop", 2, 5, 1, 1),
        ] {
            let sums = Sums {
                seed,
                pid,
                command,
                events,
                functions,
                parts,
                threads,
                is_old,
            };
            add(&format!("{name}{ending}"), sums.text());
        }
        add(&format!("wide{ending}"), wide(is_old));
    }
    let [shop, mail] = [("shop", 1, 12), ("mail", 2, 13)].map(|(command, pid, seed)| Sums {
        seed,
        pid,
        command,
        events: 11,
        functions: 12,
        parts: 1,
        threads: 1,
        is_old: false,
    });
    add("programs.cg", shop.text() + &mail.text());
    let run = |seed, command| Run::text(seed, command, 5, [3, 3], false);
    let [index, cron] = [run(14, "public/index.php"), run(15, "bin/cron.php")];
    add("runs.cg", index.clone() + &cron + &index);
    add("truncated.cg", cron[..cron.len() * 2 / 3].to_owned());
    let broken = index.replacen("\n\n", "\n\nwhat is this\n", 5);
    add("broken.cg", broken + &cron[..cron.len() / 2]);
    add("deep.cg", deep());
    add("borders.cg", borders());
    add("commands.cg", commands());
    files
}
