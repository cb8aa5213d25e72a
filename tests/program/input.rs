//! What the program reads: text, compressed, preprocessed, from files and pipes, one or several.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::fixtures::assert_holds;
use crate::runner::{bytes, fixture, incomplete, messages, program, run, written};

/// Converts what comes in through a pipe.
fn piped(input: &[u8]) -> Vec<u8> {
    written(run(["-"; 0], input))
}

/// Converts files.
fn converted(paths: &[PathBuf]) -> Vec<u8> {
    written(program().args(paths).output().unwrap())
}

/// So many inputs that several are read into one profile, with some among them that hold nothing.
#[test]
fn many_inputs_give_what_groups_of_them_give() {
    const INPUTS: usize = 240;
    let folder = TempDir::new().unwrap();
    let names = [
        "xdebug3/small.cg",
        "valgrind/plain.cg",
        "bad-input/header-only.cg",
        "xdebug3/chain.v7.pre",
        "xdebug2/small.cg",
        "bad-input/cut-block.cg",
        "xdebug3/chain.cg",
    ];
    let paths: Vec<_> = (0..INPUTS)
        .map(|number| folder.path().join(format!("{number}.cg")))
        .collect();
    for (path, name) in paths.iter().zip(names.iter().cycle()) {
        fs::copy(fixture(name), path).unwrap();
    }
    // The sums, and the warnings about single inputs.
    let sum = |paths: &[PathBuf]| {
        let output = program().args(paths).args(["-f", "callgrind"]).output();
        let output = output.unwrap();
        let messages = messages(&output);
        let messages = messages.split_inclusive('\n');
        let of_one = messages.filter(|message| !message.contains("not every input has"));
        assert!(output.status.success(), "{output:?}");
        (of_one.collect::<String>(), output.stdout)
    };
    let (messages, all) = sum(&paths);
    let mut of_groups = String::new();
    let mut groups = Vec::new();
    for group in paths.chunks(7) {
        let (messages, merged) = sum(group);
        of_groups += &messages;
        groups.push(folder.path().join(format!("group-{}", groups.len())));
        fs::write(groups.last().unwrap(), merged).unwrap();
    }
    // Ten of each of the two kinds, which take turns; the others are counted.
    let listed = messages.split_inclusive('\n');
    let listed = listed.filter(|message| !message.contains("more warnings"));
    let listed: String = listed.collect();
    assert_eq!(listed.lines().count(), 20, "{messages}");
    assert!(of_groups.starts_with(&listed), "{messages}");
    assert!(sum(&groups).1 == all);
}

/// Neither Xdebug nor webgrind names objects: what webgrind keeps of a trace has the same functions.
#[test]
fn a_preprocessed_trace_is_added_to_traces() {
    let inputs = ["xdebug3/features.cg", "xdebug3/features.v7.pre"].map(fixture);
    let reversed = [inputs[1].clone(), inputs[0].clone()];
    let functions = |inputs: &[PathBuf]| {
        let options = ["-f", "json", "-e", "Time_(10ns)"];
        let output = program().args(options).args(inputs).output().unwrap();
        let document: Value = serde_json::from_slice(&written(output)).unwrap();
        let functions = document["functions"].as_array().unwrap().iter();
        let figures = functions.map(|function| {
            let name = [&function["file"], &function["name"]].map(Value::to_string);
            let [own, inclusive] = ["self", "inclusive"].map(|key| function[key][0].as_i64());
            (name, [own, inclusive, function["invocations"].as_i64()])
        });
        figures.collect::<Vec<_>>()
    };
    let twice = functions(&inputs[..1]).into_iter().map(|(name, figures)| {
        let figures = figures.map(|figure| figure.map(|figure| 2 * figure));
        (name, figures)
    });
    let twice: Vec<_> = twice.collect();
    assert_eq!(functions(&inputs), twice);
    assert_eq!(functions(&reversed), twice);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_named_with_its_cause() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("secret.cg");
    fs::write(&path, bytes("xdebug3/small.cg")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        // root may read everything.
        return;
    }
    let output = program().arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("secret.cg: cannot be opened: Permission denied"));
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    for name in ["xdebug3/composer.cg", "xdebug3/composer.v7.pre"] {
        std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&path, bytes(name)));
            assert!(
                converted(std::slice::from_ref(&path)) == bytes("xdebug3/composer.v7.pre"),
                "{name}"
            );
        });
    }
}

