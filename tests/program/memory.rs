//! Hostile sizes in little memory: whatever a few bytes claim, or decompress to, the program stays
//! below a limit on its address space.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use crate::common::gzip;
use crate::common::preprocessed::numbers;
use crate::runner::bytes;

/// Address space that the program may have, in KiB.
const LIMIT: u32 = 200_000;

/// The same where nothing of the input is worth keeping.
const LITTLE: u32 = 40_000;

/// Stack that each of its threads may have, in KiB: too little for any recursion over data.
const STACK: u32 = 512;

const MIB: usize = 1 << 20;

/// The longest line that is read.
const MAX_LINE_LENGTH: usize = MIB;

/// Runs the program on an input, within a limit in KiB.
fn run(limit: u32, input: &[u8], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), input).unwrap();
    run_in(folder.path(), limit, arguments)
}

/// Runs the program on the file `in` of a folder, within a limit in KiB.
fn run_in(folder: &Path, limit: u32, arguments: &[&str]) -> Output {
    let limits = format!("ulimit -v {limit} && ulimit -s {STACK}");
    run_within(folder, &limits, arguments)
}

fn run_within(folder: &Path, limits: &str, arguments: &[&str]) -> Output {
    let limited = format!("{limits} && exec \"$@\"");
    Command::new("sh")
        .env("RUST_MIN_STACK", (STACK << 10).to_string())
        // Otherwise, glibc may reserve 64 MiB for each thread, depending on who comes first.
        .env("MALLOC_ARENA_MAX", "1")
        .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_cg-preprocess")])
        .args(["in", "-o", "out"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[track_caller]
fn convert(limit: u32, input: &[u8], arguments: &[&str]) {
    let output = run(limit, input, arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// The program ends by itself with a message that holds this.
#[track_caller]
fn assert_refused(output: &Output, message: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said.contains(message), "{said}");
}

#[track_caller]
fn refuse(limit: u32, input: &[u8], arguments: &[&str], message: &str) {
    assert_refused(&run(limit, input, arguments), message);
}

/// A gzip file whose content is `head` and then `times` times `body`: one member each.
fn gzip_bomb(head: &[u8], body: &[u8], times: usize) -> Vec<u8> {
    [gzip(head), gzip(body).repeat(times)].concat()
}

/// A zstd frame of one byte, repeated for so many MiB.
fn zstd_bomb(byte: u8, mebibytes: u32) -> Vec<u8> {
    const BLOCK: u32 = 128 << 10;
    // Magic number; nothing optional; a window of 1 MiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 10 << 3];
    let blocks = mebibytes * 8;
    for block in 1..=blocks {
        // Its length, its type (one byte repeated), and whether it is the last.
        let header = BLOCK << 3 | 1 << 1 | u32::from(block == blocks);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(byte);
    }
    frame
}

const HEADER: &[u8] = b"version: 1\nevents: Ir\n\nfl=a.c\nfn=main\n16 20\n";

#[test]
fn one_gibibyte_in_one_line() {
    let zeros = gzip_bomb(HEADER, &[0; MIB], 1024);
    refuse(LIMIT, &zeros, &[], "in:7: line over 1 MiB");
    let bytes = zstd_bomb(b'a', 1024);
    refuse(LIMIT, &bytes, &[], "in:1: line over 1 MiB");
}

/// Peak memory is at most 64 MB and 50 times the text, of up to nine events.
#[test]
fn many_events_of_many_functions_and_calls() {
    let header = "events: a b c d e f g h i\n";
    let functions = (0..60_000).map(|number| format!("fn={number:x}\n1 1\n"));
    let calls = (0..60_000).map(|_| "calls=1 1\n+1 1\n");
    let calls = format!("fn=f\ncfn=g\n{}", calls.collect::<String>());
    for body in [functions.collect(), calls] {
        let input = [header, &body].concat();
        let limit = (64_000_000 + 50 * input.len()) / 1024;
        for format in ["callgrind", "html"] {
            let limit = u32::try_from(limit).unwrap();
            convert(limit, input.as_bytes(), &["-q", "-f", format]);
        }
    }
}

#[test]
fn more_lines_than_memory() {
    let block = b"fn=(1) f\n+1 1\ncfn=(2) g\ncalls=1 0\n* 3\n-1 2\n\n".repeat(20);
    let comment = [b"#", &[b' '; 60_000][..], b"\n"].concat();
    let piece = [&block[..], &comment].concat();
    let compressed = gzip_bomb(HEADER, &piece, 100);
    convert(LITTLE, &compressed, &[]);
    let plain = [HEADER, &piece.repeat(1000)].concat();
    assert!(plain.len() > LITTLE as usize * 1024);
    convert(LITTLE, &plain, &[]);
}

/// Ranges of a file that hold more than one run are read in vain: none of them is kept.
#[test]
fn many_runs_in_one_file() {
    let blocks = (0..40_000).map(|id| format!("\nfl=(1)\nfn=({id}) f{id}\n1 1\n"));
    let header = "creator: xdebug 3.4.0\nevents: Time\n\nfl=(1) a.php\nfn=(1) f\n1 1\n";
    let run = [header, &blocks.collect::<String>()].concat();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let limit = u32::try_from(30_000 + 7_000 * threads).unwrap();
    convert(limit, run.repeat(15).as_bytes(), &[]);
}

/// Calls within calls, and calls after calls, as many as a program can make.
#[test]
fn deep_recursion_and_long_loops() {
    let header = "creator: xdebug 3.4.0\nevents: Time\nfl=(1) a.php\n";
    let mut recursion = format!("{header}fn=(1) f\n1 10\n");
    for depth in 1..10_000 {
        recursion +=
            &format!("\nfl=(1)\nfn=(1)\n1 10\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n1 {depth}0\n");
    }
    // Each invocation by itself, with all that a trace can be asked for.
    let options = ["-fv4", "--inclusive=outermost", "--proxy-function=f"];
    convert(LITTLE, recursion.as_bytes(), &options);
    convert(LITTLE, recursion.as_bytes(), &options[..2]);
    let mut long_loop = format!("{header}fn=(1) f\n1 10\n");
    long_loop += &"\nfl=(1)\nfn=(1)\n1 10\n".repeat(50_000);
    long_loop += "\nfl=(1)\nfn=(2) {main}\n1 5\n";
    long_loop += &"cfl=(1)\ncfn=(1)\ncalls=1 0 0\n2 10\n".repeat(50_000);
    for trace in [recursion, long_loop] {
        for format in [
            &["-fcollapsed"][..],
            &["-ftree", "--top=0"],
            &["--inclusive=outermost"],
        ] {
            convert(LITTLE, trace.as_bytes(), format);
        }
    }
}

/// Many invocations in few stacks, and never many that nobody has called yet.
#[test]
fn long_loops_of_short_loops() {
    let block = |function: &str, callee: Option<(&str, usize)>| {
        let call = callee
            .map(|(name, calls)| format!("cfl=(1)\ncfn={name}\ncalls=1 0 0\n2 9\n").repeat(calls));
        format!("fl=(1)\nfn={function}\n1 1\n{}\n", call.unwrap_or_default())
    };
    let inner = block("(1)", None).repeat(100) + &block("(2)", Some(("(1)", 100)));
    let header = "creator: xdebug 3.4.0\nevents: Time\nfl=(1) a.php\nfn=(1) leaf\nfn=(2) work\n";
    let text = format!(
        "{header}{}{}",
        inner.repeat(2000),
        block("{main}", Some(("(2)", 2000)))
    );
    let limit = 24_000;
    convert(limit, text.as_bytes(), &["-fcollapsed"]);
    // There is no room for each of them.
    let output = run(limit, text.as_bytes(), &["-fv4"]);
    assert_eq!(output.status.code(), Some(1));
}

/// Names and headers that take no place on a disk, and a table of addresses that is really there, but
/// holds nothing.
#[test]
fn holes() {
    const GIB: u64 = 1 << 30;
    let headers = [&numbers(&[7, 45, 1, 16, 0, 5, 5, 1, 0, 0])[..], b"a.c\n\n"].concat();
    let file_name = numbers(&[6, (1 << 30) - 11, 1, 16, 0, 0, 0, 0]);
    let table = numbers(&[7, 1 << 30, (1 << 28) - 3]);
    for (start, size, message) in [
        (
            &headers[..45],
            4 * GIB - 1,
            "at byte 45: the header line has a hole",
        ),
        (
            &headers[..45],
            4 * GIB,
            "too large for a webgrind file: expected at most 4294967295 bytes (found 4294967296)",
        ),
        (&file_name, GIB, "at byte 36: the file name has a hole"),
        (&table, GIB, "address of function 0 out of place"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in");
        fs::write(&path, start).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        let end = b"events: Ir\n";
        file.write_all_at(end, size - end.len() as u64).unwrap();
        let output = run_in(folder.path(), LIMIT, &["-f", "v7"]);
        assert_refused(&output, message);
    }
}

/// Headers by the hundred thousand out of a few kilobytes: memory follows their text.
#[test]
fn more_headers_than_anybody_writes() {
    let compressed = gzip_bomb(b"", &b"a: b\n".repeat(MIB / 5), 3);
    let input = [compressed, gzip(HEADER)].concat();
    for format in ["v7", "text"] {
        convert(LITTLE, &input, &["-f", format]);
    }
}

#[test]
fn functions_that_are_not_there() {
    for version in 4..=7 {
        let file = numbers(&[version, 100, 4_000_000_000, 100]);
        refuse(LITTLE, &file, &[], "function count");
        // One function that claims as many records.
        let mut file = numbers(&[version, 0, 1, 16]);
        file.extend(numbers(&[u32::MAX; 6]));
        let end = file.len() as u32;
        file[4..8].copy_from_slice(&end.to_le_bytes());
        refuse(LITTLE, &file, &[], "error: ");
    }
}

#[test]
fn the_longest_line_and_one_byte_more() {
    let line = |length: usize| {
        let value = vec![b'a'; length - "desc: ".len()];
        [HEADER, b"desc: ", &value, b"\nfn=f\n17 1\n"].concat()
    };
    let output = run(LIMIT, &line(MAX_LINE_LENGTH), &[]);
    assert_eq!(
        (output.status.code(), &output.stderr[..]),
        (Some(0), &b""[..])
    );
    let message = "in:7: line over 1 MiB: this is not a callgrind profile";
    for options in [&[][..], &["--lenient"]] {
        refuse(LIMIT, &line(MAX_LINE_LENGTH + 1), options, message);
    }
}

/// Lines of a MiB, each full of something that takes more memory than its text.
#[test]
fn long_lines_of_many_pieces() {
    let full = |start: &str, piece: &str| {
        let pieces = piece.repeat((MIB - start.len()) / piece.len());
        [HEADER, start.as_bytes(), pieces.as_bytes(), b"\n"].concat()
    };
    convert(LITTLE, &full("summary:", " 0x1"), &[]);
    convert(LITTLE, &full("desc: ", "a: b "), &[]);
    convert(LITTLE, &full("cfn=f\ncalls=1", " +1"), &[]);
    refuse(LITTLE, &full("positions:", " line"), &[], "positions");
    refuse(LITTLE, &full("18 1", " 1"), &[], "more costs");
    for options in [&[][..], &["--lenient"]] {
        let message = "in:7: more than 1024 events: this is not a callgrind profile";
        refuse(LITTLE, &full("events: Ir", " a"), options, message);
        let message = "in:7: formula of more than 64 terms: this is not a callgrind profile";
        refuse(LITTLE, &full("event: e = a", "+a"), options, message);
    }
}

/// Lines, parts and runs that repeat others: a few kilobytes of compressed text have any number of
/// them.
#[test]
fn what_repeats() {
    for piece in [
        "part: 1\nevents: Ir\nsummary: 1\nfn=main\n1 1\n",
        "==== NEW PROFILING FILE\ncreator: xdebug 3\nevents: T\nfn={main}\n1 1\n",
        "event: e = Ir + Ir\nsummary: 1\n",
        "pid: 1\ncmd: a\npart: 1\ndesc: Trigger: x\nthread: 1\nfn=main\n1 1\n",
    ] {
        let pieces = piece.repeat(MIB / piece.len());
        let repeated = [gzip(HEADER), gzip(pieces.as_bytes()).repeat(4)].concat();
        convert(28_000, &repeated, &["-q", "-f", "json"]);
    }
}

/// Names that say who called a function, as Valgrind writes them: many callers, and many such names.
#[test]
fn names_of_many_callers() {
    let head = "creator: callgrind-3.19.0\nevents: Ir\nfl=x.c\nfn=a\n1 1\nfn=b\n1 1\n";
    let one = format!("{head}fn=a{}\n1 2\n", "'b'a".repeat(16_000));
    let mut many = head.to_owned();
    for number in 0..4_000 {
        let last: String = (0..12)
            .map(|bit| if number >> bit & 1 == 0 { "'a" } else { "'b" })
            .collect();
        many += &format!("fn=a{}{last}\n1 2\n", "'b".repeat(1_000));
    }
    for format in ["collapsed", "tree", "pprof"] {
        convert(LITTLE, &gzip(one.as_bytes()), &["-f", format]);
    }
    convert(2 * LIMIT, &gzip(many.as_bytes()), &["-f", "collapsed"]);
    // Each name is put together of the one before, twice.
    let twice = (1..60).map(|id| format!("fn=({}) ({id})'({id})\n1 1\n", id + 1));
    let twice = format!("{head}fn=(1) a\n{}", twice.collect::<String>());
    convert(2 * LIMIT, twice.as_bytes(), &["-q"]);
}

#[test]
fn ids_near_and_far() {
    let ids = (0..64u64).flat_map(|shift| {
        let far = u64::MAX >> shift;
        [far, far - 1, far / 3]
    });
    let lines: String = ids.map(|id| format!("fn=({id}) f{id}\n1 1\n")).collect();
    convert(LITTLE, &[HEADER, lines.as_bytes()].concat(), &[]);
    // Each at the end of what is near at twice the highest id before it.
    let doubling = bytes("fuzz-findings/doubling-ids.cg");
    convert(LITTLE, &doubling, &[]);
}

/// Formulas in a chain, each the double of the one before.
#[test]
fn chains_of_formulas() {
    let chain: String = (0..64)
        .map(|step| format!("event: e{} = e{step} + e{step}\n", step + 1))
        .collect();
    let input = ["events: e0\n", &chain, "fn=f\n1 1\n"].concat();
    convert(LITTLE, input.as_bytes(), &["--event", "e64"]);
    let sum = " + Ir".repeat(63);
    let wide = format!("events: Ir\nevent: Sum = Ir{sum}\nfn=f\n1 1\n");
    convert(LITTLE, wide.as_bytes(), &["--event", "Sum"]);
    let names: String = (0..1024).map(|event| format!(" e{event}")).collect();
    let columns = format!("events:{names}\nfn=f\n1 1\n");
    convert(LITTLE, columns.as_bytes(), &["--event", "e1023"]);
}

/// Each of these by the ten thousand, in processor time that suffices for one pass.
#[test]
fn what_repeats_costs_linear_time() {
    const TIMES: usize = 6_000;
    let chain: String = (0..64)
        .map(|step| format!("event: e{} = e{step} + Dr\n", step + 1))
        .collect();
    let start = format!("events: e0 Dr\n{chain}fn=f\n1 1\n");
    let run_of_trace = "==== NEW PROFILING FILE ====\ncreator: xdebug 3\nevents: e0 Dr\n\nfl=a\n\
                        fn={main}\n1 1\n\nsummary: 1 0\n\n";
    for piece in [
        "cmd: x\n",
        "event: e7 = e6 + Dr\n1 1\n",
        "events: Dr e0\n1 1\nevents: e0 Dr\n1 1\n",
        "part: 1\nevents: e0 Dr\nsummary: 1 0\nfn=f\n1 1\n",
        "positions: instr line\n1 1 1\npositions: line\n1 1\n",
        run_of_trace,
    ] {
        let input = start.clone() + &piece.repeat(TIMES);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in"), input).unwrap();
        let output = run_within(folder.path(), "ulimit -t 1", &["-q", "-e", "e64"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}
