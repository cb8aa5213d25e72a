//! What packages ship besides the program: its manual page and its completions.

use std::io::{self, Write};

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command, ValueEnum, ValueHint};
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
            Generate::CompleteBash => write_bash_completion(command, &mut text)?,
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

/// Writes the manual page: clap's sections, except that the synopsis shows the values of options
/// and what may be repeated, and that the exit status and the examples have sections of their own.
fn write_manual_page(command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let synopsis = synopsis(&command);
    let command = command.mut_arg("inputs", |inputs| inputs.value_name("INPUT..."));
    let man = Man::new(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    synopsis.to_writer(page)?;
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

fn synopsis(command: &Command) -> Roff {
    let mut line = vec![bold(command.get_name())];
    let (positional, options): (Vec<_>, Vec<_>) =
        command.get_arguments().partition(|arg| arg.is_positional());
    for arg in options.into_iter().chain(positional) {
        line.push(roman(" ["));
        if let Some(flag) = flags(arg).next() {
            line.push(bold(flag));
        }
        if arg.get_action().takes_values() {
            let names = arg.get_value_names().unwrap_or_default();
            let separator = if arg.is_positional() { "" } else { " " };
            line.extend([roman(separator), italic(names.join(" "))]);
        }
        line.push(roman("]"));
        if matches!(arg.get_action(), ArgAction::Append) {
            line.push(roman("..."));
        }
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    roff.text(line);
    roff.control("PP", []);
    roff.text([
        bold(PREPROCESSOR),
        roman(" "),
        italic("IN OUT"),
        roman(" ["),
        italic("PROXY_FUNCTION"),
        roman("]..."),
    ]);
    roff
}

/// The ways to type an option, the short one first.
fn flags(arg: &Arg) -> impl Iterator<Item = String> {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    short.into_iter().chain(long)
}

/// Writes a completion script for bash.
///
/// The one from clap completes the first word to options only, never to files. It does not handle
/// `--option=value`, which bash splits into three words.
fn write_bash_completion(mut command: Command, script: &mut Vec<u8>) -> io::Result<()> {
    command.build();
    let name = command.get_name();
    let function = name.replace('-', "_");
    writeln!(
        script,
        r#"_{function}() {{
    local cur=$2 prev=$3
    COMPREPLY=()
    # `--option=value` comes as three words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case $prev in"#
    )?;
    let takes_value = |arg: &&Arg| arg.get_action().takes_values();
    for arg in command.get_opts().filter(takes_value) {
        let flags: Vec<_> = flags(arg).collect();
        let flags = flags.join(" | ");
        if arg.get_value_hint() == ValueHint::AnyPath {
            // If there is no match here, bash completes file names.
            writeln!(script, "    {flags}) return ;;")?;
        } else {
            let values = arg.get_possible_values();
            let values: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
            let values = values.join(" ");
            writeln!(
                script,
                "    {flags}) _{function}_words '{values}'; return ;;"
            )?;
        }
    }
    let all: Vec<_> = command.get_arguments().flat_map(flags).collect();
    writeln!(
        script,
        r#"    esac
    [[ $cur == -* ]] && _{function}_words '{options}'
}}

# Completes to one of these words and nothing else.
_{function}_words() {{
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
    # Not in the bash 3.2 of macOS.
    compopt +o default +o bashdefault 2>/dev/null
}}

complete -F _{function} -o bashdefault -o default {name}"#,
        options = all.join(" "),
    )
}
