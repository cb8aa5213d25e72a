//! Running other people's programs.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory in which programs are built and profiles are written.
pub struct Bench {
    directory: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        Bench { directory }
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// Files whose names begin like this, in order.
    pub fn files(&self, prefix: &str) -> Vec<PathBuf> {
        let entries = self.directory().read_dir().expect("a directory");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = paths.filter(|path| has_prefix(path, prefix)).collect();
        files.sort();
        files
    }

    /// Compiles a C or C++ program, so that its functions stay what they are in the source.
    pub fn compile(&self, source: &str, options: &[&str]) -> PathBuf {
        let compiler = if source.ends_with(".cpp") {
            Tool::new("g++", "g++")
        } else {
            Tool::new(
                "gcc",
                "gcc, libc6-dev, valgrind and libgoogle-perftools-dev",
            )
        };
        let program = self.path("program");
        let mut command = compiler.command();
        command.args(["-g", "-O1", "-fno-inline"]);
        command.arg(sources().join("c").join(source));
        command.arg("-o").arg(&program).args(options);
        compiler.run(&mut command);
        program
    }
}

fn has_prefix(path: &Path, prefix: &str) -> bool {
    let name = path.file_name().expect("a file name");
    name.to_string_lossy().starts_with(prefix)
}

/// Where the programs are that the tests profile.
pub fn sources() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "live", "programs"]
        .iter()
        .collect()
}

/// A program that the tests need, and what to install if it is missing.
#[derive(Clone, Copy)]
pub struct Tool {
    name: &'static str,
    package: &'static str,
}

impl Tool {
    pub const fn new(name: &'static str, package: &'static str) -> Self {
        Tool { name, package }
    }

    pub fn command(self) -> Command {
        let mut command = Command::new(self.name);
        command.env("LC_ALL", "C");
        command
    }

    /// Where it is found.
    pub fn path(self) -> PathBuf {
        let directories = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::split_paths(&directories).map(|directory| directory.join(self.name));
        let mut existing = paths.filter(|path| path.is_file());
        existing
            .next()
            .unwrap_or_else(|| panic!("{}", self.missing()))
    }

    /// Runs a command of this tool, whatever its exit status will be.
    pub fn output(self, command: &mut Command) -> Output {
        match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::NotFound => panic!("{}", self.missing()),
            Err(error) => panic!("{command:?} cannot be started: {error}"),
        }
    }

    /// Runs a command of this tool, which must succeed, and returns what it printed.
    pub fn run(self, command: &mut Command) -> String {
        let output = self.output(command);
        assert!(
            output.status.success(),
            "{command:?}: {}; are these installed: {}?\n{}",
            output.status,
            self.package,
            String::from_utf8_lossy(&output.stderr),
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What to say when it is not there.
    pub fn missing(self) -> String {
        format!("{} is missing: install {}", self.name, self.package)
    }
}
