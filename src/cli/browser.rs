//! Opens the HTML report in the user's browser.

use std::io;
use std::path::{self, Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use cg_preprocess::io::Target;
use tempfile::Builder;

/// How long to wait for the program that starts a browser. Some end only with the browser.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The program that opens a file in the user's preferred program.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// A path for a report in the directory for temporary files. Nobody can predict its name and put
/// something there.
pub fn temporary_page() -> Result<Target> {
    let mut builder = Builder::new();
    builder.prefix("cg-preprocess-").suffix(".html");
    // Nothing is created before the report is ready.
    builder.disable_cleanup(true);
    let page = builder.make(|path| {
        if path.exists() {
            Err(io::ErrorKind::AlreadyExists.into())
        } else {
            Ok(())
        }
    })?;
    Ok(Target::File(page.path().to_owned()))
}

/// Opens a report. Returns what went wrong, if anything.
pub fn open(page: &Path) -> Option<String> {
    // A relative path might begin like an option.
    let page = path::absolute(page).unwrap_or_else(|_| PathBuf::from(page));
    let failure = match start(&page) {
        // Explorer's status is meaningless.
        Ok(Some(status)) if !status.success() && !cfg!(windows) => status.to_string(),
        Ok(_) => return None,
        Err(error) => error.to_string(),
    };
    let page = Target::File(page);
    Some(format!("{page}: {OPENER} cannot open it: {failure}"))
}

/// Starts the opener, and returns its status if it ends soon.
fn start(page: &Path) -> io::Result<Option<ExitStatus>> {
    let mut opener = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (ended, end) = channel();
    thread::Builder::new().spawn(move || ended.send(opener.wait()))?;
    end.recv_timeout(MAX_WAIT).ok().transpose()
}