/// `BLESS=1` rewrites the messages.
#[test]
fn what_is_mistaken_for_a_profile_is_recognised() {
    let folder = fixture("foreign");
    let names = fs::read_dir(&folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| !name.ends_with(".message") && name != "README.md");
    let mut seen = 0;
    for name in names {
        let is_compressed = [".gz", ".tgz", ".zst"]
            .iter()
            .any(|end| name.ends_with(end));
        if is_compressed && !cfg!(feature = "compression") {
            continue;
        }
        let mut command = program();
        let output = command.current_dir(&folder).arg(&name).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty(), "{name}");
        let message = messages(&output);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_holds(&folder.join(format!("{name}.message")), &message);
        // The same through a pipe.
        let piped = messages(&run(["-"; 0], &fs::read(folder.join(&name)).unwrap()));
        assert_eq!(piped, message.replacen(&name, "standard input", 1));
        seen += 1;
    }
    assert!(seen >= 14);
}

#[cfg(not(feature = "compression"))]
#[test]
fn compressed_inputs_are_refused_with_the_reason() {
    for (name, compression) in [("small.cg.gz", "gzip"), ("small.cg.zst", "zstd")] {
        let output = program()
            .arg(fixture("compressed").join(name))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let message = messages(&output);
        assert!(
            message.contains(name) && message.contains(compression),
            "{message}"
        );
        assert!(
            message.contains("without the feature \"compression\""),
            "{message}"
        );
    }
}

#[cfg(feature = "compression")]
mod compressed {
    use std::process::Output;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;
    use crate::common::gzip;

    /// A frame of zstd without content.
    const SKIPPED: &[u8] = b"\x5a\x2a\x4d\x18\x05\x00\x00\x00hello";

    fn zstd(data: &[u8]) -> Vec<u8> {
        compress_to_vec(data, CompressionLevel::Fastest)
    }

    /// Compresses halves, thirds and so on, each on its own.
    fn in_parts(data: &[u8], parts: usize, compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let parts = data.chunks(data.len().div_ceil(parts));
        parts.flat_map(compress).collect()
    }

    fn failed(output: &Output) -> String {
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        messages(output)
    }

    #[test]
    fn files_of_other_compressors_are_read() {
        let expected = bytes("xdebug3/small.v7.pre");
        for name in ["compressed/small.cg.gz", "compressed/small.cg.zst"] {
            assert_eq!(converted(&[fixture(name)]), expected);
            assert_eq!(piped(&bytes(name)), expected);
        }
    }

    #[test]
    fn members_frames_and_padding_make_no_difference() {
        for name in ["xdebug3/small", "xdebug3/composer", "valgrind/instr"] {
            let text = bytes(&format!("{name}.cg"));
            let expected = piped(&text);
            for parts in [1, 2, 7] {
                let mut members = in_parts(&text, parts, gzip);
                assert!(piped(&members) == expected, "{name}, {parts} members");
                members.extend([0; 3000]);
                assert!(
                    piped(&members) == expected,
                    "{name}, {parts} members, padded"
                );
                let frames = in_parts(&text, parts, zstd);
                assert!(piped(&frames) == expected, "{name}, {parts} frames");
                let skipping = [SKIPPED, &frames, SKIPPED].concat();
                assert!(
                    piped(&skipping) == expected,
                    "{name}, {parts} frames and skipped ones"
                );
            }
        }
    }

    /// Tapes pad what they hold, and archives are appended to one another.
    #[test]
    fn what_follows_padding_is_read() {
        let text = bytes("xdebug3/composer.cg");
        let expected = piped(&text);
        let (one, other) = text.split_at(text.len() / 3);
        for zeros in [1, 512, 200_000] {
            let padded = [gzip(one), vec![0; zeros], gzip(other), vec![0; zeros]];
            assert!(piped(&padded.concat()) == expected, "{zeros} zeros");
        }
    }

