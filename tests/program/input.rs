//! What the program reads: text, compressed, preprocessed, from files and pipes, one or several.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
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

fn with_crlf(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    lines.flat_map(|line| [line, b"\r\n"].concat()).collect()
}

#[test]
fn files_and_pipes_give_the_same() {
    for name in ["small", "features", "composer"] {
        let expected = bytes(&format!("xdebug3/{name}.v7.pre"));
        let path = fixture(&format!("xdebug3/{name}.cg"));
        let text = fs::read(&path).unwrap();
        assert_eq!(converted(&[path]), expected);
        assert_eq!(piped(&text), expected);
        assert_eq!(written(run(["-"], &text)), expected);
        assert_eq!(written(run(["-o", "-", "-"], &text)), expected);
    }
}

#[test]
fn line_ends_and_byte_order_marks_make_no_difference() {
    for name in ["xdebug3/small", "xdebug2/small", "xdebug3/composer"] {
        let expected = bytes(&format!("{name}.v7.pre"));
        let text = bytes(&format!("{name}.cg"));
        assert_eq!(piped(&with_crlf(&text)), expected, "{name}");
        let marked = ["\u{feff}".as_bytes(), &text].concat();
        assert_eq!(piped(&marked), expected, "{name}");
    }
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

#[test]
fn two_inputs_give_what_they_give_one_after_another_in_one() {
    let folder = TempDir::new().unwrap();
    let joined = folder.path().join("joined.cg");
    for names in [
        ["xdebug3/small.cg", "xdebug3/features.cg"],
        ["xdebug3/features.cg", "xdebug3/small.cg"],
        ["xdebug3/composer.cg", "xdebug3/composer.cg"],
        ["xdebug2/small.cg", "xdebug2/composer.cg"],
        ["xdebug2/composer.cg", "xdebug3/composer.cg"],
        ["xdebug3/chain.cg", "xdebug2/chain.cg"],
    ] {
        let paths = names.map(fixture);
        fs::write(&joined, names.map(bytes).concat()).unwrap();
        // Without lines: of several inputs the least counts, of several runs the first.
        for format in ["v4", "v5", "v6"] {
            for inclusive in ["summed", "outermost"] {
                let options = ["-q", "-f", format, "--inclusive", inclusive];
                let apart = program().args(options).args(&paths).output().unwrap();
                let joined = program().args(options).arg(&joined).output().unwrap();
                assert!(
                    written(apart) == written(joined),
                    "{names:?}, {format}, {inclusive}"
                );
            }
        }
    }
}

/// A JSON report without what two inputs may count otherwise than one text: the lines of functions,
/// of which the least counts or the first, and the invocations of aggregated functions that nobody
/// calls, one for each input.
fn figures(paths: &[PathBuf]) -> Value {
    let output = program().args(["-q", "-f", "json"]).args(paths).output();
    let mut document: Value = serde_json::from_slice(&written(output.unwrap())).unwrap();
    let is_trace = document["kind"] == "trace";
    for function in document["functions"].as_array_mut().unwrap() {
        function["line"].take();
        if !is_trace && function["called_from"] == json!([]) {
            function["invocations"].take();
        }
    }
    let headers = document["headers"].as_array_mut().unwrap();
    let is_note = |header: &Value, note| header[1].as_str().unwrap().starts_with(note);
    if !is_trace {
        // A text of sums is one run, unless it says more.
        headers.retain(|header| !is_note(header, "Runs: "));
        document["runs"].take();
    }
    // A profile that is named twice is warned of, and so is one that lacks an event of another.
    let headers = document["headers"].as_array_mut().unwrap();
    headers.retain(|header| !is_note(header, "Incomplete: "));
    document["warnings"].take();
    document["complete"].take();
    document
}

#[test]
fn two_inputs_give_the_figures_of_one_text() {
    let folder = TempDir::new().unwrap();
    let joined = folder.path().join("joined.cg");
    for names in [
        ["xdebug3/small.cg", "xdebug3/features.cg"],
        ["xdebug3/features.cg", "xdebug3/small.cg"],
        ["xdebug3/composer.cg", "xdebug3/composer.cg"],
        ["xdebug2/small.cg", "xdebug2/composer.cg"],
        ["valgrind/plain.cg", "valgrind/instr.cg"],
        ["valgrind/instr.cg", "valgrind/plain.cg"],
        ["valgrind/instr.cg", "valgrind/instr.cg"],
    ] {
        fs::write(&joined, names.map(bytes).concat()).unwrap();
        let apart = figures(&names.map(fixture));
        assert!(apart == figures(std::slice::from_ref(&joined)), "{names:?}");
        assert!(apart["functions"].as_array().unwrap().len() > 5);
    }
}

/// An input that names no event leaves it to the others which one counts.
#[test]
fn an_input_without_events_can_come_first() {
    let folder = TempDir::new().unwrap();
    let path = |name| folder.path().join(name);
    fs::write(path("none"), "events:\nfn=f\n16\n").unwrap();
    fs::write(path("one"), "events: Ir\nfn=g\n16 5\n").unwrap();
    for paths in [["none", "one"], ["one", "none"]].map(|names| names.map(path)) {
        let texts = paths.each_ref().map(|path| fs::read(path).unwrap());
        fs::write(path("joined"), texts.concat()).unwrap();
        let expected = figures(&[path("joined")]);
        assert_eq!(expected["functions"].as_array().unwrap().len(), 2);
        assert_eq!(figures(&paths), expected);
    }
    let found = figures(&["none", "none", "one"].map(path));
    assert_eq!(found["event"], "Ir");
    // The first that names one says which it is for all that follow.
    fs::write(path("empty"), "").unwrap();
    fs::write(path("both"), "events: Ir Dr\nfn=g\n16 5 100\n").unwrap();
    fs::write(path("turned"), "events: Dr Ir\nfn=h\n16 200 7\n").unwrap();
    let mut command = program();
    command.args(["-q", "-f", "collapsed"]);
    command.args(["empty", "empty", "both", "turned"].map(path));
    let stacks = written(command.output().unwrap());
    assert_eq!(String::from_utf8(stacks).unwrap(), "g 5\nh 7\n");
}

#[test]
fn an_event_that_some_inputs_lack_is_named_when_all_are_wanted() {
    let inputs = ["xdebug3/small.cg", "xdebug3/small.v7.pre"].map(fixture);
    for inputs in [inputs.clone(), [inputs[1].clone(), inputs[0].clone()]] {
        let output = program().args(["-f", "json"]).args(&inputs).output();
        let output = output.unwrap();
        let message =
            "not every input has Memory_(bytes): where it is missing, its cost counts as 0";
        assert!(messages(&output).contains(message), "{output:?}");
        assert!(output.status.success());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["complete"], false);
        // Who wants one event misses nothing, nor do inputs that have the same ones.
        let one = program().args(["-f", "v7"]).args(&inputs).output().unwrap();
        assert_eq!(messages(&one), "");
        let twice = [&inputs[0], &fixture("xdebug3/features.cg")];
        let has_memory = inputs[0].extension().is_some_and(|end| end == "cg");
        let output = program().args(["-f", "json"]).args(twice).output().unwrap();
        assert_eq!(messages(&output).is_empty(), has_memory);
    }
}

