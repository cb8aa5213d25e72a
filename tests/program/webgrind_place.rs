//! Profiles that are put where webgrind shows them.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::runner::{fixture, messages, program, run, written};

fn show(folder: &Path, arguments: &[&str]) -> Output {
    let name = folder.join("all");
    let mut command = program();
    command
        .arg("-q")
        .arg("--webgrind")
        .arg(name)
        .args(arguments);
    command.output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn inputs() -> [String; 2] {
    ["xdebug3/small.cg", "xdebug3/composer.cg"]
        .map(|name| fixture(name).into_os_string().into_string().unwrap())
}

#[test]
fn a_profile_and_what_webgrind_makes_of_it_appear_together() {
    let folder = TempDir::new().unwrap();
    let [first, second] = inputs();
    assert_eq!(written(show(folder.path(), &[&first, &second])), b"");
    let both = ["cachegrind.out.all", "cachegrind.out.all.webgrind"];
    assert_eq!(names(folder.path()), both);
    let [profile, preprocessed] = both.map(|name| folder.path().join(name));

    let merged = program()
        .args(["-f", "callgrind", &first, &second])
        .output();
    assert!(fs::read(&profile).unwrap() == written(merged.unwrap()));
    let again = program().arg("--escape-html").arg(&profile).output();
    assert!(fs::read(&preprocessed).unwrap() == written(again.unwrap()));
    // webgrind deletes what is older than its profile.
    let [older, newer] =
        [&profile, &preprocessed].map(|path| path.metadata().unwrap().modified().unwrap());
    assert!(older <= newer);
}

#[test]
fn it_says_what_to_do_next() {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("all");
    let mut command = program();
    let output = command
        .arg("--webgrind")
        .arg(&name)
        .arg(&inputs()[0])
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    let expected = format!(
        "now reload webgrind's page and choose cachegrind.out.all ({}/cachegrind.out.all)\n",
        folder.path().display()
    );
    assert_eq!(messages(&output), expected);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_its_place_is_refused() {
    let folder = TempDir::new().unwrap();
    for name in ["cachegrind.out.all", "cachegrind.out.all.webgrind"] {
        let pipe = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        // Held open, so that the program would not wait.
        let mut options = fs::File::options();
        let held = options.read(true).write(true).open(&pipe).unwrap();
        let output = show(folder.path(), &[&inputs()[0]]);
        assert_eq!(output.status.code(), Some(1));
        let expected = format!(
            "{}: is no regular file; choose another name",
            pipe.display()
        );
        assert!(
            messages(&output).contains(&expected),
            "{}",
            messages(&output)
        );
        assert_eq!(names(folder.path()), [name]);
        drop(held);
        fs::remove_file(pipe).unwrap();
    }
}

#[test]
fn it_may_be_replaced_with_the_pictures_of_it() {
    let folder = TempDir::new().unwrap();
    let [first, second] = inputs();
    written(show(folder.path(), &[&first]));
    for name in [
        "cachegrind.out.all-10.webgrind.svg",
        "cachegrind.out.all2-10.webgrind.svg",
    ] {
        fs::write(folder.path().join(name), "<svg/>").unwrap();
    }
    written(show(folder.path(), &[&second]));
    let left = [
        "cachegrind.out.all",
        "cachegrind.out.all.webgrind",
        "cachegrind.out.all2-10.webgrind.svg",
    ];
    assert_eq!(names(folder.path()), left);
    let profile = fs::read(folder.path().join("cachegrind.out.all")).unwrap();
    let expected = program().args(["-f", "callgrind", &second]).output();
    assert!(profile == written(expected.unwrap()));
}

#[test]
fn webgrind_may_keep_it_elsewhere() {
    let (folder, storage) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let kept = storage.path().to_str().unwrap();
    let picture = "cachegrind.out.all-10.webgrind.png";
    fs::write(storage.path().join(picture), "").unwrap();
    written(show(
        folder.path(),
        &["--webgrind-storage", kept, &inputs()[0]],
    ));
    assert_eq!(names(folder.path()), ["cachegrind.out.all"]);
    assert_eq!(names(storage.path()), ["cachegrind.out.all.webgrind"]);
}

#[test]
fn percentages_of_another_event_are_of_its_own_sum() {
    let folder = TempDir::new().unwrap();
    written(show(folder.path(), &["-e", "Memory_(bytes)", &inputs()[0]]));
    let preprocessed = folder.path().join("cachegrind.out.all.webgrind");
    let json = program()
        .args(["-f", "json"])
        .arg(preprocessed)
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&written(json)).unwrap();
    assert_eq!(json["event"], "Memory_(bytes)");
    let headers = json["headers"].as_array().unwrap();
    let summaries: Vec<_> = headers
        .iter()
        .filter(|header| header[0] == "summary")
        .collect();
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0][1], json["total"][0].to_string());
}

#[test]
fn what_webgrind_would_not_list_is_refused() {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("all.webgrind");
    let output = program()
        .arg("--webgrind")
        .arg(&name)
        .arg(&inputs()[0])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        messages(&output).contains("webgrind lists no profile"),
        "{}",
        messages(&output)
    );
    assert!(names(folder.path()).is_empty());
    for more in [&["-o", "x"][..], &["-f", "json"]] {
        let output = run([&["--webgrind", "all"][..], more].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{more:?}");
    }
}

#[test]
fn costs_of_more_than_32_bits_are_treated_as_asked() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("big");
    fs::write(&input, "events: Ir\nfn=a\n1 5000000000\n").unwrap();
    for (policy, event) in [("scale", "Ir_(x10)"), ("saturate", "Ir")] {
        let input = input.to_str().unwrap();
        written(show(folder.path(), &["--on-overflow", policy, input]));
        let preprocessed = folder.path().join("cachegrind.out.all.webgrind");
        let output = program()
            .args(["-q", "-f", "json"])
            .arg(preprocessed)
            .output();
        let json: serde_json::Value = serde_json::from_slice(&written(output.unwrap())).unwrap();
        assert_eq!(json["event"], event, "{policy}");
    }
}
