//! Functions in groups: classes, files, objects and packages.

use super::{Function, FunctionId, Profile};
use crate::display::text::printable;
use crate::names::{class, package};
use crate::tables::NameId;

/// What a row of a report is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum GroupBy {
    /// A function.
    #[default]
    Function,
    /// A class, else a namespace, else a file.
    Class,
    /// A source file.
    File,
    /// An object file, else a source file.
    Object,
    /// A Composer, npm or Python package, a crate or a shared library; else the first folder in which
    /// files differ.
    Package,
}

impl GroupBy {
    /// What one is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GroupBy::Function => "function",
            GroupBy::Class => "class",
            GroupBy::File => "file",
            GroupBy::Object => "object",
            GroupBy::Package => "package",
        }
    }

    /// What several are called.
    pub(crate) fn names(self) -> &'static str {
        match self {
            GroupBy::Function => "functions",
            GroupBy::Class => "classes",
            GroupBy::File => "files",
            GroupBy::Object => "objects",
            GroupBy::Package => "packages",
        }
    }

    /// The headings of names and places: groups have no place.
    pub(crate) fn headings(self, place: &str) -> [&str; 2] {
        match self {
            GroupBy::Function => [self.name(), place],
            _ => [self.name(), ""],
        }
    }
}

impl Profile {
    /// The profile with groups of functions in the place of functions: their self costs are summed,
    /// and only calls from outside of a group count. Also which group each function is of.
    ///
    /// None where each function is a row of its own.
    pub(crate) fn by(&self, by: GroupBy) -> Option<(Profile, Vec<FunctionId>)> {
        if by == GroupBy::Function {
            return None;
        }
        let folded = self.folded();
        let text = |name: NameId| printable(folded.name(name));
        let file = |function: &Function| match text(function.file) {
            file if !is_known(&file) && function.object != NameId::EMPTY => text(function.object),
            file => file,
        };
        let own_package =
            |function: &Function| package(&text(function.file), &text(function.object));
        // How many folders all files begin with that are of no package.
        let mut common: Option<Vec<String>> = None;
        for (_, function) in folded.functions().filter(|_| by == GroupBy::Package) {
            if is_known(&text(function.file)) && own_package(function).is_none() {
                let file = text(function.file);
                let folders =
                    common.get_or_insert_with(|| folders(&file).map(str::to_owned).collect());
                let shared = folders.iter().zip(self::folders(&file));
                let shared = shared.take_while(|(one, other)| one == other).count();
                folders.truncate(shared);
            }
        }
        let common = common.map_or(0, |folders| folders.len());
        folded.grouped(|function| {
            let group = match by {
                GroupBy::Class => class(&text(function.name)).unwrap_or_else(|| file(function)),
                GroupBy::Object if function.object != NameId::EMPTY => text(function.object),
                GroupBy::Package => own_package(function).unwrap_or_else(|| {
                    let file = file(function);
                    let folder = folders(&file).take(common + 1).last();
                    folder.map_or(file.clone(), str::to_owned)
                }),
                _ => file(function),
            };
            group.into_bytes()
        })
    }
}

/// Whether a file has a name.
fn is_known(file: &str) -> bool {
    !matches!(file, "" | "???")
}

/// The folders of a file.
fn folders(file: &str) -> impl Iterator<Item = &str> {
    let end = file.rfind(['/', '\\']).unwrap_or(0);
    file[..end]
        .split(['/', '\\'])
        .filter(|folder| !folder.is_empty())
}