#[test]
fn traces_and_aggregates_can_be_merged() {
    let names = ["xdebug3/small.cg", "valgrind/plain.cg"];
    let output = program().args(names.map(fixture)).output().unwrap();
    assert!(output.status.success());
    let message = messages(&output);
    assert!(
        message.starts_with("warning: ") && message.contains("no event"),
        "{message}"
    );
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

#[test]
fn an_input_without_data_adds_nothing_to_others() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().join("empty.cg");
    fs::write(&empty, "").unwrap();
    let header = folder.path().join("header.cg");
    let text = "version: 1\ncreator: nobody\npositions: instr line\nevent: Sum = Ir + Dr\nevents: Ir Dr\nsummary: 7 8\n";
    fs::write(&header, text).unwrap();
    let preprocessed = folder.path().join("empty.pre");
    fs::write(&preprocessed, [7, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let profile = fixture("xdebug3/small.cg");
    let expected = written(program().args(["-f", "v7"]).arg(&profile).output().unwrap());
    for nothing in [&empty, &header, &preprocessed] {
        for inputs in [[nothing, &profile], [&profile, nothing]] {
            let output = program().args(["-f", "v7"]).args(inputs).output().unwrap();
            assert!(output.status.success());
            let expected = incomplete(expected.clone());
            assert!(output.stdout == expected, "{}", nothing.display());
            let warning = "no profile data, so it adds nothing";
            let expected = format!("warning: {}: {warning}\n", nothing.display());
            assert_eq!(messages(&output), expected);
        }
        let output = program().args([nothing, nothing]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let message = messages(&output);
        assert!(
            message.starts_with(&format!("error: {}:", nothing.display())),
            "{message}"
        );
    }
}

#[test]
fn preprocessed_files_are_read_from_files_and_pipes() {
    for (name, version) in [
        ("xdebug3/small.v7.pre", "v7"),
        ("xdebug2/small.v6.pre", "v6"),
        ("xdebug2/small.v5.pre", "v5"),
        ("xdebug2/chain.v4.pre", "v4"),
    ] {
        let expected = bytes(name);
        let from_file = program().args(["-f", version]).arg(fixture(name)).output();
        assert!(written(from_file.unwrap()) == expected, "{name}");
        assert!(
            written(run(["-f", version], &expected)) == expected,
            "{name}"
        );
    }
}

#[test]
fn other_versions_of_preprocessed_files_are_named() {
    for (version, what) in [(3, "too old"), (8, "too new")] {
        let output = run(["-"], &[version, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(output.status.code(), Some(1));
        let message = messages(&output);
        assert!(message.contains(&format!("version {version}")), "{message}");
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn what_cannot_be_opened_is_named_with_its_cause() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing.cg");
    let good = fixture("xdebug3/small.cg");
    for (path, cause) in [
        (missing.as_path(), "No such file"),
        (folder.path(), "is a directory"),
    ] {
        // The good one before it makes no difference, nor what else is wrong.
        let output = program().args([&good, path]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let message = messages(&output);
        let start = format!("error: {}: cannot be opened: ", path.display());
        assert!(message.starts_with(&start), "{message}");
        if cfg!(unix) {
            assert!(message.contains(cause), "{message}");
        }
        assert_eq!(message.lines().count(), 1);
    }
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

#[test]
fn other_compressions_are_errors_that_say_how_to_decompress() {
    for (ending, name, command) in [
        ("bz2", "bzip2", "bzip2 -dc"),
        ("lz4", "LZ4", "lz4 -dc"),
        ("xz", "xz", "xz -dc"),
        ("zip", "ZIP", "unzip -p"),
    ] {
        let path = fixture(&format!("compressed/small.cg.{ending}"));
        let output = program().arg(&path).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            messages(&output),
            format!(
                "error: {}: cannot be read: it is {name} data, which have to be decompressed first, \
                 as with \"{command}\"\n",
                path.display()
            )
        );
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

#[test]
fn an_input_that_is_named_twice_is_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.cg");
    fs::copy(fixture("xdebug3/small.cg"), &path).unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    let again = folder.path().join("b").join("..").join("a.cg");
    let output = program().args([&path, &again, &again]).output().unwrap();
    assert!(output.status.success());
    let warning = format!(
        "warning: {}: is named more than once, and its costs are counted as often\n",
        again.display()
    );
    assert_eq!(messages(&output), warning.repeat(2));
}

/// A link makes another path, and so does another name of the same file.
#[cfg(unix)]
/// Of each kind, each input that is named, and those that a warning counts already.
#[test]
fn warnings_that_repeat_are_counted_after_the_tenth() {
    let folder = TempDir::new().unwrap();
    let paths: Vec<_> = (0..64)
        .map(|number| folder.path().join(format!("{number:02}")))
        .collect();
    let convert = |text: &str, options: &[&str]| {
        for path in &paths {
            fs::write(path, text).unwrap();
        }
        let mut command = program();
        let output = command.args(options).args(&paths).output().unwrap();
        let all = messages(&output);
        (output, all.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let cut = "events: Ir\nfn=a\n1 7\n2 5";
    let (output, lines) = convert(cut, &["-f", "json", "--strict"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(lines.len(), 12, "{lines:#?}");
    for (path, line) in paths.iter().zip(&lines[..10]) {
        let expected = format!("warning: {}:4: the last line has no end", path.display());
        assert!(line.starts_with(&expected), "{line}");
    }
    assert_eq!(lines[10], "warning: 54 more warnings like the one before");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["complete"], &json["total"][0]),
        (&false.into(), &(64 * 12).into())
    );
    assert_eq!(json["warnings"].as_array().unwrap().len(), 11);

    let ids: String = (1..=12).map(|id| format!("fn=({id})\n1 1\n")).collect();
    let both = format!("events: Ir\n{ids}2 5");
    let (_, lines) = convert(&both, &[]);
    let counts = lines.iter().enumerate();
    let counts = counts.filter(|(_, line)| line.contains("more"));
    let expected = [
        (10, "warning: 758 more warnings like the one before"),
        (21, "warning: 54 more warnings like the one before"),
    ];
    let counts: Vec<_> = counts.map(|(at, line)| (at, line.as_str())).collect();
    assert_eq!((lines.len(), counts), (22, expected.to_vec()), "{lines:#?}");
}

#[test]
fn an_input_is_known_by_every_name() {
    let folder = TempDir::new().unwrap();
    let names = ["a.cg", "linked.cg", "another.cg"].map(|name| folder.path().join(name));
    fs::copy(fixture("xdebug3/small.cg"), &names[0]).unwrap();
    std::os::unix::fs::symlink("a.cg", &names[1]).unwrap();
    fs::hard_link(&names[0], &names[2]).unwrap();
    let output = program().args(&names).output().unwrap();
    assert!(output.status.success());
    assert_eq!(messages(&output).matches("more than once").count(), 2);
    for name in &names[1..] {
        let mut command = program();
        let output = command.arg(&names[0]).arg("-o").arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(messages(&output).contains("is the same file as the input"));
    }
}

#[cfg(unix)]
#[test]
fn there_may_be_more_inputs_than_open_files() {
    let folder = TempDir::new().unwrap();
    let names: Vec<_> = (0..300).map(|number| format!("{number}.cg")).collect();
    for name in &names {
        fs::copy(fixture("xdebug3/small.cg"), folder.path().join(name)).unwrap();
    }
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_cg-preprocess"))
        .args(["-f", "text"])
        .args(&names)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", messages(&output));
}

#[test]
fn bytes_of_a_preprocessed_file_are_counted_once() {
    let path = fixture("xdebug3/composer.v7.pre");
    let output = program()
        .args(["-v", "-o", "/dev/null"])
        .arg(&path)
        .output()
        .unwrap();
    let size = fs::metadata(&path).unwrap().len();
    let message = messages(&output);
    assert!(
        message.contains(&format!(" {size} bytes in, ")),
        "{message}"
    );
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

#[test]
fn standard_input_is_named_once() {
    let output = run(["-f", "json", "-", "-"], b"events: Ir\nfn=f\n1 1\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        messages(&output),
        "error: standard input can be read only once\n"
    );
}

#[test]
fn that_cachegrind_records_no_calls_is_said_once() {
    let cachegrind = fixture("valgrind/cachegrind.out");
    let output = program()
        .args(["-f", "text"])
        .args([&cachegrind, &fixture("xdebug3/small.cg")])
        .output()
        .unwrap();
    assert!(!messages(&output).contains("no calls"), "others have calls");
    let output = program().args(["-f", "text"]).arg(&cachegrind).output();
    assert_eq!(
        messages(&output.unwrap()),
        "warning: the profile holds no calls, because Cachegrind records none, and inclusive costs are the same as self costs; use valgrind --tool=callgrind to record calls\n"
    );
    // Callgrind may record a program that calls nothing.
    let text = b"creator: callgrind-3.25.1\ncmd: a\nevents: Ir\nsummary: 5\nfn=a\n1 5\ntotals: 5\n";
    written(run(["-f", "text"], text));
}
