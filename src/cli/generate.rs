//! What packages contain besides the program: its manual and completions.

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::help::{ENVIRONMENT, EXAMPLES, EXIT_STATUS, FILES, MORE, NAME, PREPROCESSOR, SEE_ALSO};

/// A file to generate.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Generate {
    /// The manual page.
    Man,
    /// Completions for bash.
    #[value(alias = "bash")]
    CompleteBash,
    /// Completions for zsh.
    #[value(alias = "zsh")]
    CompleteZsh,
    /// Completions for fish.
    #[value(alias = "fish")]
    CompleteFish,
    /// Completions for PowerShell.
    #[value(name = "complete-powershell", alias = "powershell")]
    CompletePowerShell,
}

impl Generate {
    /// Writes it to standard output. It is not an error if the reader closes the pipe early.
    pub fn write(self, mut command: Command) -> io::Result<()> {
        let mut text = Vec::new();
        let mut complete = |shell| {
            let name = command.get_name().to_owned();
            clap_complete::generate(shell, &mut command, name, &mut text);
        };
        match self {
            Generate::Man => write_manual_page(command, &mut text)?,
            Generate::CompleteBash => {
                complete(Shell::Bash);
                text = improved_bash(&text);
            }
            Generate::CompleteZsh => complete(Shell::Zsh),
            Generate::CompleteFish => complete(Shell::Fish),
            Generate::CompletePowerShell => complete(Shell::PowerShell),
        }
        match io::stdout().write_all(&text) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            outcome => outcome,
        }
    }
}

/// Improves clap's script for bash: words without a dash are completed to file names, also the
/// first one, and `--option=value`, which bash splits into three words, works like `--option
/// value`. `packaging/check-completions` tests both.
fn improved_bash(script: &[u8]) -> Vec<u8> {
    const CHANGES: [(&str, &str); 3] = [
        (" || ${COMP_CWORD} -eq 1 ]]", " ]]"),
        (
            "*)\n                    COMPREPLY=()\n",
            "*)\n                    return 0\n",
        ),
        (
            "prev=\"$3\"\n",
            "prev=\"$3\"\n    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n",
        ),
    ];
    let script = String::from_utf8_lossy(script).into_owned();
    let change = |script: String, (from, to): &(&str, &str)| script.replace(from, to);
    CHANGES.iter().fold(script, change).into_bytes()
}

/// Writes the manual: the sections that clap makes, with every option in full, and others.
fn write_manual_page(command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = format!(
        "{} [OPTIONS] [INPUT]...\n{PREPROCESSOR} IN OUT [PROXY_FUNCTION]...",
        command.get_name()
    );
    // Its first paragraph is the title.
    let description = command.get_long_about().map(ToString::to_string);
    let description = description
        .as_deref()
        .and_then(|about| about.split_once("\n\n"));
    let description = description.map_or_else(String::new, |(_, about)| about.to_owned());
    let shown = |argument: Arg| argument.hide_long_help(false).hide_short_help(false);
    let command = command
        .override_usage(usage)
        .about(NAME)
        .long_about(description)
        .mut_args(shown);
    let headings = command.get_arguments().filter_map(Arg::get_help_heading);
    let headings: BTreeSet<String> = headings.map(str::to_owned).collect();
    let man = Man::new(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    let mut options = Vec::new();
    man.render_options_section(&mut options)?;
    let options = String::from_utf8_lossy(&options).into_owned();
    let options = headings.iter().fold(options, with_subsection);
    page.extend(options.bytes());
    let mut more = Roff::new();
    verbatim(&mut more, "EXIT STATUS", EXIT_STATUS);
    listed(&mut more, "ENVIRONMENT", ENVIRONMENT);
    listed(&mut more, "FILES", FILES);
    verbatim(&mut more, "EXAMPLES", &format!("{EXAMPLES}\n\n{MORE}"));
    more.control("SH", ["SEE ALSO"]);
    more.text([roman(SEE_ALSO)]);
    more.to_writer(page)
}

/// A section whose lines stay as they are.
fn verbatim(page: &mut Roff, title: &str, text: &str) {
    page.control("SH", [title]);
    page.control("nf", []);
    for line in text.lines() {
        page.text([roman(line)]);
    }
    page.control("fi", []);
}

/// A section with a list of things and what they are.
fn listed(page: &mut Roff, title: &str, list: &[(&str, &str)]) {
    page.control("SH", [title]);
    for (thing, text) in list {
        page.control("TP", []);
        page.text([bold(*thing)]);
        page.text([roman(*text)]);
    }
}

/// Makes a group of options a subsection with its own heading. clap makes it a section in capital
/// letters.
fn with_subsection(options: String, heading: &String) -> String {
    let title = heading.to_uppercase();
    let subsection = format!(".SS \"{heading}\"\n");
    options
        .replace(&format!(".SH \"{title}\"\n"), &subsection)
        .replace(&format!(".SH {title}\n"), &subsection)
}
