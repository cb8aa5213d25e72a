//! Which source files may be shown: hostile names, and hostile directories.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use cg_preprocess::io::{NoSource, SourceFiles, SourceOptions};
use tempfile::TempDir;

/// A directory `app` of sources, and a file beside it that must not be read.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(TempDir::new().unwrap());
        fs::create_dir_all(place.path("app/src")).unwrap();
        place.write("secret.txt", "secret");
        place.write("app/src/a.c", "one\ntwo\r\n\nfour");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn files(&self, directories: &[&str], root: Option<&str>) -> SourceFiles {
        let mut options = SourceOptions::default();
        options.directories = directories
            .iter()
            .map(|directory| self.path(directory))
            .collect();
        options.root = root.map(|root| root.as_bytes().to_vec());
        SourceFiles::open(&options, None).unwrap()
    }

    /// What becomes of one name, with the directory `app`.
    fn read(&self, name: &str) -> Result<String, NoSource> {
        text(&mut self.files(&["app"], None), name)
    }
}

/// The first 100 lines.
fn text(files: &mut SourceFiles, name: &str) -> Result<String, NoSource> {
    let lines = lines(files, name, 0..=100)?;
    Ok(lines
        .into_iter()
        .map(|(_, line)| line)
        .collect::<Vec<_>>()
        .join("\n"))
}

/// Lines with their numbers.
fn lines(
    files: &mut SourceFiles,
    name: &str,
    wanted: impl IntoIterator<Item = u64>,
) -> Result<Vec<(u64, String)>, NoSource> {
    let mut all = Vec::new();
    let keep = |number, line: &str| all.push((number, line.to_owned()));
    files.read(name.as_bytes(), &wanted.into_iter().collect(), keep)?;
    Ok(all)
}

