//! The files of `--webgrind`: a profile that webgrind lists, and the webgrind file that it shows.
//!
//! webgrind lists files whose names begin with `cachegrind.out.`. The name of a webgrind file is
//! that of its profile and `.webgrind`. At each request, webgrind deletes those whose profile is
//! missing or newer. So both files are written, the profile first.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use cg_preprocess::io::{Source, ends_with_separator};
use cg_preprocess::webgrind::FILE_ENDING;

/// The beginning of the names of profiles.
const BEGINNING: &str = "cachegrind.out.";

/// Two files that belong together.
#[derive(Debug)]
pub struct WebgrindFiles {
    /// The profile, in the callgrind format.
    pub profile: PathBuf,
    /// The webgrind file.
    pub preprocessed: PathBuf,
}

impl WebgrindFiles {
    /// Finds the paths of both files.
    ///
    /// Without a directory, `name` is in the system's directory for temporary files, where Xdebug writes
    /// and webgrind looks by default. `storage` is webgrind's directory for its own files, if it is
    /// another one.
    ///
    /// # Errors
    ///
    /// If webgrind would not list the profile.
    pub fn new(name: &Path, storage: Option<&Path>) -> Result<Self> {
        let shown = Source::File(name.to_owned());
        let Some(file_name) = name.file_name() else {
            bail!("{shown}: is not a valid name for a profile");
        };
        // Otherwise, the profile would be written beside the directory.
        let has_directory = name.components().nth(1).is_some();
        if ends_with_separator(name) || has_directory && name.is_dir() {
            bail!("{shown}: is a directory; add a name for the profile, such as all");
        }
        let directory = match name.parent() {
            Some(directory) if directory != Path::new("") => directory.to_owned(),
            _ => env::temp_dir(),
        };
        let is_whole = file_name
            .as_encoded_bytes()
            .starts_with(BEGINNING.as_bytes());
        let mut name = OsString::from(if is_whole { "" } else { BEGINNING });
        name.push(file_name);
        let profile = directory.join(&name);
        // The ending must not occur in the names of directories, either.
        if profile.to_string_lossy().contains(FILE_ENDING) {
            bail!(
                "{}: webgrind lists no profile whose path contains {FILE_ENDING}",
                Source::File(profile)
            );
        }
        name.push(FILE_ENDING);
        let preprocessed = storage.unwrap_or(&directory).join(name);
        Ok(WebgrindFiles {
            profile,
            preprocessed,
        })
    }

    /// What to do next.
    pub fn advice(&self) -> String {
        let name = Source::File(self.profile.file_name().unwrap_or_default().into());
        format!(
            "now reload webgrind and choose {name} ({})",
            Source::File(self.profile.clone())
        )
    }

    /// Checks that both are regular files: a pipe cannot be read back.
    ///
    /// # Errors
    ///
    /// If something else exists at one of the paths.
    pub fn check(&self) -> Result<()> {
        for path in [&self.profile, &self.preprocessed] {
            if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
                bail!(
                    "{}: is not a regular file; choose another name",
                    Source::File(path.clone())
                );
            }
        }
        Ok(())
    }

    /// Removes the images of call graphs that webgrind made from an earlier profile of this name. It
    /// makes them again when they are needed.
    pub fn remove_pictures(&self) {
        let storage = self.preprocessed.parent();
        let entries = storage.and_then(|storage| fs::read_dir(storage).ok());
        for entry in entries.into_iter().flatten().flatten() {
            if self.is_picture(&entry.file_name()) {
                // If it belongs to another user, it stays, outdated.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether a file has a name like `cachegrind.out.1234-10.webgrind.svg`.
    fn is_picture(&self, name: &OsStr) -> bool {
        let of_profile = self.profile.file_name().unwrap_or_default();
        let beginning = [of_profile.as_encoded_bytes(), b"-"].concat();
        let Some(rest) = name.as_encoded_bytes().strip_prefix(&beginning[..]) else {
            return false;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && [&b".webgrind.svg"[..], b".webgrind.png"].contains(&&rest[digits..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> WebgrindFiles {
        WebgrindFiles::new(Path::new(name), None).unwrap()
    }

    #[test]
    fn names_are_such_as_webgrind_lists() {
        for (name, profile) in [
            ("/srv/all", "/srv/cachegrind.out.all"),
            ("./all", "./cachegrind.out.all"),
            ("/srv/cachegrind.out.all", "/srv/cachegrind.out.all"),
        ] {
            assert_eq!(place(name).profile, Path::new(profile));
            let preprocessed = format!("{profile}.webgrind");
            assert_eq!(place(name).preprocessed, Path::new(&preprocessed));
        }
        let here = place("all").profile;
        assert_eq!(here, env::temp_dir().join("cachegrind.out.all"));
        let apart =
            WebgrindFiles::new(Path::new("/srv/all"), Some(Path::new("/var/kept"))).unwrap();
        assert_eq!(
            apart.preprocessed,
            Path::new("/var/kept/cachegrind.out.all.webgrind")
        );
        for wrong in [
            "",
            "/",
            ".",
            "..",
            "all/",
            "./all/",
            "/tmp",
            "./src",
            "all.webgrind",
            "/srv/.webgrind/all",
        ] {
            assert!(
                WebgrindFiles::new(Path::new(wrong), None).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn pictures_are_those_of_this_profile() {
        let all = place("/srv/all");
        assert!(all.is_picture(OsStr::new("cachegrind.out.all-10.webgrind.svg")));
        for other in [
            "cachegrind.out.all.webgrind",
            "cachegrind.out.all-x.webgrind.svg",
            "cachegrind.out.all-.webgrind.svg",
            "cachegrind.out.all2-10.webgrind.svg",
            "cachegrind.out.all-10.svg",
        ] {
            assert!(!all.is_picture(OsStr::new(other)), "{other}");
        }
    }
}
