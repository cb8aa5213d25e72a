//! What the program leaves on disk: whole files or nothing, whatever happens.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::runner::{bytes, fixture, messages, program, run, written};

/// What was there before.
const OLD: &[u8] = b"what was there before";

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Converts a small profile to a file.
fn convert_to(target: &Path) -> Output {
    let mut command = program();
    command
        .arg(fixture("xdebug3/small.cg"))
        .arg("-o")
        .arg(target);
    command.output().unwrap()
}

fn expected() -> Vec<u8> {
    bytes("xdebug3/small.v7.pre")
}

/// What the program says when it refuses; nothing is on standard output then.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let message = messages(output);
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("error: "), "{message}");
    message
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    // In every format more than a pipe holds.
    let functions = (0..5000).map(|number| format!("fn=a_function_with_number_{number}\n1 1\n"));
    let profile = format!("events: Ir\n{}", functions.collect::<String>());
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("long.cg");
    fs::write(&path, profile).unwrap();
    for format in [
        &["v7"][..],
        &["callgrind"],
        &["json"],
        &["text", "--top", "0"],
    ] {
        let mut command = program();
        command.arg("-f").args(format).arg(&path);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{format:?}");
        assert_eq!(messages(&output), "", "{format:?}");
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::common::Random;

    /// Runs the program under a shell, which sets things up for it.
    fn shell(script: &str, folder: &Path) -> Output {
        let mut command = Command::new("sh");
        command.current_dir(folder).stdin(Stdio::null());
        command.args(["-c", script, env!("CARGO_BIN_EXE_cg-preprocess")]);
        command.output().unwrap()
    }

    /// A folder with a profile in it.
    fn folder_with_profile() -> TempDir {
        let folder = TempDir::new().unwrap();
        fs::copy(fixture("xdebug3/small.cg"), folder.path().join("a.cg")).unwrap();
        folder
    }

    /// A user and a group that are not the one who tests.
    const OTHER: u32 = 54_321;

    /// Gives a file or link to somebody else, if that is allowed.
    fn give_away(path: &Path) -> bool {
        lchown(path, Some(OTHER), Some(OTHER)).is_ok()
    }

    #[test]
    fn a_replaced_file_keeps_its_owner() {
        let folder = folder_with_profile();
        let target = folder.path().join("out.pre");
        fs::write(&target, OLD).unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        if !give_away(&target) {
            return;
        }
        written(convert_to(&target));
        let metadata = target.metadata().unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (OTHER, OTHER));
        assert_eq!(metadata.mode() & 0o7777, 0o640);
        assert_eq!(fs::read(&target).unwrap(), expected());
    }

    #[test]
    fn links_of_others_are_followed_where_the_system_would_follow_them() {
        let folder = folder_with_profile();
        let link = folder.path().join("link");
        for there in [false, true] {
            for (mode, follows) in [
                (0o755, true),
                (0o1755, true),
                (0o777, true),
                (0o1777, false),
            ] {
                fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
                let _ = fs::remove_file(folder.path().join("there"));
                if there {
                    fs::write(folder.path().join("there"), OLD).unwrap();
                }
                let _ = fs::remove_file(&link);
                symlink("there", &link).unwrap();
                written(convert_to(&link));
                if !give_away(&link) {
                    return;
                }
                let output = convert_to(&link);
                if follows {
                    written(output);
                } else {
                    refused(&output);
                }
                assert!(link.is_symlink());
            }
        }
        // The folder's owner may put anything there.
        assert!(give_away(folder.path()));
        written(convert_to(&link));
        assert!(link.is_symlink());
    }

    #[test]
    fn webgrinds_preprocessor_follows_no_links_of_others() {
        let folder = folder_with_profile();
        let path = |name: &str| folder.path().join(name);
        symlink(env!("CARGO_BIN_EXE_cg-preprocess"), path("preprocessor")).unwrap();
        fs::write(path("there"), expected()).unwrap();
        for target in ["there", "not-there", "/dev/null"] {
            symlink(target, path("link")).unwrap();
            if !give_away(&path("link")) {
                return;
            }
            symlink("link", path("own-link")).unwrap();
            for name in ["link", "own-link"] {
                for input in ["a.cg", "missing"] {
                    let script = format!("exec ./preprocessor {input} {name}");
                    let message = refused(&shell(&script, folder.path()));
                    assert!(message.contains("is another user's"), "{message}");
                }
            }
            assert_eq!(fs::read(path("there")).unwrap(), expected());
            assert!(!path("not-there").exists());
            fs::remove_file(path("link")).unwrap();
            fs::remove_file(path("own-link")).unwrap();
        }
    }

    /// As in `/tmp`, where others may have put something before.
    #[test]
    fn in_a_shared_folder_nothing_of_others_is_written_to() {
        let folder = folder_with_profile();
        let path = |name: &str| folder.path().join(name);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        written(shell("mkfifo pipe", folder.path()));
        fs::write(path("file"), OLD).unwrap();
        fs::set_permissions(path("file"), Permissions::from_mode(0o666)).unwrap();
        fs::create_dir(path("there")).unwrap();
        symlink("there", path("link")).unwrap();
        if !["pipe", "file", "link"]
            .iter()
            .all(|name| give_away(&path(name)))
        {
            eprintln!("skipped: only root can give files to others");
            return;
        }
        // Held open, so that the program would not wait.
        let mut options = File::options();
        let pipe = options.read(true).write(true).open(path("pipe")).unwrap();
        let message = refused(&convert_to(&path("pipe")));
        assert!(
            message.contains("another user's, in a folder that everybody"),
            "{message}"
        );
        drop(pipe);
        let message = refused(&convert_to(&path("link/out.pre")));
        assert!(message.contains("link is another user's"), "{message}");
        assert_eq!(names(&path("there")), [""; 0]);

        // The file is not theirs any more, and cannot be written by everybody.
        written(shell("umask 022; exec \"$0\" -o file a.cg", folder.path()));
        let metadata = path("file").metadata().unwrap();
        assert_eq!(
            (metadata.uid() == OTHER, metadata.mode() & 0o7777),
            (false, 0o644)
        );
        assert_eq!(fs::read(path("file")).unwrap(), expected());

        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        written(convert_to(&path("link/out.pre")));
        assert_eq!(names(&path("there")), ["out.pre"]);
    }

    /// A folder with a profile of so many functions.
    fn folder_with_functions(count: u32) -> TempDir {
        let folder = TempDir::new().unwrap();
        let functions = (0..count).map(|number| format!("fn=f{number}\n1 1\n"));
        let profile = format!("events: Ir\n{}", functions.collect::<String>());
        fs::write(folder.path().join("a.cg"), profile).unwrap();
        folder
    }

    /// Rust says what is missing, and aborts: while it reads, or while it writes.
    #[cfg(target_os = "linux")]
    #[test]
    fn without_memory_nothing_is_left_behind() {
        let folder = folder_with_functions(100_000);
        let mut failures = 0;
        for limit in (16_000..60_000).step_by(8_000) {
            // Looking for the names of functions takes longer than all else.
            let script = format!("ulimit -v {limit}; RUST_BACKTRACE=0 exec \"$0\" -o out a.cg");
            let output = shell(&script, folder.path());
            if output.status.success() {
                break;
            }
            let message = messages(&output);
            assert_eq!(output.status.code(), Some(1), "{message}");
            assert!(message.contains("memory"), "{message}");
            assert_eq!(names(folder.path()), ["a.cg"]);
            failures += 1;
        }
        assert!(failures > 1, "{failures}");
    }

    /// Whether a program has begun its output: a file of the folder is open for writing, which has no
    /// name on Linux.
    fn is_writing(program: &Child, folder: &Path) -> bool {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", program.id())) else {
            return names(folder).iter().any(|name| name.ends_with(".tmp"));
        };
        let files = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        let mut outputs = files.filter(|file| !file.ends_with("a.cg"));
        outputs.any(|file| file.starts_with(folder))
    }

    /// Starts a conversion, and waits until it writes or has ended.
    fn start_writing(folder: &Path) -> Child {
        let mut command = program();
        command.current_dir(folder).args(["-o", "out", "a.cg"]);
        let mut child = command.spawn().unwrap();
        while !is_writing(&child, folder) && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(100));
        }
        child
    }

    /// The file has no name yet, so that not even a program that cannot clean up leaves one.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_is_killed_while_writing_leaves_nothing_behind() {
        let folder = folder_with_functions(20_000);
        let mut killed = 0;
        for _ in 0..3 {
            let mut child = start_writing(folder.path());
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                fs::remove_file(folder.path().join("out")).unwrap();
            } else {
                killed += 1;
            }
            assert_eq!(names(folder.path()), ["a.cg"]);
        }
        assert!(killed > 0, "all were faster than the signal");
    }

    /// Sends a signal to a program that writes, again and again at another time.
    #[test]
    fn signals_leave_nothing_behind() {
        const SIGHUP: i32 = 1;
        const SIGINT: i32 = 2;
        const SIGTERM: i32 = 15;
        let folder = folder_with_functions(20_000);
        let mut caught = 0;
        for round in 0..6 {
            let signal = [SIGHUP, SIGINT, SIGTERM][round % 3];
            let mut child = start_writing(folder.path());
            let number = format!("-{signal}");
            let kill = Command::new("kill")
                .args([&number, &child.id().to_string()])
                .status();
            kill.unwrap();
            let status = child.wait().unwrap();
            if !status.success() {
                assert_eq!(status.signal(), Some(signal));
                assert_eq!(names(folder.path()), ["a.cg"]);
                caught += 1;
            } else {
                assert_eq!(names(folder.path()), ["a.cg", "out"]);
                fs::remove_file(folder.path().join("out")).unwrap();
            }
        }
        assert!(caught > 0, "all were faster than the signal");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn signals_that_are_to_be_ignored_are_ignored() {
        let folder = folder_with_profile();
        let script = "mkfifo pipe; trap '' TERM; \"$0\" -o out pipe & \
                      exec 3> pipe; sleep 0.1; kill -TERM $!; cat a.cg >&3; exec 3>&-; wait $!";
        written(shell(script, folder.path()));
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), expected());
        // It cannot come to its end before the signal does: nobody writes into the pipe.
        let script = "\"$0\" -o out2 pipe & exec 3> pipe; sleep 0.1; kill -TERM $!; wait $!";
        let output = shell(script, folder.path());
        assert_eq!(output.status.code(), Some(128 + 15));
        assert!(!folder.path().join("out2").exists());
    }

    #[test]
    fn a_folder_that_may_not_be_written_is_told() {
        let folder = folder_with_profile();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
        if File::create(closed.join("probe")).is_ok() {
            // root may write everywhere.
            return;
        }
        let message = refused(&convert_to(&closed.join("out.pre")));
        assert!(message.contains("Permission denied"), "{message}");
    }

    /// A killed program may leave its own half of a file, but never half a target.
    #[test]
    fn a_killed_program_leaves_the_old_file_or_the_new_one() {
        let folder = TempDir::new().unwrap();
        let target = folder.path().join("out.pre");
        let new = bytes("xdebug3/composer.v7.pre");
        let mut command = program();
        command
            .arg(fixture("xdebug3/composer.cg"))
            .arg("-o")
            .arg(&target);
        let start = Instant::now();
        assert!(command.status().unwrap().success());
        let whole_run = start.elapsed();
        let mut random = Random(12345);
        for _ in 0..40 {
            fs::write(&target, OLD).unwrap();
            let mut child = command.spawn().unwrap();
            thread::sleep(whole_run.mul_f64(random.below(1000) as f64 / 1000.0));
            child.kill().unwrap();
            child.wait().unwrap();
            let found = fs::read(&target).unwrap();
            assert!(found == OLD || found == new, "{} bytes", found.len());
        }
    }

    /// Lets eight programs at a time write two profiles to one target, and looks at it all the
    /// while.
    fn hammer(program: &Path, output: &[&str]) {
        const PROGRAMS: usize = 8;
        const RUNS_OF_EACH: usize = 6;
        let folder = TempDir::new().unwrap();
        let target = folder.path().join("out.pre");
        let wholes = ["xdebug3/composer", "xdebug3/features"];
        let expected = wholes.map(|name| bytes(&format!("{name}.v7.pre")));
        let inputs = wholes.map(|name| fixture(&format!("{name}.cg")));
        fs::write(&target, &expected[0]).unwrap();
        thread::scope(|scope| {
            let writers: Vec<_> = (0..PROGRAMS)
                .map(|number| {
                    let (inputs, target) = (&inputs, &target);
                    scope.spawn(move || {
                        for run in 0..RUNS_OF_EACH {
                            let mut command = Command::new(program);
                            command.arg(&inputs[(number + run) % 2]);
                            written(command.args(output).arg(target).output().unwrap());
                        }
                    })
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                let found = fs::read(&target).unwrap();
                assert!(expected.contains(&found), "{} bytes", found.len());
                thread::sleep(Duration::from_micros(200));
            }
        });
        assert!(expected.contains(&fs::read(&target).unwrap()));
        assert_eq!(names(folder.path()), ["out.pre"]);
    }

    /// Under the program's own name, and under the one that webgrind gives it.
    #[test]
    fn many_programs_on_one_target_never_show_half_a_file() {
        let program = Path::new(env!("CARGO_BIN_EXE_cg-preprocess"));
        hammer(program, &["-o"]);
        let folder = TempDir::new().unwrap();
        let preprocessor = folder.path().join("preprocessor");
        symlink(program, &preprocessor).unwrap();
        hammer(&preprocessor, &[]);
    }
}