fn counts(files: &SourceFiles) -> [u64; 3] {
    let counts = files.counts();
    [counts.found, counts.refused, counts.missing]
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn files_are_found_by_their_own_names_and_below_the_directories() {
    let place = Place::new();
    place.write("other/b.c", "b");
    // The first directory counts.
    place.write("other/src/a.c", "another");
    place.write("app/2/a.c", "not of /srv/app2");
    let mut files = place.files(&["app", "other"], Some("/srv/app/"));
    let whole = "one\ntwo\n\nfour";
    for found in [
        name(&place.path("app/src/a.c")),
        name(&place.path("app/src/../src/./a.c")),
        "/srv/app/src/a.c".to_owned(),
        "src/a.c".to_owned(),
        "./src//a.c".to_owned(),
    ] {
        assert_eq!(text(&mut files, &found).unwrap(), whole, "{found}");
    }
    assert_eq!(text(&mut files, "b.c").unwrap(), "b");
    let missing = "|???|php:internal|a.c|/srv/src/a.c|/srv/app2/a.c|/srv/application/src/a.c|/srv/app|/srv/app/|src/a.c\0|src|/|.|..";
    for missing in missing.split('|') {
        assert!(text(&mut files, missing).is_err(), "{missing:?}");
    }
    // Directories are there. The first three are no names of files, and are not looked for.
    assert_eq!(counts(&files), [6, 4, 7]);
    // Each counts once.
    assert!(text(&mut files, "b.c").is_ok() && text(&mut files, "a.c").is_err());
    assert_eq!(counts(&files), [6, 4, 7]);
}

/// Around the places where the file is read on, with characters of several bytes.
#[test]
fn long_lines_are_cut_and_short_ones_are_whole() {
    let place = Place::new();
    let (most, over) = ("é".repeat(1_000), "é".repeat(1_001));
    let cut = format!("{most}…");
    for (line, shown) in [(&most, &most), (&over, &cut), (&"é".repeat(200_000), &cut)] {
        for end in ["", "\n", "\r\n"] {
            for before in 0..4 {
                let before = "x".repeat((64 << 10) - 1_001 + before);
                place.write("app/a.c", format!("{before}\n{line}{end}"));
                let mut files = place.files(&["app"], None);
                let found = lines(&mut files, "a.c", [2]).unwrap();
                assert!(found == [(2, shown.clone())], "{end:?}");
            }
        }
    }
}

#[test]
fn what_is_outside_or_hidden_is_refused() {
    let place = Place::new();
    place.write("app/.env", "hidden");
    place.write("app/.kept/config", "hidden");
    place.write("app/src/..c", "hidden");
    place.write("application/a.c", "outside");
    for (name, reason) in [
        (name(&place.path("secret.txt")), NoSource::Outside),
        (name(&place.path("application/a.c")), NoSource::Outside),
        ("../secret.txt".to_owned(), NoSource::Outside),
        ("src/../../secret.txt".to_owned(), NoSource::Outside),
        ("/etc/passwd".to_owned(), NoSource::Outside),
        (".env".to_owned(), NoSource::Hidden),
        (".kept/config".to_owned(), NoSource::Hidden),
        ("src/..c".to_owned(), NoSource::Hidden),
        ("src/".to_owned(), NoSource::NotRegular),
    ] {
        if cfg!(windows) && name == "/etc/passwd" {
            continue;
        }
        assert_eq!(place.read(&name), Err(reason), "{name}");
    }
    // A directory may itself be hidden, and be named although another one has it.
    let mut files = place.files(&["app", "app/.kept"], None);
    assert_eq!(text(&mut files, "config").unwrap(), "hidden");
    assert_eq!(text(&mut files, ".kept/config").unwrap(), "hidden");
    assert_eq!(text(&mut files, ".env"), Err(NoSource::Hidden));
}

#[test]
fn a_file_that_was_read_once_is_found_even_if_it_cannot_be_read_again() {
    let place = Place::new();
    let mut files = place.files(&["app"], None);
    assert!(text(&mut files, "src/a.c").is_ok());
    fs::remove_file(place.path("app/src/a.c")).unwrap();
    assert_eq!(text(&mut files, "src/a.c"), Err(NoSource::NotFound));
    assert_eq!(counts(&files), [1, 0, 0]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::common::make_pipe;

    #[test]
    fn what_the_user_may_not_read_is_not_read() {
        let place = Place::new();
        let file = place.path("app/src/a.c");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        // For root, there is no such file.
        if File::open(&file).is_err() {
            assert_eq!(place.read("src/a.c"), Err(NoSource::Unreadable));
        }
    }

    /// Puts links to other places where there is a file or a directory, again and again.
    #[test]
    fn links_that_replace_files_meanwhile_do_not_lead_out() {
        let place = Place::new();
        place.write("app/x/a.c", "shown");
        place.write("app/y.c", "shown");
        place.write("out/a.c", "secret");
        place.write("out/fifo", "");
        let fifo = place.path("fifo");
        make_pipe(&fifo);
        let has_ended = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let [new, x, y, aside] =
                    ["new", "app/x", "app/y.c", "aside"].map(|name| place.path(name));
                while !has_ended.load(Ordering::Relaxed) {
                    symlink(place.path("out"), &new).unwrap();
                    fs::rename(&x, &aside).unwrap();
                    fs::rename(&new, &x).unwrap();
                    symlink(place.path("secret.txt"), &new).unwrap();
                    fs::rename(&new, &y).unwrap();
                    fs::hard_link(&fifo, &new).unwrap();
                    fs::rename(&new, &y).unwrap();
                    fs::remove_file(&x).unwrap();
                    fs::rename(&aside, &x).unwrap();
                    fs::write(&new, "shown").unwrap();
                    fs::rename(&new, &y).unwrap();
                }
            });
            let mut shown = 0;
            for round in 0..20_000 {
                let name = ["x/a.c", "y.c"][round % 2];
                if let Ok(text) = place.read(name) {
                    assert_eq!(text, "shown");
                    shown += 1;
                }
            }
            has_ended.store(true, Ordering::Relaxed);
            assert!(shown > 0);
        });
    }

    /// Whatever is read of a file that is written in place at the same time, it is no part of a text.
    #[test]
    fn a_file_that_is_replaced_meanwhile_is_whole_or_refused() {
        let place = Place::new();
        let texts = [("a", 1_000), ("b", 2_000)]
            .map(|(text, lines)| (text.repeat(99) + "\n").repeat(lines));
        let [file, next] = ["app/a.c", "app/next"].map(|name| place.path(name));
        fs::write(&file, &texts[0]).unwrap();
        let readings: Vec<_> = thread::scope(|scope| {
            scope.spawn(|| {
                for text in texts.iter().cycle().take(1_000) {
                    fs::write(&next, text).unwrap();
                    fs::rename(&next, &file).unwrap();
                }
            });
            (0..1_000).map(|_| place.read("a.c")).collect()
        });
        for reading in readings {
            match reading {
                Ok(text) => assert!(texts.iter().any(|all| all.starts_with(&text))),
                Err(reason) => assert_eq!(reason, NoSource::Changed),
            }
        }
    }
}
