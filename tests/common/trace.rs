//! Traces, written as trees of calls.

use std::fmt::Write;

/// The keys of headers, which a trace may have between its trees, too.
const HEADERS: &[&str] = &[
    "version",
    "creator",
    "cmd",
    "part",
    "positions",
    "desc",
    "events",
    "summary",
];

/// An invocation, and those that it makes.
struct Invocation<'a> {
    /// The line of the caller that it is called on.
    at: &'a str,
    name: String,
    file: &'a str,
    line: &'a str,
    own: Vec<i64>,
    /// With what is below it.
    inclusive: Vec<i64>,
    calls: String,
}

/// What Xdebug writes of a tree. Each line is an invocation: its name, file and line, and what it
/// costs by itself. It is indented below its caller, and the line of the call stands before it:
///
/// ```text
/// {main} index.php:1 10
///   3 load lib.php:5 200
/// ```
///
/// Lines of headers stay as they are.
pub fn trace(text: &str) -> String {
    let mut written = String::new();
    let mut names = [Vec::new(), Vec::new()];
    let mut open = Vec::new();
    for line in text.lines() {
        let invocation = line.trim_start();
        let depth = (line.len() - invocation.len()) / 2;
        close(&mut open, depth, &mut names, &mut written);
        let key = line.split_once(": ").map_or("", |(key, _)| key);
        if line.is_empty() || HEADERS.contains(&key) {
            written += &format!("{line}\n");
            if key == "events" {
                names = [Vec::new(), Vec::new()];
            }
            continue;
        }
        let (at, invocation) = match depth {
            0 => ("", invocation),
            _ => invocation.split_once(' ').unwrap(),
        };
        let mut words: Vec<_> = invocation.split(' ').collect();
        let mut own = Vec::new();
        while let Ok(cost) = words.last().unwrap().parse() {
            own.insert(0, cost);
            words.pop();
        }
        let (file, line) = words.pop().unwrap().rsplit_once(':').unwrap();
        open.push(Invocation {
            at,
            name: words.join(" "),
            file,
            line,
            inclusive: own.clone(),
            own,
            calls: String::new(),
        });
    }
    close(&mut open, 0, &mut names, &mut written);
    written
}

/// Writes the invocations that are so deep, or deeper: they have ended.
fn close(
    open: &mut Vec<Invocation<'_>>,
    depth: usize,
    names: &mut [Vec<String>; 2],
    written: &mut String,
) {
    while open.len() > depth
        && let Some(ended) = open.pop()
    {
        let mut place = |prefix| {
            let [file, name] = [(0, ended.file), (1, &ended.name)]
                .map(|(kind, name)| compressed(&mut names[kind], name));
            format!("{prefix}fl={file}\n{prefix}fn={name}\n")
        };
        let own = costs(&ended.own);
        let here = place("");
        writeln!(written, "{here}{}{own}{}\n", ended.line, ended.calls).unwrap();
        if let Some(caller) = open.last_mut() {
            let (callee, at) = (place("c"), ended.at);
            let cost = costs(&ended.inclusive);
            write!(caller.calls, "\n{callee}calls=1 0 0\n{at}{cost}").unwrap();
            for (sum, cost) in caller.inclusive.iter_mut().zip(&ended.inclusive) {
                *sum += cost;
            }
        }
    }
}

/// A name the first time, and its number.
fn compressed(known: &mut Vec<String>, name: &str) -> String {
    if let Some(at) = known.iter().position(|known| known == name) {
        return format!("({})", at + 1);
    }
    known.push(name.to_owned());
    format!("({}) {name}", known.len())
}

fn costs(costs: &[i64]) -> String {
    costs.iter().map(|cost| format!(" {cost}")).collect()
}
