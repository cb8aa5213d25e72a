//! What outputs are written from.

use std::fmt::Display;
use std::rc::Rc;

use crate::compare::{OneOrTwo, Views, ViewsError};
use crate::io::{SourceFiles, Target};
use crate::output::{Notes, ReportOptions};
use crate::run::{ConvertOptions, Warning, notices};
use crate::stacks::Stacks;
use crate::view::GroupBy;

/// What an output is written from.
pub(in crate::run) struct Material<'a> {
    pub views: &'a Views<'a>,
    /// The same with what is to be hidden.
    pub whole: &'a Views<'a>,
    pub notes: Notes<'a>,
    pub sources: &'a mut SourceFiles,
    pub options: &'a ConvertOptions,
    /// Whether the output goes to a terminal.
    pub to_terminal: bool,
    pub output: &'a Target,
    /// What to know about estimated stacks.
    pub estimates: Option<String>,
    /// Warnings about the output.
    pub found: Vec<Warning>,
}

impl<'a> Material<'a> {
    pub fn report_options(&self) -> &'a ReportOptions {
        &self.options.text
    }

    /// The requested rows.
    pub fn rows(&self) -> Result<Rc<OneOrTwo<'a>>, ViewsError> {
        self.views.by(self.options.text.by)
    }

    /// The functions.
    pub fn functions(&self) -> Result<Rc<OneOrTwo<'a>>, ViewsError> {
        self.views.by(GroupBy::Function)
    }

    /// The stacks of the base, if there is one, and of the profile.
    pub fn stacks(&mut self) -> (Option<&'a Stacks<'a>>, &'a Stacks<'a>) {
        let (base, new) = self.views.stacks();
        let inputs = self.notes.inputs;
        let sides = base.map(|base| (inputs.base, base));
        if let Some((inputs, what)) =
            notices::estimated(sides.into_iter().chain([(inputs.new, new)]))
        {
            let inputs = inputs.to_owned();
            self.estimates = Some(what.clone());
            self.found.push(Warning::Overall { inputs, what });
        }
        (base, new)
    }

    /// Passes the warnings of a writer on.
    pub fn warn(&mut self, warnings: impl IntoIterator<Item = impl Display>) {
        let written = |warning: &dyn Display| Warning::Written {
            output: self.output.clone(),
            what: warning.to_string(),
        };
        let warnings = warnings.into_iter();
        self.found.extend(warnings.map(|warning| written(&warning)));
    }
}
