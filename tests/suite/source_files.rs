//! Which source files may be shown: hostile names, and hostile folders.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cg_preprocess::io::{NoSource, SourceFiles, SourceOptions};
use tempfile::TempDir;

/// A folder `app` of sources, and a file beside it that must not be read.
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

    fn files(&self, folders: &[&str], root: Option<&str>) -> SourceFiles {
        let mut options = SourceOptions::default();
        options.folders = folders.iter().map(|folder| self.path(folder)).collect();
        options.root = root.map(|root| root.as_bytes().to_vec());
        SourceFiles::open(&options, None).unwrap()
    }

    /// What becomes of one name, with the folder `app`.
    fn read(&self, name: &str) -> Result<String, NoSource> {
        text(&mut self.files(&["app"], None), name)
    }
}

fn text(files: &mut SourceFiles, name: &str) -> Result<String, NoSource> {
    let file = files.read(name.as_bytes());
    file.map(|file| file.text().to_owned())
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn files_are_found_by_their_own_names_and_below_the_folders() {
    let place = Place::new();
    place.write("other/b.c", "b");
    let mut files = place.files(&["app", "other"], Some("/srv/app/"));
    let whole = "one\ntwo\r\n\nfour";
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
    let missing = "|???|php:internal|a.c|/srv/src/a.c|/srv/application/src/a.c|/srv/app|/srv/app/|src/a.c\0|src|/|.|..";
    for missing in missing.split('|') {
        assert!(text(&mut files, missing).is_err(), "{missing:?}");
    }
    assert_eq!((files.found(), files.missing()), (6, 13));
    // Each counts once.
    assert!(text(&mut files, "b.c").is_ok() && text(&mut files, "a.c").is_err());
    assert_eq!((files.found(), files.missing()), (6, 13));
}

#[test]
fn nothing_is_read_without_a_folder() {
    let place = Place::new();
    let mut files = place.files(&[], Some("/srv"));
    let own = name(&place.path("app/src/a.c"));
    assert!(files.is_empty());
    assert_eq!(text(&mut files, &own), Err(NoSource::NoFolder));
    for wrong in ["missing", "app/src/a.c"] {
        let mut options = SourceOptions::default();
        options.folders = vec![place.path(wrong)];
        let error = SourceFiles::open(&options, None).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}

#[test]
fn lines_have_numbers_from_1() {
    let place = Place::new();
    place.write("app/empty.c", "");
    place.write("app/ended.c", "one\n");
    let mut files = place.files(&["app"], None);
    let file = files.read(b"src/a.c").unwrap();
    let lines = [1, 2, 3, 4].map(|number| file.line(number).unwrap());
    assert_eq!(lines, ["one", "two", "", "four"]);
    assert_eq!([0, 5, u64::MAX].map(|number| file.line(number)), [None; 3]);
    let file = files.read(b"ended.c").unwrap();
    assert_eq!([1, 2].map(|number| file.line(number)), [Some("one"), None]);
    assert_eq!(files.read(b"empty.c").unwrap().line(1), None);
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
    // A folder may itself be hidden, and be named although another one has it.
    let mut files = place.files(&["app", "app/.kept"], None);
    assert_eq!(text(&mut files, "config").unwrap(), "hidden");
    assert_eq!(text(&mut files, ".kept/config").unwrap(), "hidden");
    assert_eq!(text(&mut files, ".env"), Err(NoSource::Hidden));
}

#[test]
fn only_text_of_at_most_2_mib_is_read() {
    let place = Place::new();
    let largest = vec![b'x'; 2 << 20];
    place.write("app/large.c", &largest);
    place.write("app/larger.c", [&largest[..], b"x"].concat());
    place.write("app/latin-1.c", b"gr\xfc\xdfe");
    place.write("app/zero.c", "a\0b");
    assert_eq!(place.read("large.c").unwrap().len(), 2 << 20);
    assert_eq!(place.read("larger.c"), Err(NoSource::TooLarge));
    assert_eq!(place.read("latin-1.c"), Err(NoSource::NotText));
    assert_eq!(place.read("zero.c"), Err(NoSource::NotText));
}

#[test]
fn many_files_are_read_again_instead_of_kept() {
    let place = Place::new();
    let text = vec![b'x'; 2 << 20];
    for number in 0..40 {
        place.write(&format!("app/{number}.c"), &text);
    }
    let mut files = place.files(&["app"], None);
    for _ in 0..2 {
        for number in 0..40 {
            let file = files.read(format!("{number}.c").as_bytes()).unwrap();
            assert_eq!(file.text().len(), 2 << 20);
        }
    }
    // What was read once is found, although it can no longer be read.
    fs::remove_file(place.path("app/0.c")).unwrap();
    assert_eq!(files.read(b"0.c").err(), Some(NoSource::NotFound));
    assert_eq!((files.found(), files.missing()), (40, 0));
}

#[test]
fn a_file_that_is_newer_than_the_profile_is_marked() {
    let place = Place::new();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let second = Duration::from_secs(1);
    for (profile, is_newer) in [
        (None, false),
        (Some(time - second), true),
        (Some(time), false),
        (Some(time + second), false),
    ] {
        let source = File::options().write(true).open(place.path("app/src/a.c"));
        source.unwrap().set_modified(time).unwrap();
        let mut options = SourceOptions::default();
        options.folders = vec![place.path("app")];
        let mut files = SourceFiles::open(&options, profile).unwrap();
        for _ in 0..2 {
            assert_eq!(files.read(b"src/a.c").unwrap().is_newer(), is_newer);
        }
        let newer: &[Vec<u8>] = &[b"src/a.c".to_vec()];
        assert_eq!(files.newer(), if is_newer { newer } else { &[] });
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::common::make_pipe;

    #[test]
    fn links_are_followed_before_anything_is_decided() {
        let place = Place::new();
        place.write("app/.env", "hidden");
        for (target, link) in [
            (place.path("secret.txt"), "out.c"),
            (place.path(""), "up"),
            ("src/a.c".into(), "in.c"),
            ("src".into(), "folder"),
            (".env".into(), "shown.c"),
            ("src/a.c".into(), ".hidden.c"),
            ("loop.c".into(), "loop.c"),
            ("/dev/zero".into(), "endless.c"),
            ("/proc/self/environ".into(), "environ.c"),
        ] {
            symlink(target, place.path("app").join(link)).unwrap();
        }
        for name in ["in.c", "folder/a.c", "folder/../src/a.c", ".hidden.c"] {
            assert!(place.read(name).is_ok(), "{name}");
        }
        for (name, reason) in [
            ("out.c", NoSource::Outside),
            ("up/secret.txt", NoSource::Outside),
            ("shown.c", NoSource::Hidden),
            ("loop.c", NoSource::NotFound),
            ("endless.c", NoSource::Outside),
            ("/dev/zero", NoSource::Outside),
            ("environ.c", NoSource::Outside),
        ] {
            if Path::new("/proc/self/environ").exists() || name != "environ.c" {
                assert_eq!(place.read(name), Err(reason), "{name}");
            }
        }
        // The folder may be named by a link.
        symlink("app", place.path("linked")).unwrap();
        let mut files = place.files(&["linked"], None);
        assert!(text(&mut files, &name(&place.path("app/src/a.c"))).is_ok());
        assert!(text(&mut files, &name(&place.path("linked/src/a.c"))).is_ok());
    }

    #[test]
    fn pipes_and_devices_are_not_opened() {
        let place = Place::new();
        let pipe = place.path("app/pipe.c");
        make_pipe(&pipe);
        assert_eq!(place.read("pipe.c"), Err(NoSource::NotRegular));
        let mut options = SourceOptions::default();
        options.folders = vec!["/dev".into()];
        let mut files = SourceFiles::open(&options, None).unwrap();
        assert_eq!(text(&mut files, "zero"), Err(NoSource::NotRegular));
        assert_eq!(text(&mut files, "/dev/tty"), Err(NoSource::NotRegular));
    }

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

    /// Puts links to other places where there is a file or a folder, again and again.
    #[test]
    fn what_is_exchanged_meanwhile_does_not_lead_out() {
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
    fn a_file_that_is_exchanged_meanwhile_is_whole_or_refused() {
        let place = Place::new();
        let texts = ["a".repeat(100_000), "b".repeat(200_000)];
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
                Ok(text) => assert!(texts.contains(&text)),
                Err(reason) => assert_eq!(reason, NoSource::Changed),
            }
        }
    }
}
