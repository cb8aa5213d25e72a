//! What the program leaves on disk: whole files or nothing, whatever happens.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::common::Random;
use crate::runner::{bytes, fixture, program, written};

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

/// A folder with a profile of so many functions.
fn folder_with_functions(count: u32) -> TempDir {
    let folder = TempDir::new().unwrap();
    let functions = (0..count).map(|number| format!("fn=f{number}\n1 1\n"));
    let profile = format!("events: Ir\n{}", functions.collect::<String>());
    fs::write(folder.path().join("a.cg"), profile).unwrap();
    folder
}

/// Whether a program has begun its output.
fn is_writing(folder: &Path) -> bool {
    names(folder).iter().any(|name| name.ends_with(".tmp"))
}

/// Starts a conversion, and waits until it writes or has ended.
fn start_writing(folder: &Path) -> Child {
    let mut command = program();
    command.current_dir(folder).args(["-o", "out", "a.cg"]);
    let mut child = command.spawn().unwrap();
    while !is_writing(folder) && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_micros(100));
    }
    child
}

/// Ends a program that writes, again and again at another time: the old file or the new one is
/// there, and nothing else, unless the program could not clean up.
#[test]
fn a_program_that_is_ended_leaves_the_old_file_or_the_new_one() {
    const SIGNALS: [i32; 4] = [1, 2, 9, 15];
    let folder = folder_with_functions(20_000);
    let target = folder.path().join("out");
    written(
        program()
            .arg(folder.path().join("a.cg"))
            .arg("-o")
            .arg(&target)
            .output()
            .unwrap(),
    );
    let new = fs::read(&target).unwrap();
    let mut random = Random(12345);
    let mut caught = 0;
    for round in 0..12 {
        let signal = SIGNALS[round % SIGNALS.len()];
        fs::write(&target, OLD).unwrap();
        let mut child = start_writing(folder.path());
        thread::sleep(Duration::from_micros(random.small(20_000)));
        let mut kill = Command::new("kill");
        kill.args([format!("-{signal}"), child.id().to_string()]);
        assert!(kill.stderr(Stdio::null()).status().is_ok());
        let status = child.wait().unwrap();
        let found = fs::read(&target).unwrap();
        assert!(found == OLD || found == new, "{} bytes", found.len());
        if !status.success() {
            assert_eq!(status.signal(), Some(signal));
            caught += 1;
        }
        let names = names(folder.path());
        for unfinished in names.iter().filter(|name| name.ends_with(".tmp")) {
            assert_eq!(signal, 9);
            fs::remove_file(folder.path().join(unfinished)).unwrap();
        }
    }
    assert!(caught > 0, "all were faster than the signal");
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

/// With a terminal, which `script` of util-linux makes.
#[cfg(target_os = "linux")]
mod terminal {
    use std::io::{Read, Write};
    use std::sync::mpsc::channel;

    use super::*;
    use crate::common::make_pipe;
    use crate::runner::command;

    /// Runs the program with all its streams on a terminal; nothing where there is no `script`.
    fn on_terminal(folder: &Path, arguments: &str) -> Option<Child> {
        let program = env!("CARGO_BIN_EXE_cg-preprocess");
        let mut script = command("script");
        script.current_dir(folder).env("TERM", "xterm");
        script.args(["-qec", &format!("'{program}' {arguments}"), "/dev/null"]);
        script.stdout(Stdio::piped()).spawn().ok()
    }

    #[test]
    fn a_terminal_shows_how_far_it_is_and_keeps_nothing_of_it() {
        let folder = TempDir::new().unwrap();
        let pipe = folder.path().join("pipe");
        make_pipe(&pipe);
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
