//! What the program does not read.

use std::fs;

use crate::common::fixtures::assert_holds;
use crate::runner::{fixture, messages, program, run};

/// `BLESS=1` rewrites the messages.
#[test]
fn what_is_mistaken_for_a_profile_is_recognised() {
    let directory = fixture("foreign");
    let names = fs::read_dir(&directory).unwrap();
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
        let output = command.current_dir(&directory).arg(&name).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty(), "{name}");
        let message = messages(&output);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_holds(&directory.join(format!("{name}.message")), &message);
        // The same through a pipe.
        let piped = messages(&run(["-"; 0], &fs::read(directory.join(&name)).unwrap()));
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
