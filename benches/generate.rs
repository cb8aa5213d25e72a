//! Profiles of the shape of real ones, the same in every run.

use std::io::Write;

use super::Random;

/// Writes names that get a number when they first appear: `(7) name`, and `(7)` from then on.
struct Names {
    seen: Vec<u64>,
    name: fn(u64) -> String,
}

impl Names {
    fn new(name: fn(u64) -> String) -> Self {
        let seen = Vec::new();
        Names { seen, name }
    }

    fn write(&mut self, out: &mut Vec<u8>, key: &str, which: u64) {
        match self.seen.iter().position(|&seen| seen == which) {
            Some(id) => writeln!(out, "{key}=({})", id + 1).unwrap(),
            None => {
                self.seen.push(which);
                let name = (self.name)(which);
                writeln!(out, "{key}=({}) {name}", self.seen.len()).unwrap();
            }
        }
    }
}

/// An Xdebug trace of about so many invocations of so many functions.
pub fn xdebug(invocations: usize, functions: u64, seed: u64) -> Vec<u8> {
    let mut trace = Trace {
        out: Vec::new(),
        random: Random(seed),
        files: Names::new(|file| match file {
            0 => "php:internal".to_owned(),
            _ => format!("/srv/app/src/Module/Component{file}.php"),
        }),
        names: Names::new(|function| match function % 4 {
            0 => format!("php::internal_function_{function}"),
            _ => format!("App\\Module\\Component{}->method{function}", function / 10),
        }),
        functions,
        left: invocations,
    };
    trace.out.extend_from_slice(
        b"version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /srv/app/run.php\npart: 1\n\
          positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n",
    );
    let mut total = (0, 0);
    while trace.left > 0 {
        let function = 1 + trace.random.below(functions);
        let (time, memory) = trace.invoke(function, 0);
        total = (total.0 + time, total.1 + memory);
    }
    writeln!(trace.out, "summary: {} {}\n", total.0, total.1).unwrap();
    trace.out
}

struct Trace {
    out: Vec<u8>,
    random: Random,
    files: Names,
    names: Names,
    functions: u64,
    left: usize,
}

impl Trace {
    /// Writes the blocks of an invocation and of all that it calls; returns its inclusive costs.
    fn invoke(&mut self, function: u64, depth: u64) -> (u64, u64) {
        self.left = self.left.saturating_sub(1);
        let is_internal = function.is_multiple_of(4);
        let most = if is_internal || depth > 30 { 1 } else { 5 };
        let count = self.random.small(most);
        let mut calls = Vec::new();
        for _ in 0..count {
            let site = self.random.small(6);
            let callee = 1 + (function * 7 + site * 13) % self.functions;
            let cost = self.invoke(callee, depth + 1);
            calls.push((callee, 10 * function + site, cost));
        }
        let own = (5 + self.random.small(900), 8 * self.random.small(60));
        self.place("", function);
        writeln!(self.out, "{} {} {}", 10 * function, own.0, own.1).unwrap();
        let mut all = own;
        for (callee, line, cost) in calls {
            self.place("c", callee);
            writeln!(self.out, "calls=1 0 0\n{line} {} {}", cost.0, cost.1).unwrap();
            all = (all.0 + cost.0, all.1 + cost.1);
        }
        self.out.push(b'\n');
        all
    }

    fn place(&mut self, callee: &str, function: u64) {
        let file = if function.is_multiple_of(4) {
            0
        } else {
            1 + function / 10
        };
        self.files
            .write(&mut self.out, &format!("{callee}fl"), file);
        self.names
            .write(&mut self.out, &format!("{callee}fn"), function);
    }
}

/// A profile of so many functions as Valgrind writes it with `--dump-instr=yes` and
/// `--collect-jumps=yes`.
pub fn valgrind(functions: u64, seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let random = &mut Random(seed);
    let mut files = Names::new(|file| format!("/srv/app/src/lib/component_{file}.cpp"));
    let mut names = Names::new(|function| {
        format!(
            "app::Component{}::method_{function}(int, char const*)",
            function / 10
        )
    });
    out.extend_from_slice(
        b"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: /srv/app/run\n\
          part: 1\n\n\npositions: instr line\nevents: Ir\nsummary: 0\n\n\n\
          ob=(1) /srv/app/run\n",
    );
    for function in 0..functions {
        files.write(&mut out, "fl", function / 10);
        names.write(&mut out, "fn", function);
        writeln!(
            out,
            "0x{:x} {} 1",
            0x10_0000 + 0x400 * function,
            20 * function + 1
        )
        .unwrap();
        for _ in 0..random.small(200) {
            instruction(&mut out, random);
            match random.below(100) {
                0..6 => {
                    let (count, of) = (random.small(900), 1 + random.small(900));
                    writeln!(out, "jcnd={count}/{of} +{} +8 \n* * ", random.small(90)).unwrap();
                }
                6..8 => {
                    let address = 0x10_0000 + random.below(0x40_0000);
                    writeln!(out, "jump={} 0x{address:x} * \n* * ", random.small(900)).unwrap();
                }
                8..12 => {
                    let callee = random.small(functions);
                    files.write(&mut out, "cfi", callee / 10);
                    names.write(&mut out, "cfn", callee);
                    let address = 0x10_0000 + 0x400 * callee;
                    let calls = 1 + random.small(90);
                    writeln!(out, "calls={calls} 0x{address:x} -{} ", random.below(2)).unwrap();
                    writeln!(out, "* * {}", random.small(90_000_000)).unwrap();
                }
                12 => files.write(&mut out, "fi", random.small(1 + functions / 10)),
                13 => files.write(&mut out, "fe", function / 10),
                _ => {}
            }
        }
        out.push(b'\n');
    }
    out
}

fn instruction(out: &mut Vec<u8>, random: &mut Random) {
    let step = 1 + random.small(12);
    let cost = 1 + random.small(20_000);
    match random.below(10) {
        0..6 => writeln!(out, "+{step} * {cost}"),
        6..9 => writeln!(out, "+{step} +{} {cost}", random.small(30)),
        _ => writeln!(out, "+{step} -{} {cost}", random.below(2)),
    }
    .unwrap();
}
