//! What the program reads: text, compressed, preprocessed, from files and pipes, one or several.

use std::fs;

use tempfile::TempDir;

use crate::common::fixtures::assert_holds;
use crate::runner::{bytes, fixture, incomplete, messages, program, run, written};

/// Converts what comes in through a pipe.
fn piped(input: &[u8]) -> Vec<u8> {
    written(run(["-"; 0], input))
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
        let path = fixture("compressed").join(name);
        let output = program().arg(path).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let message = messages(&output);
        let told = [name, compression, "without the feature \"compression\""];
        assert!(told.iter().all(|part| message.contains(part)), "{message}");
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
            let output = program().arg(fixture(name)).output().unwrap();
            assert_eq!(written(output), expected);
            assert_eq!(piped(&bytes(name)), expected);
        }
        // A preprocessed file in the same way.
        let preprocessed = fixture("xdebug3/small.v7.pre");
        let written_again = written(program().arg(preprocessed).output().unwrap());
        assert!(piped(&gzip(&expected)) == written_again);
        assert!(piped(&zstd(&expected)) == written_again);
    }

    /// Tapes pad what they hold, and archives are appended to one another.
    #[test]
    fn members_frames_and_padding_make_no_difference() {
        for name in ["xdebug3/small", "xdebug3/composer", "valgrind/instr"] {
            let text = bytes(&format!("{name}.cg"));
            let expected = piped(&text);
            let check = |parts: usize, zeros: usize| {
                let padded = |part: &[u8]| [gzip(part), vec![0; zeros]].concat();
                let members = in_parts(&text, parts, padded);
                assert!(
                    piped(&members) == expected,
                    "{name}, {parts} members, {zeros} zeros"
                );
            };
            for parts in [1, 2, 7] {
                check(parts, 0);
                let frames = [SKIPPED, &in_parts(&text, parts, zstd), SKIPPED].concat();
                assert!(piped(&frames) == expected, "{name}, {parts} frames");
            }
            for zeros in [1, 512, 200_000] {
                check(3, zeros);
            }
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
        // Whatever is wrong with the text.
        let mut compressed = gzip(format!("what\n{}", "#\n".repeat(1 << 20)).as_bytes());
        let at = compressed.len() - 5;
        compressed[at] ^= 1;
        let message = failed(&run(["-"], &compressed));
        assert!(message.contains("corrupt "), "{message}");
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
    fn a_window_that_is_too_large_is_an_error() {
        assert_eq!(run(["-"], &frame_with_window(27)).status.code(), Some(0));
        for exponent in [28, 31, 41] {
            let message = failed(&run(["-"], &frame_with_window(exponent)));
            let is_at_window = message.contains("corrupt zstd data at byte 6: ");
            assert!(is_at_window, "{message}");
        }
    }
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
    pipes.iter().for_each(|pipe| crate::common::make_pipe(pipe));
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