/// With a terminal, which `script` of util-linux makes.
#[cfg(target_os = "linux")]
mod terminal {
    use std::io::Write;
    use std::process::{Child, Command};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Runs the program with all its streams on a terminal; nothing where there is no `script`.
    fn on_terminal(folder: &Path, arguments: &str) -> Option<Child> {
        let program = env!("CARGO_BIN_EXE_cg-preprocess");
        let mut command = Command::new("script");
        command.current_dir(folder).env("TERM", "xterm");
        command.args(["-qec", &format!("'{program}' {arguments}"), "/dev/null"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.spawn().ok()
    }

    #[test]
    fn a_terminal_gets_no_binary_and_is_not_waited_for() {
        let folder = TempDir::new().unwrap();
        fs::copy(fixture("xdebug3/small.cg"), folder.path().join("a.cg")).unwrap();
        for (arguments, status, text) in [
            ("a.cg", 0, "self %"),
            ("-f v7 a.cg", 2, "is binary and would go to a terminal"),
            #[cfg(feature = "compression")]
            ("-f pprof a.cg", 2, "is binary and would go to a terminal"),
            ("-f html a.cg", 2, "the page would go to a terminal"),
            ("-f v4 -o - a.cg", 2, "is binary and would go to a terminal"),
            (
                "-o /dev/tty a.cg",
                2,
                "is binary and would go to a terminal",
            ),
            ("-o out.pre", 2, "standard input is a terminal"),
            ("-f text a.cg", 0, "{main}"),
            ("-f json a.cg", 0, "{main}"),
        ] {
            let Some(child) = on_terminal(folder.path(), arguments) else {
                return;
            };
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(status), "{arguments}: {said}");
            assert!(said.contains(text), "{arguments}: {said}");
        }
        assert_eq!(names(folder.path()), ["a.cg"]);
    }

    #[test]
    fn a_table_is_as_wide_as_the_terminal_and_in_full_through_a_pipe() {
        let folder = TempDir::new().unwrap();
        let long = format!("{}->run", "Long".repeat(50));
        let profile = format!("events: Ir\nfl=/srv/app/a.php\nfn={long}\n1 5\n");
        fs::write(folder.path().join("a.cg"), profile).unwrap();
        let program = env!("CARGO_BIN_EXE_cg-preprocess");
        let mut command = Command::new("script");
        let shown = format!("stty cols 80; '{program}' -f text a.cg");
        command.current_dir(folder.path()).env("TERM", "xterm");
        command.args(["-qec", &shown, "/dev/null"]);
        let Ok(output) = command.stdin(Stdio::null()).output() else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("Long"), "{said}");
        for line in said.lines() {
            assert!(line.trim_end().chars().count() <= 80, "{line}");
        }
        let piped = crate::runner::program()
            .current_dir(folder.path())
            .args(["-f", "text", "a.cg"])
            .output();
        let piped = String::from_utf8(piped.unwrap().stdout).unwrap();
        assert!(piped.contains(&long), "{piped}");
    }

