//! A file with a digest for each of many outputs, which are too long to be kept in the tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::fixtures;

/// FNV-1a, which is the same everywhere.
pub fn number(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn digest(text: &[u8]) -> String {
    format!("{:016x}", number(text))
}

/// The digests of outputs by the names of these, and where outputs are kept to compare them.
pub struct Digests {
    file: PathBuf,
    known: BTreeMap<String, String>,
    agreed: PathBuf,
    found: PathBuf,
}

/// The line of an output, and how it differs from what the file says.
pub struct Checked {
    line: String,
    wrong: Option<String>,
}

impl Digests {
    /// Reads a file. Outputs are kept below this directory.
    pub fn read(file: PathBuf, kept: &Path) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let known = lines.map(|(digest, name)| (name.to_owned(), digest.to_owned()));
        let [agreed, found] = ["agreed", "found"].map(|name| kept.join(name));
        for directory in [&agreed, &found] {
            fs::create_dir_all(directory).unwrap();
        }
        Digests {
            known: known.collect(),
            file,
            agreed,
            found,
        }
    }

    /// Compares an output with its digest. Where `BLESS` is set, it is right.
    pub fn check(&self, name: &str, output: &str) -> Checked {
        let is = digest(output.as_bytes());
        let was = self.known.get(name).map_or("", String::as_str);
        let is_right = is == was || fixtures::are_blessed();
        let file = digest(name.as_bytes()) + ".txt";
        let [agreed, found] = [self.agreed.join(&file), self.found.join(&file)];
        fs::write(if is_right { &agreed } else { &found }, output).unwrap();
        Checked {
            line: format!("{is} {name}\n"),
            wrong: (!is_right).then(|| difference(&agreed, &found, was)),
        }
    }

    /// Sees that there was nothing wrong, and that nothing is missing.
    pub fn finish(&self, checked: &[Checked]) {
        if fixtures::are_blessed() {
            let lines: String = checked.iter().map(|one| one.line.as_str()).collect();
            fs::write(&self.file, lines).unwrap();
            return;
        }
        let wrong = checked
            .iter()
            .filter_map(|one| Some((&one.line, one.wrong.as_ref()?)));
        let wrong: Vec<_> = wrong
            .map(|(line, wrong)| format!("{line}{wrong}"))
            .collect();
        let (some, all) = (wrong.len(), checked.len());
        let shown = wrong.iter().take(5).map(String::as_str).collect::<Vec<_>>();
        assert!(
            wrong.is_empty(),
            "{some} of {all} differ\n{}",
            shown.join("\n")
        );
        assert_eq!(all, self.known.len(), "lines of {}", self.file.display());
    }
}

/// How an output differs from the last one that agreed with the digest, if that is still there.
fn difference(agreed: &Path, found: &Path, was: &str) -> String {
    if !fs::read(agreed).is_ok_and(|text| digest(&text) == was) {
        let advice = "to see the difference, run this test on the commit before, then again here";
        return format!("is now {}; {advice}\n", found.display());
    }
    let diff = Command::new("diff")
        .args(["-u", "-F", "^==="])
        .arg(agreed)
        .arg(found)
        .output();
    let diff = diff.expect("there is diff").stdout;
    let diff = String::from_utf8_lossy(&diff);
    let short = |line: &str| line.chars().take(300).collect::<String>() + "\n";
    diff.lines().take(40).map(short).collect()
}
