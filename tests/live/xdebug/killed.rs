//! Programs that are killed while Xdebug writes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use super::session::{PHP, Session, own_invocations};
use crate::profile::{Profile, assert_figures};

/// Kills a program that counts its steps aloud, and returns its last count.
fn kill_midway(session: &Session, settings: &[&str]) -> i64 {
    let mut command = session.command("endless.php", settings);
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => panic!("{error}: {}", PHP.missing()),
    };
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let killed_at = 20_000;
    let told = lines.by_ref().take(killed_at).count();
    child.kill().expect("a running program");
    child.wait().expect("a killed program");
    session.require_profile(b"");
    i64::try_from(told + lines.count()).expect("a count")
}

/// Sees that all steps are there but those which Xdebug had not yet written to the file.
///
/// It writes 4096 bytes at a time, and a step takes more than these few.
fn check_steps(profile: &Profile, told: i64) {
    let steps = own_invocations(profile)["step"];
    let unwritten = 4096 / 14;
    assert!(
        told - unwritten <= steps && steps <= told + 1,
        "{steps} of {told}"
    );
}

/// Sees that what is missing is told, once, wherever in a line the killed run ends.
fn assert_warns_of_cut(profile: &Profile, file: &Path) {
    let name = file.display().to_string();
    let lines = profile.messages.lines();
    let warnings: Vec<&str> = lines.filter(|line| line.starts_with("warning: ")).collect();
    let [warning] = warnings[..] else {
        panic!("{warnings:#?}");
    };
    assert!(warning.contains(&name), "{warning}");
    assert!(
        warning.contains("functions that had not returned, including {main}"),
        "{warning}"
    );
}

#[test]
fn killed() {
    let session = Session::new();
    let told = kill_midway(&session, &[]);
    let profile = Profile::of(&[session.profile()], &[]);
    check_steps(&profile, told);
    assert_warns_of_cut(&profile, &session.profile());
    assert_eq!(profile.summary(), profile.total());
}

#[test]
fn killed_and_appended_to() {
    let mut session = Session::new();
    let append = ["xdebug.profiler_append=1"];
    session.run("recursion.php", &append);
    let told = kill_midway(&session, &append);
    session.run("evals.php", &append);
    let profile = Profile::of(&[session.profile()], &[]);
    check_steps(&profile, told);
    assert_warns_of_cut(&profile, &session.profile());
    let mut found = own_invocations(&profile);
    found.remove("step");
    assert_figures(&found, &session.counts);
}
