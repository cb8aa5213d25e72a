//! The page: how it is asked for, and how it is shown.

use std::fs;

use tempfile::TempDir;

use crate::runner::{fixture, messages, program, run, written};

const PAGE: &[u8] = b"<!DOCTYPE html>";

#[test]
fn the_name_of_the_output_says_the_format() {
    let folder = TempDir::new().unwrap();
    for (name, beginning) in [
        ("report.html", PAGE),
        ("report.json", b"{\n"),
        ("REPORT.TXT", b"command "),
        ("stacks.folded", b"A->__destruct 81"),
        ("out.pre", b"\x07\0\0\0"),
        ("html", b"\x07\0\0\0"),
    ] {
        let output = folder.path().join(name);
        let mut command = program();
        command.arg("-o").arg(&output);
        command.arg(fixture("xdebug3/small.cg"));
        written(command.output().unwrap());
        let found = fs::read(output).unwrap();
        assert!(found.starts_with(beginning), "{name}");
    }
    // What is asked for counts.
    let output = folder.path().join("v6.html");
    let mut command = program();
    command.args(["-f", "v6", "-o"]).arg(&output);
    written(command.arg(fixture("xdebug3/small.cg")).output().unwrap());
    assert!(fs::read(output).unwrap().starts_with(b"\x06\0\0\0"));
}

#[test]
fn what_is_for_the_page_is_refused_elsewhere() {
    for (arguments, text) in [
        (&["--open", "-f", "text"][..], "--open shows a page"),
        (&["--open", "-o", "-"], "--open needs a file"),
        (&["--source-root", "/srv"], "are for -f html"),
        (
            &["-f", "html", "--source-url", "javascript:{file}"],
            "expected an address",
        ),
        (
            &["-f", "html", "--source-url", "{file}"],
            "expected an address",
        ),
        (
            &["-f", "html", "--source-url", "https://host/"],
            "expected {file}",
        ),
    ] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = messages(&output);
        assert!(said.contains(text), "{arguments:?}: {said}");
    }
}

#[cfg(target_os = "linux")]
mod opened {
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::Output;

    use super::*;

    /// A folder for temporary files and one with a program that is to open pages.
    struct Desktop(TempDir);

    impl Desktop {
        fn with_opener(script: &str) -> Self {
            let desktop = Desktop(TempDir::new().unwrap());
            fs::create_dir(desktop.path("tmp")).unwrap();
            let opener = desktop.path("xdg-open");
            fs::write(&opener, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
            desktop
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn run(&self, arguments: &[&str], input: &Path) -> Output {
            let mut command = program();
            command
                .env("PATH", self.0.path())
                .env("TMPDIR", self.path("tmp"));
            command.current_dir(self.0.path());
            command.args(arguments).arg(input).output().unwrap()
        }

        fn temporary(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(self.path("tmp")).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        }
    }

    #[test]
    fn a_page_is_shown_from_the_file_that_is_named() {
        let desktop = Desktop::with_opener(r#"echo "$1" >opened"#);
        let small = fixture("xdebug3/small.cg");
        assert_eq!(
            written(desktop.run(&["--open", "-o-page.html"], &small)),
            b""
        );
        let page = desktop.path("-page.html");
        assert!(fs::read(&page).unwrap().starts_with(PAGE));
        let opened = fs::read_to_string(desktop.path("opened")).unwrap();
        assert_eq!(Path::new(opened.trim_end()), page.canonicalize().unwrap());
        assert!(desktop.temporary().is_empty());
    }

    #[test]
    fn without_a_name_it_is_a_file_for_the_user_alone_whose_name_is_printed() {
        let desktop = Desktop::with_opener(r#"echo "$1" >opened"#);
        let small = fixture("xdebug3/small.cg");
        let printed = String::from_utf8(written(desktop.run(&["--open"], &small))).unwrap();
        let page = Path::new(printed.trim_end());
        assert_eq!(desktop.temporary(), [page]);
        assert!(fs::read(page).unwrap().starts_with(PAGE));
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(desktop.path("opened")).unwrap(), printed);
    }

    #[test]
    fn a_page_that_is_not_made_leaves_no_file() {
        let desktop = Desktop::with_opener("echo >opened");
        let output = desktop.run(&["--open"], &fixture("bad-input/README.md"));
        assert_eq!(output.status.code(), Some(1));
        assert!(desktop.temporary().is_empty() && !desktop.path("opened").exists());
    }

    #[test]
    fn what_keeps_it_from_being_shown_is_said() {
        let desktop = Desktop::with_opener("exit 3");
        let output = desktop.run(&["--open"], &fixture("xdebug3/small.cg"));
        assert!(output.status.success());
        let said = messages(&output);
        assert!(
            said.contains("xdg-open cannot show it: exit status: 3"),
            "{said}"
        );
        assert_eq!(desktop.temporary().len(), 1);
    }
}
