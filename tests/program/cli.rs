//! The command line: arguments, messages, exit statuses, and webgrind's way of calling.

use crate::runner::{messages, run, written};

/// What the program answers to arguments that ask for something to read.
fn answer(argument: &str) -> String {
    String::from_utf8(written(run([argument], b""))).unwrap()
}

#[test]
fn help_is_readable_at_80_columns() {
    for argument in ["-h", "--help"] {
        let help = answer(argument);
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for text in ["--output", "--progress", "\nExamples:\n", "\nFigures:\n"] {
            assert!(help.contains(text), "{argument}: {text}");
        }
    }
    assert!(answer("--version").starts_with("cg-preprocess "));
}

#[test]
fn packages_get_a_manual_page_and_completions() {
    for (what, sign) in [
        ("man", ".TH cg-preprocess 1"),
        ("complete-bash", "complete -F _cg"),
        ("complete-zsh", "#compdef cg-preprocess"),
        ("complete-fish", "complete -c cg-preprocess"),
        ("complete-powershell", "Register-ArgumentCompleter"),
    ] {
        let text = written(run(["--generate", what], b""));
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(sign), "{what}");
        assert!(
            text.contains("on-overflow") || text.contains("on\\-overflow"),
            "{what}"
        );
    }
}

#[test]
fn the_manual_page_shows_values_their_meanings_and_what_may_be_repeated() {
    let page = String::from_utf8(written(run(["--generate", "man"], b""))).unwrap();
    // Without the marks of bold and italic.
    let fonts = ["\\fB", "\\fI", "\\fR"];
    let page = fonts.iter().fold(page, |page, font| page.replace(font, ""));
    let page = page.replace("\\-", "-");
    for text in [
        "\ncg-preprocess [-o FILE] ",
        " [-e NAME]... ",
        " [--sort BY] ",
        " [-q] [-v] [--generate WHAT] [INPUT]...\n",
        "\npreprocessor IN OUT [PROXY_FUNCTION]...\n",
        "\nsaturate: Write 4294967295\n",
        "\ncollapsed: The call stacks, for flame graphs\n",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn it_says_where_completions_belong() {
    let help = answer("--help");
    for place in [
        "~/.local/share/bash-completion/completions/cg-preprocess",
        "_cg-preprocess in a folder of $fpath",
        "~/.config/fish/completions/cg-preprocess.fish",
    ] {
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(place), "{place}");
    }
}

#[test]
fn wrong_arguments_are_repeated_as_they_may_be_shown() {
    let hostile = "\u{9b}31m\u{202e}\r\u{1b}]0;x\u{7}";
    for arguments in [
        &["--top", hostile][..],
        &["--format", hostile],
        &["--max-growth", hostile, "--base", "x"],
        &[&format!("--{hostile}")],
    ] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = messages(&output);
        assert!(
            message.contains("\\u{9b}31m\\u{202e}\\r\\x1b]0;x\\x07"),
            "{message}"
        );
        let is_plain = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(message.chars().all(is_plain), "{message:?}");
    }
}

#[test]
fn json_holds_no_controls() {
    let profile = "events: Ir\nfn=a\u{7f}\u{9b}31m\n1 5\n";
    let json = String::from_utf8(written(run(["-f", "json"], profile.as_bytes()))).unwrap();
    assert!(json.contains(r#""name":"a\u007f\u009b31m""#), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["functions"][0]["name"], "a\u{7f}\u{9b}31m");
}
