//! What packages ship beside the program: its manual page and completions.

use std::io::{self, Write};

use clap::{Command, ValueEnum};
use clap_complete::Shell;

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
            None => clap_mangen::Man::new(command).render(&mut text)?,
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