    #[test]
    fn an_input_cut_off_before_its_data_is_left_out_of_a_merge() {
        let folder = TempDir::new().unwrap();
        let cut = folder.path().join("cut");
        let good = fixture("xdebug3/small.cg");
        for compressed in [
            gzip(&bytes("xdebug3/composer.cg")),
            zstd(&bytes("xdebug3/small.cg")),
        ] {
            fs::write(&cut, &compressed[..12]).unwrap();
            for inputs in [[&cut, &good], [&good, &cut]] {
                let output = program().args(inputs).output().unwrap();
                assert!(output.status.success(), "{output:?}");
                assert!(output.stdout == incomplete(bytes("xdebug3/small.v7.pre")));
                let message = messages(&output);
                assert!(message.contains(&cut.display().to_string()), "{message}");
                assert!(message.starts_with("warning: "), "{message}");
            }
        }
    }

    #[test]
    fn compressed_inputs_merge_like_plain_ones() {
        let folder = TempDir::new().unwrap();
        let compressed = folder.path().join("compressed");
        fs::write(&compressed, gzip(&bytes("xdebug3/small.cg"))).unwrap();
        let other = fixture("xdebug3/features.cg");
        let expected = converted(&[fixture("xdebug3/small.cg"), other.clone()]);
        assert!(converted(&[compressed, other]) == expected);
    }

    #[test]
    fn preprocessed_files_may_be_compressed() {
        let file = bytes("xdebug3/composer.v7.pre");
        assert!(piped(&gzip(&file)) == file);
        assert!(piped(&zstd(&file)) == file);
    }

    #[test]
    fn data_compressed_twice_are_an_error_that_says_so() {
        let (text, xz) = (bytes("xdebug3/small.cg"), bytes("compressed/small.cg.xz"));
        for (twice, what) in [
            (gzip(&gzip(&text)), "gzip data within gzip data"),
            (gzip(&zstd(&text)), "zstd data within gzip data"),
            (zstd(&xz), "xz data within zstd data"),
        ] {
            let message = failed(&run(["-"; 0], &twice));
            let expected = format!(
                "error: standard input: cannot be read: it is {what}: decompress it once\n"
            );
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn garbage_after_compressed_data_is_an_error_at_its_byte() {
        let text = bytes("xdebug3/small.cg");
        for (compressed, compression) in [(gzip(&text), "gzip"), (zstd(&text), "zstd")] {
            for garbage in [&b"garbage"[..], b"\n"] {
                let message = failed(&run(["-"], &[&compressed, garbage].concat()));
                let at = compressed.len();
                let expected = format!("corrupt {compression} data at byte {at}: ");
                assert!(message.contains(&expected), "{message}");
                assert!(message.starts_with("error: standard input:"), "{message}");
            }
        }
    }

    #[test]
    fn corrupt_data_are_an_error_that_names_file_and_byte() {
        let text = bytes("xdebug3/composer.cg");
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("corrupt");
        for (good, compression) in [(gzip(&text), "gzip"), (in_parts(&text, 3, zstd), "zstd")] {
            let middle = good.len() / 2;
            let mut compressed = good.clone();
            compressed[middle..middle + 40].fill(0xff);
            fs::write(&path, &compressed).unwrap();
            // Even if garbage that is no callgrind line has been decompressed before the error shows.
            for lenient in [&[][..], &["--lenient"]] {
                let message = failed(&program().args(lenient).arg(&path).output().unwrap());
                let start = format!("error: {}:", path.display());
                let errors = message.lines().filter(|line| line.starts_with(&start));
                assert_eq!(errors.count(), 1, "{message}");
                let (_, at) = message
                    .split_once(&format!("corrupt {compression} data at byte "))
                    .unwrap();
                let at: usize = at.split_once(':').unwrap().0.parse().unwrap();
                assert!((middle..good.len()).contains(&at), "{message}");
            }
        }
    }

    #[test]
    fn a_wrong_checksum_is_an_error() {
        for name in ["compressed/small.cg.gz", "compressed/small.cg.zst"] {
            let mut compressed = bytes(name);
            // The last four bytes are the length in gzip, the checksum in zstd.
            let at = compressed.len() - 5;
            let at = if name.ends_with("gz") { at } else { at + 1 };
            compressed[at] ^= 1;
            let message = failed(&run(["-"], &compressed));
            assert!(message.contains("corrupt "), "{message}");
        }
    }

    #[test]
    fn a_stream_that_stops_early_is_converted_as_far_as_it_goes() {
        let text = bytes("xdebug3/composer.cg");
        for (compressed, compression) in [(gzip(&text), "gzip"), (in_parts(&text, 4, zstd), "zstd")]
        {
            for share in 4..8 {
                let length = compressed.len() * share / 8;
                let output = run(["-f", "json"], &compressed[..length]);
                assert!(output.status.success());
                assert!(!output.stdout.is_empty());
                let message = messages(&output);
                let cut = format!("the {compression} data are cut off after {length} bytes");
                assert!(message.contains(&cut), "{message}");
                let mut lines = message.lines();
                assert!(lines.all(|line| line.starts_with("warning: ")), "{message}");
            }
            let output = run(["-"], &compressed[..5]);
            assert!(failed(&output).contains("no profile data"));
        }
    }

    /// A frame that asks for a window of this many bytes and has one small block.
    fn frame_with_window(exponent: u8) -> Vec<u8> {
        let text = b"events: Ir\nfn=f\n1 2\n";
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0, (exponent - 10) << 3];
        let block = u32::try_from(text.len() << 3 | 1).unwrap().to_le_bytes();
        [&header[..], &block[..3], text].concat()
    }

    #[test]
    fn without_a_thread_nothing_is_decompressed() {
        let start = |name: &str| {
            let mut command = program();
            // More than any system has.
            command.env("RUST_MIN_STACK", (1_u64 << 56).to_string());
            command.args(["-f", "json"]).arg(fixture(name));
            command.output().unwrap()
        };
        written(start("xdebug3/small.cg"));
        let message = failed(&start("compressed/small.cg.gz"));
        assert!(message.contains("no thread can be started"), "{message}");
    }

    #[test]
    fn a_window_that_is_too_large_is_an_error() {
        assert_eq!(run(["-"], &frame_with_window(27)).status.code(), Some(0));
        for exponent in [28, 31, 41] {
            let message = failed(&run(["-"], &frame_with_window(exponent)));
            assert!(
                message.contains("corrupt zstd data at byte 6: "),
                "{message}"
            );
        }
    }
}

#[test]
fn many_inputs_are_taken_in_their_order_whichever_is_read_first() {
    let folder = TempDir::new().unwrap();
    let mut paths = Vec::new();
    for number in 0..40 {
        // The first ones take longest.
        let lines = "16 1\n".repeat(20_000 / (number + 1));
        let text = format!("cmd: {number}\nevents: Ir\nfl=a.c\nfn=f{number}\n{lines}");
        let path = folder.path().join(format!("{number}.cg"));
        fs::write(&path, text).unwrap();
        paths.push(path);
    }
    let output = program()
        .args(["-f", "json"])
        .args(&paths)
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&written(output)).unwrap();
    let functions = document["functions"].as_array().unwrap();
    let names: Vec<_> = functions
        .iter()
        .map(|f| f["name"].as_str().unwrap())
        .collect();
    let expected: Vec<_> = (0..40).map(|number| format!("f{number}")).collect();
    assert_eq!(names, expected);

