//! What packages ship beside the program: its manual page and completions.

use std::io::{self, Write};

use clap::{Command, ValueEnum};
use clap_complete::Shell;

use crate::cli;

/// What to write.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Generate {
    /// Manual page, for man(1)
    Man,
    /// Completions for bash
    CompleteBash,
    /// Completions for zsh
    CompleteZsh,
    /// Completions for fish
    CompleteFish,
    /// Completions for PowerShell
    CompletePowershell,
}

impl Generate {
    /// Writes it to standard output; a reader that does not want all of it is no error.
    pub fn write(self, mut command: Command) -> io::Result<()> {
        let mut text = Vec::new();
        let shell = match self {
            Generate::Man => None,
            Generate::CompleteBash => Some(Shell::Bash),
            Generate::CompleteZsh => Some(Shell::Zsh),
            Generate::CompleteFish => Some(Shell::Fish),
            Generate::CompletePowershell => Some(Shell::PowerShell),
        };
        match shell {
            None => write_man(command, &mut text)?,
            Some(shell) => {
                let name = command.get_name().to_owned();
                clap_complete::generate(shell, &mut command, name, &mut text);
            }
        }
        match io::stdout().write_all(&text) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            outcome => outcome,
        }
    }
}

/// Writes the manual page, with the examples and the exit statuses in sections of their own.
fn write_man(command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = clap_mangen::Man::new(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    write_as_it_stands("EXAMPLES", cli::EXAMPLES, page)?;
    write_as_it_stands("EXIT STATUS", cli::EXIT_STATUS, page)?;
    man.render_version_section(page)
}

/// Writes a section whose lines are not filled.
fn write_as_it_stands(title: &str, text: &str, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH \"{title}\"\n.nf")?;
    for line in text.lines() {
        // `\&` keeps a dot or a quote at the start from being a request.
        writeln!(page, "\\&{}", line.replace('\\', "\\e").replace('-', "\\-"))?;
    }
    writeln!(page, ".fi")
}