    /// One that is gone at once would only flicker.
    #[test]
    fn short_work_is_done_without_a_bar() {
        let folder = TempDir::new().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let profile = bytes("xdebug3/composer.cg");
        let (half, rest) = profile.split_at(profile.len() / 2);
        // On a busy machine, even short work may last.
        for _ in 0..5 {
            let Some(child) = on_terminal(folder.path(), "-o out.pre pipe") else {
                return;
            };
            let mut pipe = fs::File::options().write(true).open(&pipe).unwrap();
            pipe.write_all(half).unwrap();
            thread::sleep(Duration::from_millis(250));
            pipe.write_all(rest).unwrap();
            drop(pipe);
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success());
            if output.stdout.is_empty() {
                return;
            }
        }
        panic!("there was a bar each time");
    }

    #[test]
    fn a_terminal_shows_how_far_it_is_and_keeps_nothing_of_it() {
        let folder = TempDir::new().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let Some(mut child) = on_terminal(folder.path(), "-o out.pre pipe") else {
            return;
        };
        let profile = bytes("xdebug3/composer.cg");
        let (seen, is_seen) = channel();
        let writer = thread::spawn(move || {
            let (half, rest) = profile.split_at(profile.len() / 2);
            let mut pipe = fs::File::options().write(true).open(pipe).unwrap();
            pipe.write_all(half).unwrap();
            // Only a program that shows nothing is waited for so long.
            let outcome = is_seen.recv_timeout(Duration::from_secs(60));
            pipe.write_all(rest).unwrap();
            outcome
        });
        let mut output = child.stdout.take().unwrap();
        let (mut said, mut room) = (Vec::new(), [0; 1000]);
        loop {
            let count = output.read(&mut room).unwrap();
            if count == 0 {
                break;
            }
            said.extend(&room[..count]);
            if String::from_utf8_lossy(&said).contains(" KiB, ") {
                let _ = seen.send(());
            }
        }
        assert!(child.wait().unwrap().success());
        let said = String::from_utf8_lossy(&said);
        assert!(writer.join().unwrap().is_ok(), "nothing was shown");
        // The last thing is that the line is cleared.
        assert!(said.trim_end().ends_with("\u{1b}[2K"), "{said:?}");
        let written = fs::read(folder.path().join("out.pre")).unwrap();
        assert!(written == bytes("xdebug3/composer.v7.pre"));
    }
}

