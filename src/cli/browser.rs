//! Showing a page in the user's browser.

use std::env;
use std::io;
use std::path::{self, Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use cg_preprocess::io::Target;
use tempfile::{Builder, TempPath};

/// How long to wait for the program that starts a browser. Some of them end only with the browser.
const MAX_WAIT: Duration = Duration::from_secs(1);
const STEPS: u32 = 20;

/// The program that opens a file as the user has chosen.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// A file in the folder for temporary files, which is removed if it is not kept.
///
/// Its name cannot be foreseen, and it is created for the user alone, so that nobody else can have
/// put anything in its place.
pub fn temporary_page() -> Result<TempPath> {
    let mut builder = Builder::new();
    let file = builder.prefix("cg-preprocess-").suffix(".html").tempfile();
    let file = file.with_context(|| {
        let folder = Target::File(env::temp_dir());
        format!("{folder}: no file can be created there")
    })?;
    Ok(file.into_temp_path())
}

/// Opens a page; what went wrong, if it did.
pub fn open(page: &Path) -> Option<String> {
    // A relative path might begin like an option.
    let page = path::absolute(page).unwrap_or_else(|_| PathBuf::from(page));
    let failure = match start(&page) {
        // Explorer's status says nothing.
        Ok(Some(status)) if !status.success() && !cfg!(windows) => status.to_string(),
        Ok(_) => return None,
        Err(error) => error.to_string(),
    };
    let page = Target::File(page);
    Some(format!("{page}: {OPENER} cannot show it: {failure}"))
}

/// Starts the opener; its status, if it has ended soon.
fn start(page: &Path) -> io::Result<Option<ExitStatus>> {
    let mut opener = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    for _ in 0..STEPS {
        if let Some(status) = opener.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(MAX_WAIT / STEPS);
    }
    Ok(None)
}