    // Of several that cannot be read the first is named, however long it takes to find out.
    fs::write(
        &paths[3],
        "events: Ir\nfn=f\n".to_owned() + &"16 1\n".repeat(50_000) + "what\n",
    )
    .unwrap();
    fs::write(&paths[30], "what\n").unwrap();
    let output = program()
        .args(["-f", "json"])
        .args(&paths)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        messages(&output).contains("3.cg:50003"),
        "{}",
        messages(&output)
    );
}

/// The second input can be read although nothing comes from the first one yet.
#[cfg(unix)]
#[test]
fn several_inputs_are_read_at_once() {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    if thread::available_parallelism().map_or(1, usize::from) == 1 {
        return;
    }
    let folder = TempDir::new().unwrap();
    let pipes = ["first", "second"].map(|name| folder.path().join(name));
    let made = std::process::Command::new("mkfifo").args(&pipes).status();
    assert!(made.unwrap().success());
    let mut command = program();
    command.args(["-f", "callgrind", "-o"]);
    command.arg(folder.path().join("out")).args(&pipes);
    let mut child = command.spawn().unwrap();
    let (sender, is_written) = channel();
    let [first, second] = pipes;
    thread::spawn(move || {
        let profile = bytes("valgrind/plain.cg");
        // This waits until the program opens the pipe.
        fs::write(second, &profile).unwrap();
        sender.send(()).unwrap();
        fs::write(first, &profile).unwrap();
    });
    if is_written.recv_timeout(Duration::from_secs(60)).is_err() {
        child.kill().unwrap();
    }
    assert!(child.wait().unwrap().success());
}
