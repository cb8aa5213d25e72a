//! The package that a file or object belongs to.

use super::last_component;

/// The package of a file or object: `NAME/PACKAGE` below `vendor`, a crate, or a shared library;
/// `None` if it is in none of these.
pub(crate) fn package(file: &str, object: &str) -> Option<String> {
    if file == "php:internal" {
        return Some("php".to_owned());
    }
    let folders: Vec<&str> = file.split(['/', '\\']).collect();
    let (_, folders) = folders.split_last()?;
    let below = |folder: &str| {
        let at = folders.iter().rposition(|&name| name == folder)?;
        folders.get(at + 1..).filter(|rest| !rest.is_empty())
    };
    if let Some(rest) = below("vendor") {
        return Some(rest[..rest.len().min(2)].join("/"));
    }
    for folder in ["node_modules", "site-packages"] {
        if let Some(rest) = below(folder) {
            let is_scope = rest[0].starts_with('@');
            return Some(rest[..rest.len().min(1 + usize::from(is_scope))].join("/"));
        }
    }
    // As Cargo names folders: registry/src/INDEX/NAME-VERSION, and rustc those of its library.
    if let Some([_, crate_folder, ..]) =
        below("registry").and_then(|rest| rest.strip_prefix(&["src"]))
    {
        let name = crate_folder
            .rsplit_once('-')
            .map_or(*crate_folder, |(name, _)| name);
        return Some(name.to_owned());
    }
    if let (Some(_), Some([name, ..])) = (below("rustc"), below("library")) {
        return Some((*name).to_owned());
    }
    let library = last_component(object.as_bytes());
    let is_library = library.ends_with(b".so") || memchr::memmem::find(library, b".so.").is_some();
    is_library.then(|| object[object.len() - library.len()..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("/srv/app/src/a.c", "/srv/app/prog", None),
            ("", "", None),
        ] {
            assert_eq!(package(file, object).as_deref(), expected, "{file}");
        }
    }
}
