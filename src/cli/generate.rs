//! What packages ship besides the program: its manual page and its completions.

use std::io::{self, Write};

use clap::{Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::help::{EXAMPLES, EXIT_STATUS, PREPROCESSOR};

/// A file to generate.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Generate {
    /// The manual page.
    Man,
    /// Completions for bash.
    CompleteBash,
    /// Completions for zsh.
    CompleteZsh,
    /// Completions for fish.
    CompleteFish,
    /// Completions for PowerShell.
    #[value(name = "complete-powershell")]
    CompletePowerShell,
}

impl Generate {
    /// Writes it to standard output; a reader that closes the pipe early is no error.
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

/// Changes the script that clap makes for bash: what does not begin with a dash is completed to the
/// names of files, also as the first word, and `--option=value`, which bash splits into three words,
/// like `--option value`. `packaging/check-completions` tries both.
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

/// Writes the manual page: clap's sections, the name under which it takes webgrind's arguments, and
/// sections for the exit status and the examples.
fn write_manual_page(command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    let mut preprocessor = Roff::new();
    preprocessor.control("PP", []);
    preprocessor.text([
        bold(PREPROCESSOR),
        roman(" "),
        italic("IN OUT"),
        roman(" ["),
        italic("PROXY_FUNCTION"),
        roman("]..."),
    ]);
    preprocessor.to_writer(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    let mut more = Roff::new();
    more.control("SH", ["EXIT STATUS"]);
    more.text([roman(EXIT_STATUS)]);
    more.control("SH", ["EXAMPLES"]);
    more.control("nf", []);
    for line in EXAMPLES.lines() {
        more.text([roman(line)]);
    }
    more.control("fi", []);
    more.to_writer(page)?;
    man.render_version_section(page)
}
