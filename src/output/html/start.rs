//! The state in which the report opens.

use std::io;

use super::Error;
use super::data::Data;
use crate::display::text::printable;
use crate::names::{HiddenNames, NameQuery};
use crate::output::json::Document;
use crate::view::GroupBy;

/// The state in which the report opens.
#[derive(Default)]
pub(super) struct InitialState {
    /// The words of functions to hide.
    hide: String,
    search: String,
    /// The function that is shown, by its rank.
    function: Option<usize>,
}

impl Data<'_, '_> {
    /// Finds what the report is to show first.
    pub fn start(&self) -> Result<InitialState, Error> {
        let options = self.report.options;
        let hidden = HiddenNames::new(&options.hide);
        let words: Vec<String> = hidden.words().map(plain).collect();
        let mut start = InitialState {
            hide: words.join(" "),
            ..InitialState::default()
        };
        let names = self.functions.all.iter();
        let names = names.map(|&function| self.report.named(function));
        if let Some(filter) = &options.filter {
            start.search = search(filter);
            if options.by == GroupBy::Function {
                NameQuery::new(filter).containing(names.clone())?;
            }
        }
        if let Some(name) = &options.function {
            match &NameQuery::new(name).find(names)?.0[..] {
                [one] => start.function = Some(*one),
                _ => start.search = search(name),
            }
        }
        Ok(start)
    }
}

impl InitialState {
    /// Writes it. A function that was omitted from the report is searched for.
    pub fn write(&self, data: &Data<'_, '_>, document: &mut Document<'_>) -> io::Result<()> {
        let functions = &data.functions;
        let function = self.function.and_then(|rank| functions.place(rank));
        let omitted = self.function.filter(|_| function.is_none());
        let omitted = omitted.map(|rank| search(data.report.named(functions.all[rank]).name));
        document.record("start", |record| {
            record.field("hide", &self.hide)?;
            record.field("search", omitted.as_ref().unwrap_or(&self.search))?;
            record.field("function", &function)
        })
    }
}

/// Whether the report takes a text for a regular expression.
fn is_pattern(text: &str) -> bool {
    text.len() > 2 && text.starts_with('/') && text.ends_with('/')
}

/// A text for the search, which is no regular expression.
fn search(text: &[u8]) -> String {
    let text = printable(text);
    if is_pattern(&text) {
        format!(" {text}")
    } else {
        text
    }
}

/// A word to hide; where the report takes it for a regular expression, one that fits the same.
fn plain(word: &str) -> String {
    if !is_pattern(word) {
        return word.to_owned();
    }
    let escaped = word.chars().map(|character| match character {
        '*' | '…' => ".*".to_owned(),
        plain if plain.is_alphanumeric() || !plain.is_ascii() => plain.to_string(),
        other => format!("\\{other}"),
    });
    format!("/{}/", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_a_regular_expression_that_fits_something_else() {
        let words = ["vendor/", "/", "//", "/a.b/", "/a*b/", "php::"];
        let plain = words.map(plain);
        assert_eq!(
            plain,
            ["vendor/", "/", "//", r"/\/a\.b\//", r"/\/a.*b\//", "php::"]
        );
        assert_eq!(
            ["/a/", "a/", "/ b /"].map(|text| search(text.as_bytes())),
            [" /a/", "a/", " / b /"]
        );
    }
}