#[test]
fn calls_in_inlined_code_are_told_by_what_can_hold_their_files() {
    let output = |arguments: &[&str], input: &str| {
        String::from_utf8(written(run(arguments, input.as_bytes()))).unwrap()
    };
    let text = "events: Ir\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=1 0\n2 10\n\
                fi=b.h\ncfi=a.c\ncfn=g\ncalls=2 0\n2 20\n";
    for (arguments, found) in [
        (&["-f", "text", "--function", "f"][..], "g       b.h:2\n"),
        (
            &["-f", "json"],
            r#"{"function":1,"file":"b.h","line":2,"calls":2,"cost":[20]}"#,
        ),
        (
            &["-f", "callgrind"],
            "\nfi=(2) b.h\ncfi=(1)\ncfn=(2)\ncalls=2 0\n2 20\n",
        ),
        (
            &["-f", "html"],
            r#""caller":[0,0],"callee":[1,1],"file":[1,2],"line":[2,2]"#,
        ),
    ] {
        let output = output(arguments, text);
        assert!(output.contains(found), "{output}");
    }
    // For webgrind, they are calls on one line.
    let plain = text.replace("fi=b.h\n", "");
    for format in ["v4", "v5", "v6", "v7"] {
        let output = |text: &str| run(["-q", "-f", format], text.as_bytes()).stdout;
        assert_eq!(output(text), output(&plain));
    }
}
