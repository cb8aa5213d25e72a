//! The packages of files and objects.

use super::last_component;
use super::outline::crate_name;
use crate::maps::{HashMap, HashSet};

/// Names packages: the installed ones, and the directories of the program's own files.
pub(crate) struct Packages {
    /// The directories that all of the program's own files are in.
    common: Vec<String>,
}

impl Packages {
    /// Takes all files of a profile, each with its object.
    ///
    /// The program's own files are those in the top-level directory with more than half of the files
    /// that are not installed: a single file in `/etc` must not make all others one package. If
    /// there is no such directory, they have none in common.
    pub fn new(files: impl Iterator<Item = (String, String)>) -> Self {
        let own =
            files.filter(|(file, object)| is_known(file) && installed(file, object).is_none());
        let own: HashSet<String> = own.map(|(file, _)| file).collect();
        let mut by_top: HashMap<Option<&str>, Vec<&str>> = HashMap::default();
        for file in &own {
            by_top
                .entry(directories(file).next())
                .or_default()
                .push(file);
        }
        let most = by_top
            .into_values()
            .find(|files| 2 * files.len() > own.len());
        let most = most.unwrap_or_default();
        let mut common: Vec<&str> = most
            .first()
            .map_or(Vec::new(), |file| directories(file).collect());
        for file in most {
            common.truncate(shared(&common, file));
        }
        Packages {
            common: common.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The package of a function: an installed one; its crate, if it is Rust; or the first directory that tells its
    /// file apart from the program's own files.
    pub fn name(&self, function: &str, file: &str, object: &str) -> String {
        // Crates are in directories called `src`.
        let own_crate = || crate_name(function).filter(|_| file.ends_with(".rs"));
        installed(file, object)
            .or_else(own_crate)
            .unwrap_or_else(|| {
                let directory = directories(file)
                    .take(shared(&self.common, file) + 1)
                    .last();
                directory.unwrap_or(file).to_owned()
            })
    }
}

/// Whether a file or object has a name.
pub(crate) fn is_known(file: impl AsRef<[u8]>) -> bool {
    !matches!(file.as_ref(), b"" | b"???")
}

/// Whether a file stands for PHP's own functions. These have none; Xdebug gives them lines of their callers.
pub(crate) fn is_internal(file: impl AsRef<[u8]>) -> bool {
    file.as_ref().starts_with(b"php:")
}

/// The directories of a file.
fn directories(file: &str) -> impl Iterator<Item = &str> {
    let end = file.rfind(['/', '\\']).unwrap_or(0);
    let directories = file[..end].split(['/', '\\']);
    directories.filter(|directory| !directory.is_empty())
}

/// The number of common directories that a file is in.
fn shared(common: &[impl AsRef<str>], file: &str) -> usize {
    let both = common.iter().zip(directories(file));
    both.take_while(|(one, other)| one.as_ref() == *other)
        .count()
}

/// How the directories below a place name a package.
#[derive(Clone, Copy)]
enum Naming {
    /// By the first one, or two if that is a scope: `@a/b`.
    First,
    FirstTwo,
    /// By the first one, which ends with a version: `serde-1.0.2`.
    WithVersion,
}

/// Where packages are installed: directories, in which `*` stands for any.
const PLACES: [(&[&str], Naming); 10] = [
    (&["vendor"], Naming::FirstTwo),
    (&["node_modules"], Naming::First),
    (&["site-packages"], Naming::First),
    (&["dist-packages"], Naming::First),
    (&["usr", "share", "php"], Naming::First),
    (&["usr", "include"], Naming::First),
    (&["usr", "local", "include"], Naming::First),
    (&["registry", "src", "*"], Naming::WithVersion),
    (&["rust", "deps"], Naming::WithVersion),
    (&["rustc", "*", "library"], Naming::First),
];

/// The installed package of a file or object, or the name of the program if the file is not known.
fn installed(file: &str, object: &str) -> Option<String> {
    if is_internal(file) {
        return Some("php".to_owned());
    }
    let directories: Vec<&str> = directories(file).collect();
    for (place, naming) in PLACES {
        let is_place = |directories: &[&str]| {
            let mut both = place.iter().zip(directories);
            both.all(|(name, directory)| *name == "*" || name == directory)
        };
        let Some(at) = directories.windows(place.len()).rposition(is_place) else {
            continue;
        };
        match (&directories[at + place.len()..], naming) {
            ([], _) => {}
            ([name, ..], Naming::WithVersion) => {
                let name = name.rsplit_once('-').map_or(*name, |(name, _)| name);
                return Some(name.to_owned());
            }
            ([first, second, ..], naming)
                if matches!(naming, Naming::FirstTwo) || first.starts_with('@') =>
            {
                return Some([*first, *second].join("/"));
            }
            ([name, ..], _) => return Some((*name).to_owned()),
        }
    }
    let name = last_component(object.as_bytes());
    let is_library = name.ends_with(b".so") || memchr::memmem::find(name, b".so.").is_some();
    let is_named = is_library || !is_known(file) && is_known(object);
    is_named.then(|| object[object.len() - name.len()..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_elsewhere_changes_no_other_package() {
        let names = |files: &[&str]| {
            let all = files.iter().map(|file| (file.to_string(), String::new()));
            let packages = Packages::new(all);
            let names: Vec<String> = files
                .iter()
                .map(|file| packages.name("a::f", file, ""))
                .collect();
            names.join(" ")
        };
        let own = ["/srv/app/one/a.c", "/srv/app/two/b.c", "/srv/app/c.c"];
        assert_eq!(names(&own), "one two app");
        assert_eq!(names(&[own[0], "/etc/a.c", own[1]]), "one etc two");
        assert_eq!(names(&[own[0], "/etc/a.c"]), "srv etc");
        assert_eq!(
            names(&[own[0], own[1], "/etc/a.c", "/etc/b.c"]),
            "srv srv etc etc"
        );
        assert_eq!(names(&["a.c", "b.c", "/srv/c.c"]), "a.c b.c srv");
        // Installed ones and those without a name have no vote.
        let (a, b) = ("/usr/share/php/A/a.php", "/usr/share/php/B/b.php");
        assert_eq!(
            names(&[a, b, "???", "", own[0], own[1]]),
            "A B ???  one two"
        );
    }

    #[test]
    fn files_are_of_packages() {
        for (file, object, expected) in [
            ("/srv/app/vendor/acme/http/src/A.php", "", Some("acme/http")),
            ("/srv/vendor/a/vendor/b/c/d.php", "", Some("b/c")),
            ("/srv/vendor/autoload.php", "", None),
            ("/srv/node_modules/@a/b/c.js", "", Some("@a/b")),
            ("/srv/node_modules/b/lib/c.js", "", Some("b")),
            ("/py/site-packages/yaml/nodes.py", "", Some("yaml")),
            ("phpunit.php", "", None),
            (
                "/home/me/.cargo/registry/src/index-1/serde-json-1.0.2/src/de.rs",
                "/app",
                Some("serde-json"),
            ),
            (
                "/rustc/0a1b/library/core/src/ptr/mod.rs",
                "/app",
                Some("core"),
            ),
            ("php:internal", "", Some("php")),
            ("./malloc/malloc.c", "/usr/lib/libc.so.6", Some("libc.so.6")),
            ("???", "/usr/lib/libm.so", Some("libm.so")),
            ("???", "/usr/bin/ls", Some("ls")),
            ("???", "???", None),
            ("/usr/share/php/Symfony/Finder/a.php", "", Some("Symfony")),
            ("/usr/share/php/a.php", "", None),
            ("/usr/lib/python3/dist-packages/yaml/a.py", "", Some("yaml")),
            ("/usr/include/c++/12/bits/stl_map.h", "/app", Some("c++")),
            ("/usr/include/stdio.h", "/app", None),
            ("/srv/app/include/c/a.h", "/app", None),
            (
                "/rust/deps/hashbrown-0.15.2/src/raw/mod.rs",
                "/app",
                Some("hashbrown"),
            ),
            ("/srv/app/src/a.c", "/srv/app/prog", None),
            ("", "", None),
        ] {
            assert_eq!(installed(file, object).as_deref(), expected, "{file}");
        }
    }
}
