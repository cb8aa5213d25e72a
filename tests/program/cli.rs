//! The command line: arguments, messages, exit statuses, and webgrind's way of calling.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::runner::{bytes, fixture, incomplete, messages, program, run, written};

fn small() -> Vec<u8> {
    bytes("xdebug3/small.cg")
}

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
fn numbers_that_do_not_fit_are_told_in_plain_words() {
    for (option, value, expected) in [
        ("--top", "1.5", "expected a whole number: how many rows"),
        ("--max-growth", "12345678901234", "with up to 12 digits"),
        ("--max-growth", "1e3", "expected a number of percent"),
    ] {
        let output = run(["-f", "text", "--base", "a.cg", option, value], &small());
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(messages(&output).contains(expected), "{option} {value}");
    }
    // More rows than there can be are all of them.
    let all = written(run(["-f", "text", "--top", "0"], &small()));
    let top = "9".repeat(30);
    assert!(written(run(["-f", "text", "--top", &top], &small())) == all);
}

#[test]
fn wrong_usage_has_an_exit_status_of_its_own() {
    for arguments in [
        &["--no-such-option"][..],
        &["-f", "v8"],
        &["-f", "3"],
        &["--top", "many"],
        &["--top", "-1"],
        &["-q", "-v"],
        &["--kind", "sum"],
        &["--generate", "man", "a.cg"],
        &["-o"],
    ] {
        let output = run(arguments, &small());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let message = messages(&output);
        assert!(message.starts_with("error: "), "{message}");
    }
}

#[test]
fn an_option_that_has_no_effect_is_wrong_usage() {
    let message = messages(&run(["--top", "5"], &small()));
    assert!(
        message.contains("--top is for formats that have rows"),
        "{message}"
    );
    let output = run(["-f", "json", "--escape-html"], &small());
    assert_eq!(output.status.code(), Some(2));
    assert!(messages(&output).contains("--escape-html is for webgrind's formats"));
    let message = messages(&run(["-f", "text", "--top", "-1"], &small()));
    assert!(message.contains("how many rows, or 0 for all"), "{message}");
}

#[test]
fn names_may_be_escaped_for_a_page() {
    let profile = b"events: Ir\nfn=std::less<int&>\n1 2\n";
    let holds = |output: Vec<u8>, name: &[u8]| output.windows(name.len()).any(|at| at == name);
    let escaped = written(run(["--escape-html"], profile));
    assert!(holds(escaped, b"\nstd::less&lt;int&amp;>\n"));
    assert!(holds(
        written(run(["-f7"], profile)),
        b"\nstd::less<int&>\n"
    ));
    // PHP's names have nothing to escape.
    assert!(written(run(["--escape-html"], &small())) == bytes("xdebug3/small.v7.pre"));
}

#[test]
fn inputs_may_be_named_by_a_list() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("list");
    let paths = ["xdebug3/small.cg", "xdebug3/chain.cg"].map(fixture);
    let named = written(program().args(&paths).output().unwrap());
    let [first, second] = paths.each_ref().map(|path| path.to_str().unwrap());
    for names in [
        format!("{first}\n{second}\n"),
        format!("\n{first}\n{second}"),
        format!("{first}\r\n\r\n{second}\r\n"),
        format!("{first}\0{second}\0"),
    ] {
        fs::write(&list, &names).unwrap();
        let by_file = program().arg("--files-from").arg(&list).output().unwrap();
        assert!(written(by_file) == named, "{names:?}");
        let by_pipe = run(["--files-from", "-"], names.as_bytes());
        assert!(written(by_pipe) == named, "{names:?}");
    }
    fs::write(&list, second).unwrap();
    let mut both = program();
    both.arg("--files-from").arg(&list).arg(&paths[0]);
    assert!(written(both.output().unwrap()) == named);
}

#[test]
fn a_list_that_names_nothing_is_an_error() {
    for (list, cause) in [
        ("\n\n", "standard input: names no input"),
        ("missing.cg\n", "missing.cg: cannot be opened"),
    ] {
        let output = run(["--files-from", "-"], list.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let message = messages(&output);
        assert!(message.starts_with(&format!("error: {cause}")), "{message}");
    }
    let message = messages(&run(["--files-from", "no-list"], b""));
    assert!(
        message.starts_with("error: no-list: cannot be read: "),
        "{message}"
    );
    let output = run(["--files-from", "-", "-"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn versions_are_accepted_without_their_letter() {
    for version in ["4", "5", "6", "7"] {
        let with_letter = written(run(["-f", &format!("v{version}")], &small()));
        assert!(written(run(["-f", version], &small())) == with_letter);
    }
    assert!(written(run(["-f", "7"], &small())) == written(run(["-o", "-"], &small())));
}

#[test]
fn an_error_is_one_line_with_its_place_and_its_causes() {
    let text = "events: Ir\nfn=f\n1 2\nnonsense\n";
    for arguments in [&["-q"][..], &["-v"]] {
        let output = run(arguments, text.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let message = messages(&output);
        assert!(
            message.starts_with("error: standard input:4: "),
            "{message}"
        );
        assert!(message.ends_with("(found \"nonsense\")\n"), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
}

#[test]
fn warnings_can_be_silenced_but_change_nothing_else() {
    let profile = small();
    let cut = &profile[..profile.len() - 100];
    let output = run(["-o", "-"], cut);
    assert!(output.status.success());
    let message = messages(&output);
    assert!(message.starts_with("warning: standard input:"), "{message}");
    for quiet in ["-q", "--quiet"] {
        assert!(written(run([quiet], cut)) == output.stdout);
    }
}

#[test]
fn a_closing_line_tells_the_figures() {
    let profile = small();
    let output = run(["-v"], &profile);
    assert!(output.stdout == bytes("xdebug3/small.v7.pre"));
    let message = messages(&output);
    let start = format!(
        "17 functions, 68 calls, {} bytes in, {} bytes out, ",
        profile.len(),
        output.stdout.len()
    );
    assert!(message.starts_with(&start), "{message}");
    let numbers: Vec<_> = message[start.len()..].split(", ").collect();
    let number = |at: usize, unit: &str| {
        let number: &str = numbers[at].strip_suffix(unit).unwrap();
        number.parse::<f64>().unwrap()
    };
    assert!(number(0, " s") >= 0.0 && number(1, " MB/s\n") > 0.0);
    assert_eq!(message.lines().count(), 1);
    for format in ["json", "text"] {
        let output = run(["-v", "-f", format], &profile);
        let bytes_out = format!(" {} bytes out, ", output.stdout.len());
        assert!(messages(&output).contains(&bytes_out));
    }
}

#[cfg(feature = "compression")]
#[test]
fn verbose_shows_compressed_and_decompressed_bytes() {
    let path = fixture("compressed/small.cg.gz");
    let output = program().arg("-v").arg(&path).output().unwrap();
    let compressed = path.metadata().unwrap().len();
    let bytes_in = format!(" {compressed} bytes in ({} decompressed), ", small().len());
    assert!(messages(&output).contains(&bytes_in));
}

#[test]
fn progress_stays_out_of_logs_unless_it_is_wanted() {
    let path = fixture("xdebug3/composer.cg");
    for progress in ["auto", "never"] {
        let output = program().args(["--progress", progress]).arg(&path).output();
        written(output.unwrap());
    }
    let output = program()
        .args(["--progress", "always"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.stdout == bytes("xdebug3/composer.v7.pre"));
    let message = messages(&output);
    assert!(
        message.starts_with("77.12 KiB of 77.12 KiB read, "),
        "{message}"
    );
    assert!(message.ends_with("/s, 0 s left\n"), "{message}");
    let message = messages(&run(["--progress", "always"], &fs::read(&path).unwrap()));
    assert!(message.starts_with("77.12 KiB read, "), "{message}");
    assert!(message.ends_with("/s\n"), "{message}");
}

#[test]
fn the_text_report_has_as_many_rows_as_wanted() {
    let profile = bytes("xdebug3/composer.cg");
    let rows = |top: &[&str]| {
        let report = written(run([&["-f", "text"], top].concat(), &profile));
        report.split(|&byte| byte == b'\n').count()
    };
    let ten = rows(&["--top", "10"]);
    assert_eq!(rows(&[]), ten + 20);
    assert_eq!(rows(&["--top", "30"]), ten + 20);
    assert!(rows(&["--top", "0"]) > ten + 20);
}

#[test]
fn a_tree_has_as_many_rows_as_wanted() {
    let profile = bytes("xdebug3/composer.cg");
    let contexts = |top: &[&str]| {
        let tree = written(run([&["-f", "tree"], top].concat(), &profile));
        let tree = String::from_utf8(tree).unwrap();
        let rows = tree.lines().skip_while(|line| !line.starts_with("incl %"));
        rows.skip(1).filter(|row| !row.contains("… ")).count()
    };
    assert_eq!(contexts(&[]), 30);
    assert_eq!(contexts(&["--top", "7"]), 7);
    assert!(contexts(&["--top", "0"]) > 100);
}

#[test]
fn the_text_report_is_sorted_filtered_or_of_one_function() {
    let profile = bytes("xdebug3/features.cg");
    let report = |arguments: &[&str]| {
        let report = written(run([&["-f", "text"], arguments].concat(), &profile));
        String::from_utf8(report).unwrap()
    };
    let first = |report: &str| {
        let mut rows = report.lines().skip_while(|line| !line.starts_with("self"));
        rows.nth(1).unwrap().to_owned()
    };
    assert!(first(&report(&["--sort", "calls"])).contains(r"44  App\Models\ack "));
    assert!(first(&report(&["--filter", "USER->GO"])).contains(r"App\Models\User->go "));
    assert!(report(&["--function", r"App\Models\ack"]).contains("  callee  "));

    assert!(report(&["--function", "user->go"]).contains("  callee  "));
    assert_eq!(report(&["--names", "full"]), report(&[]));
    let output = run(["-f", "text", "--function", "user->og"], &profile);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert_eq!(
        messages(&output),
        "error: no function's name contains \"user->og\"; closest: App\\Models\\User->go, App\\Models\\User->hello, App\\Models\\User->__toString, php::Fiber->start, php::Fiber->resume\n"
    );
}

#[test]
fn an_event_that_nobody_has_is_an_error_that_lists_those_there_are() {
    let output = run(["-e", "Nix"], &small());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        messages(&output),
        "error: standard input: no event \"Nix\"; the profile has Time_(10ns), Memory_(bytes)\n"
    );
}

#[test]
fn an_event_that_one_of_several_inputs_lacks_is_named_and_a_loss() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("both.cg", "events: Ir Dr\nfn=a\n1 5 7\n"),
        ("one.cg", "events: Ir\nfn=a\n1 5\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let convert = |options: &[&str]| {
        let mut program = program();
        program.current_dir(folder.path()).args(options);
        program
            .args(["-f", "json", "both.cg", "one.cg"])
            .output()
            .unwrap()
    };
    let output = convert(&["-e", "Dr", "--strict"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        messages(&output),
        "warning: one.cg:3: no event \"Dr\" from here on, only Ir: its cost counts as 0\n\
         failed: the input is not complete\n"
    );
    let document = String::from_utf8(output.stdout).unwrap();
    assert!(document.contains("\"complete\":false"), "{document}");
    // Also as one of several.
    let second = convert(&["-e", "Ir", "-e", "Dr", "--strict"]);
    assert_eq!(second.status.code(), Some(3));
    assert_eq!(second.stderr, output.stderr);
    let document = String::from_utf8(written(convert(&["-e", "Ir", "--strict"]))).unwrap();
    assert!(document.contains("\"complete\":true"), "{document}");
}

#[cfg(unix)]
#[test]
fn names_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let name = OsStr::from_bytes(b"Z\xe9it");
    let profile = b"version: 1\ncreator: xdebug\nevents: Ir Z\xe9it\n\nfl=a\nfn=in\n1 2 3\n\nfl=a\nfn=pr\xe9xy\n1 2 3\ncfl=a\ncfn=in\ncalls=1 0 0\n4 2 3\n\nfl=a\nfn={main}\n1 2 3\ncfl=a\ncfn=pr\xe9xy\ncalls=1 0 0\n5 4 6\n\nsummary: 6 9\n";
    let text = written(run([OsStr::new("-e"), name], profile));
    let events = b"events: Z\xe9it\nsummary: 9\n";
    assert!(text.ends_with(events));
    let proxy = OsStr::from_bytes(b"--proxy-function=pr\xe9xy");
    let report = written(run([OsStr::new("-fjson"), proxy], profile));
    let report = String::from_utf8(report).unwrap();
    let plain = String::from_utf8(written(run(["-fjson"], profile))).unwrap();
    assert_ne!(report, plain);
}

#[test]
fn blocks_and_recursion_count_as_wanted() {
    // A function that calls itself, in two blocks.
    let text = b"events: Ir\nfn=f\n1 1\n\nfn=f\n1 1\ncfn=f\ncalls=1 0\n2 1\n\n";
    for (options, inclusive, invocations) in [
        (&[][..], 3, 1),
        (&["--kind", "auto"], 3, 1),
        (&["--kind", "aggregate"], 3, 1),
        (&["--kind", "trace"], 3, 2),
        (&["--inclusive", "summed"], 3, 1),
        (&["--inclusive", "outermost"], 2, 1),
        (&["--inclusive", "outermost", "--kind", "trace"], 2, 2),
    ] {
        let report = written(run([&["-q", "-f", "json"], options].concat(), text));
        let report = String::from_utf8(report).unwrap();
        let expected = format!("\"inclusive\":[{inclusive}],\"invocations\":{invocations},");
        assert!(report.contains(&expected), "{options:?}: {report}");
    }
}

#[test]
fn what_exceeds_32_bits_is_scaled_unless_something_else_is_wanted() {
    let text = b"events: Ir\nfn=f\n1 5000000000\n";
    for (options, events, cost) in [
        (&[][..], "Ir_(x10)", 500_000_000),
        (&["--on-overflow", "scale"], "Ir_(x10)", 500_000_000),
        (&["--on-overflow", "saturate"], "Ir", u32::MAX),
    ] {
        let output = run(options, text);
        assert!(output.status.success());
        assert!(messages(&output).contains("do not fit into 32 bits"));
        // After version, header address, function count, address and line.
        assert_eq!(output.stdout[20..24], cost.to_le_bytes(), "{options:?}");
        let headers = String::from_utf8_lossy(&output.stdout);
        assert!(headers.contains(&format!("\nevents: {events}\n")));
    }
    let output = run(["--on-overflow", "error"], text);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
}

#[test]
fn proxy_functions_are_ignored_in_sums_with_a_warning() {
    let path = fixture("valgrind/plain.cg");
    let plain = written(program().arg(&path).output().unwrap());
    let output = program()
        .arg("--proxy-function=main")
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.stdout == plain);
    let start = format!("warning: {}: proxy functions are ignored", path.display());
    let message = messages(&output);
    assert!(message.starts_with(&start), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn stacks_are_written_for_a_flame_graph_and_for_people() {
    let trace = bytes("xdebug3/fibers.cg");
    let stacks = String::from_utf8(written(run(["-fcollapsed"], &trace))).unwrap();
    assert!(
        stacks.starts_with("first 1382\nfirst;helper 810\n"),
        "{stacks}"
    );
    let tree = String::from_utf8(written(run(["-ftree", "--top=2"], &trace))).unwrap();
    assert!(
        tree.starts_with("command    /srv/app/fibers.php\n"),
        "{tree}"
    );
    let rows = tree.lines().skip_while(|line| !line.starts_with("incl %"));
    // Two contexts, and the rest at each of their levels.
    assert_eq!(rows.count(), 1 + 2 + 2, "{tree}");
}

#[test]
fn the_share_that_is_estimated_is_told() {
    let plain = bytes("valgrind/plain.cg");
    let told = "26.9 % of the cost has one possible stack; the rest is divided among the callers by \
        what their calls cost";
    let hint =
        "; with valgrind's option --separate-callers=10, or a higher number, more of it has one";
    for format in ["-fcollapsed", "-ftree"] {
        assert_eq!(
            messages(&run([format], &plain)),
            format!("warning: {told}{hint}\n")
        );
    }
    // Who wrote something else cannot be asked to tell more.
    let sums = written(run(["-fcallgrind"], &plain));
    assert_eq!(
        messages(&run(["-fcollapsed"], &sums)),
        format!("warning: {told}\n")
    );
    assert_eq!(
        messages(&run(["-fcollapsed"], &bytes("xdebug3/small.cg"))),
        ""
    );
}

#[test]
fn what_shows_stacks_holds_the_warning_that_they_are_estimated() {
    let plain = bytes("valgrind/plain.cg");
    let told = messages(&run(["-fcollapsed"], &plain));
    let text = told.trim().strip_prefix("warning: ").unwrap();
    let page = run(["-fhtml"], &plain);
    assert_eq!(messages(&page), told);
    assert!(String::from_utf8_lossy(&page.stdout).contains(text));
    #[cfg(feature = "compression")]
    {
        let pprof = run(["-fpprof"], &plain);
        assert_eq!(messages(&pprof), told);
        let mut data = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(pprof.stdout.as_slice());
        std::io::Read::read_to_end(&mut decoder, &mut data).unwrap();
        assert!(String::from_utf8_lossy(&data).contains(text));
    }
}

#[test]
fn a_proxy_function_that_is_not_there_is_told() {
    let names = ["php::call_user_func", "call_user_func"];
    let arguments = names.map(|name| format!("--proxy-function={name}"));
    let output = run(arguments, &bytes("xdebug3/proxies.cg"));
    assert!(output.status.success());
    assert_eq!(
        messages(&output),
        "warning: no trace has a function \"call_user_func\", so that none is stepped over; \
         the text report lists the names\n"
    );
}

#[test]
fn an_event_without_any_cost_is_told() {
    let text = b"events: curB totB\nfn=f\n1 0 8\n";
    assert_eq!(
        messages(&run(["-f", "json"], text)),
        "warning: all costs of \"curB\" are 0; the profile also has totB\n"
    );
    written(run(["-f", "json", "-e", "totB"], text));
    let hostile = b"events: curB \x1b[31mtotB\nfn=f\n1 0 8\n";
    let message = messages(&run(["-f", "json"], hostile));
    assert!(message.ends_with("also has \\x1b[31mtotB\n"), "{message}");
    let message = messages(&run(["-e", "Ir"], hostile));
    assert!(message.ends_with("curB, \\x1b[31mtotB\n"), "{message}");
    written(run(["-f", "json"], b"events: curB\nfn=f\n1 0\n"));
}

#[test]
fn what_webgrind_keeps_beside_its_profile_is_told() {
    let folder = TempDir::new().unwrap();
    let [profile, kept] = ["p", "p.webgrind"].map(|name| folder.path().join(name));
    fs::write(&profile, small()).unwrap();
    fs::write(&kept, bytes("xdebug3/small.v7.pre")).unwrap();
    let output = program().args([&kept, &profile]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        messages(&output),
        format!(
            "warning: {}: was converted from another input, {}, whose costs are now counted twice\n",
            kept.display(),
            profile.display()
        )
    );
    let output = program().args([&kept, &kept]).output().unwrap();
    assert!(!messages(&output).contains("counted twice"));
}

#[test]
fn a_sum_among_its_parts_is_told() {
    let folder = TempDir::new().unwrap();
    let [one, two, sum, sums] =
        ["p.1", "p.2", "p.all", "sums"].map(|name| folder.path().join(name));
    fs::write(&one, small()).unwrap();
    fs::write(&two, small()).unwrap();
    let sum_up = |inputs: &[&PathBuf], to: &PathBuf| {
        let output = program()
            .args(["-f", "callgrind", "-o"])
            .arg(to)
            .args(inputs)
            .output();
        messages(&output.unwrap())
    };
    assert_eq!(sum_up(&[&one, &two], &sum), "");
    assert_eq!(
        sum_up(&[&two, &sum, &one], &folder.path().join("again")),
        format!(
            "warning: {}: is a sum that this program has made, and {} stands beside it; if it is a part of \
             that sum, its costs are now counted twice\n",
            sum.display(),
            two.display()
        )
    );
    // Sums among sums, and beside profiles of other folders, are as they should be.
    fs::create_dir(&sums).unwrap();
    let [a, b] = ["a", "b"].map(|name| sums.join(name));
    assert_eq!(sum_up(&[&one], &a), "");
    assert_eq!(sum_up(&[&one, &a], &b), "");
    assert_eq!(sum_up(&[&a, &b], &sum), "");
}

#[test]
fn an_output_among_the_inputs_is_answered_with_advice() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("out.pre");
    let profile = fixture("xdebug3/small.cg");
    let said = |inputs: &[&std::path::Path], arguments: &[&str]| {
        let output = program().args(inputs).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        messages(&output)
    };
    let advice = "if it is to be written, say -o before it";
    let message = said(&[&profile, &missing], &[]);
    assert!(message.trim_end().ends_with(advice), "{message}");
    assert_eq!(message.lines().count(), 1);
    for (inputs, arguments) in [
        (&[missing.as_path()][..], &[][..]),
        (&[&missing, &profile], &[]),
        (&[&profile, &missing], &["-o", "/dev/null"]),
    ] {
        let message = said(inputs, arguments);
        assert!(!message.contains(advice), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_name_cannot_command_a_terminal() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("\u{1b}[31mred\nerror: x");
    let spelled = "/\\x1b[31mred\\nerror: x";
    let profile = fixture("xdebug3/small.cg");
    for arguments in [&[&*path][..], &[&profile, "-o".as_ref(), &path.join("out")]] {
        let message = messages(&program().args(arguments).output().unwrap());
        assert!(message.contains(spelled), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
}

#[test]
fn costs_of_more_than_32_bits_are_treated_as_asked() {
    let text = b"events: Ir\nsummary: 5000000000\nfn=f\n1 5000000000\n";
    for (policy, headers, warning) in [
        (
            &[][..],
            "events: Ir_(x10)\nsummary: 500000000\n",
            "all were divided by 10 ",
        ),
        (
            &["--on-overflow=scale"],
            "events: Ir_(x10)\nsummary: 500000000\n",
            "all were divided by 10 ",
        ),
        (
            &["--on-overflow=saturate"],
            "events: Ir\nsummary: 5000000000\n",
            "2 costs do not fit into 32 bits and were written as 4294967295\n",
        ),
    ] {
        let output = run(policy, text);
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout.ends_with(headers.as_bytes()), "{policy:?}");
        assert!(messages(&output).contains(warning), "{output:?}");
    }
    let output = run(["--on-overflow=error"], text);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let message = "cost 5000000000 does not fit into the 32 bits of the format";
    assert!(messages(&output).contains(message), "{output:?}");
    // Other formats hold all 64 bits.
    for format in ["callgrind", "json", "text"] {
        written(run(["-f", format, "--on-overflow=error"], text));
    }
}

#[test]
fn sums_that_do_not_fit_into_64_bits_are_told() {
    let most = i64::MAX;
    let text = format!("events: Ir\nfn=f\n1 {most}\n2 {most}\n");
    let message = messages(&run(["-f", "json"], text.as_bytes()));
    assert!(message.contains("do not fit into 64 bits"), "{message}");
}

#[test]
fn lenient_reading_skips_what_cannot_be_read() {
    let text = [&small()[..], b"nonsense\n"].concat();
    assert_eq!(run(["-o", "-"], &text).status.code(), Some(1));
    let output = run(["--lenient"], &text);
    assert!(output.stdout == incomplete(bytes("xdebug3/small.v7.pre")));
    assert!(messages(&output).contains("nonsense"));
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

/// Called by the name that webgrind gives it.
#[cfg(unix)]
mod preprocessor {
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::process::{Command, Output, Stdio};

    use super::*;

    const PROXIES: [&str; 2] = ["php::call_user_func", "php::call_user_func_array"];

    /// A folder with the program in it under webgrind's name.
    struct Webgrind {
        folder: TempDir,
    }

    impl Webgrind {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let program = env!("CARGO_BIN_EXE_cg-preprocess");
            symlink(program, folder.path().join("preprocessor")).unwrap();
            symlink(program, folder.path().join("preprocessor.exe")).unwrap();
            Webgrind { folder }
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn call<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
            let mut command = Command::new(self.path("preprocessor"));
            command.current_dir(self.folder.path()).args(arguments);
            command.stdin(Stdio::null()).output().unwrap()
        }

        /// Converts as webgrind does and returns what it would read.
        fn convert(&self, profile: &Path) -> Vec<u8> {
            let output = self.path("out.webgrind");
            let arguments = [profile.as_os_str(), output.as_os_str()];
            let proxies = PROXIES.map(OsStr::new);
            let said = self.call(arguments.into_iter().chain(proxies));
            assert!(written(said).is_empty());
            fs::read(output).unwrap()
        }
    }

    #[test]
    fn a_number_before_the_proxies_chooses_memory_or_time() {
        let webgrind = Webgrind::new();
        let profile = fixture("xdebug3/small.cg");
        for (number, event) in [("0", "Time_(10ns)"), ("1", "Memory_(bytes)")] {
            let out = webgrind.path("out");
            let arguments = [profile.to_str().unwrap(), "out", number, PROXIES[0]];
            assert!(written(webgrind.call(arguments)).is_empty());
            let expected = run(
                ["--escape-html", "-e", event, "--proxy-function", PROXIES[0]],
                &small(),
            );
            assert!(fs::read(out).unwrap() == expected.stdout, "{number}");
        }
        fs::write(webgrind.path("ir.cg"), "events: Ir\nfn=a\n1 5\n").unwrap();
        let output = webgrind.call(["ir.cg", "out", "1"]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(messages(&output), "error: ir.cg: has no event of memory\n");
        assert!(!webgrind.path("out").exists());
    }

    #[test]
    fn it_writes_v7_and_says_nothing() {
        let webgrind = Webgrind::new();
        for name in ["small", "composer"] {
            let profile = fixture(&format!("xdebug3/{name}.cg"));
            let expected = bytes(&format!("xdebug3/{name}.v7.pre"));
            assert!(webgrind.convert(&profile) == expected, "{name}");
        }
        let mut exe = Command::new(webgrind.path("preprocessor.exe"));
        let exe = exe
            .arg(fixture("xdebug3/small.cg"))
            .arg(webgrind.path("out"));
        written(exe.output().unwrap());
        assert!(fs::read(webgrind.path("out")).unwrap() == bytes("xdebug3/small.v7.pre"));
    }

    #[test]
    fn proxies_are_its_further_arguments() {
        let webgrind = Webgrind::new();
        let profile = fixture("xdebug3/proxies.cg");
        let mut command = program();
        let proxies = PROXIES.map(|name| format!("--proxy-function={name}"));
        command.args(proxies).arg(&profile);
        let expected = written(command.output().unwrap());
        assert!(expected != bytes("xdebug3/proxies.v7.pre"));
        assert!(webgrind.convert(&profile) == expected);
        let plain = webgrind.call([profile.as_os_str(), OsStr::new("plain")]);
        assert!(written(plain).is_empty());
        assert!(fs::read(webgrind.path("plain")).unwrap() == bytes("xdebug3/proxies.v7.pre"));
    }

    #[test]
    fn it_takes_what_webgrind_gives_it() {
        let webgrind = Webgrind::new();
        let small = small();
        let cut = &small[..small.len() - 100];
        let nonsense = [&small[..], b"nonsense\n"].concat();
        let two_runs = [&small[..], &bytes("xdebug3/composer.cg")].concat();
        let sums = bytes("valgrind/plain.cg");
        for profile in [cut, &nonsense, &two_runs, &sums] {
            fs::write(webgrind.path("in"), profile).unwrap();
            let expected = written(run(["-q", "--lenient"], profile));
            assert!(webgrind.convert(&webgrind.path("in")) == expected);
        }
        if cfg!(feature = "compression") {
            let compressed = fixture("compressed/small.cg.gz");
            assert!(webgrind.convert(&compressed) == bytes("xdebug3/small.v7.pre"));
        }
    }

    #[test]
    fn paths_that_look_like_options_are_files() {
        let webgrind = Webgrind::new();
        for name in ["-", "-v", "--help"] {
            fs::write(webgrind.path(name), small()).unwrap();
            assert!(written(webgrind.call([name, "-out"])).is_empty());
            let output = fs::read(webgrind.path("-out")).unwrap();
            assert!(output == bytes("xdebug3/small.v7.pre"), "{name}");
            assert!(written(webgrind.call([name, "-out", "--lenient"])).is_empty());
        }
    }

    #[test]
    fn it_never_fails_because_data_are_missing() {
        let webgrind = Webgrind::new();
        let small = small();
        fs::write(webgrind.path("cut"), &small[..small.len() - 100]).unwrap();
        assert!(written(webgrind.call(["cut", "out", "--strict"])).is_empty());
        let strict = program().arg("--strict").arg(webgrind.path("cut")).output();
        assert_eq!(strict.unwrap().status.code(), Some(3));
    }

    #[test]
    fn a_failure_leaves_no_output_behind() {
        let webgrind = Webgrind::new();
        fs::write(webgrind.path("empty"), "").unwrap();
        fs::create_dir(webgrind.path("folder")).unwrap();
        let earlier = bytes("xdebug3/small.v7.pre");
        for input in ["empty", "missing", "folder"] {
            for stale in [None, Some(&earlier[..]), Some(&earlier[..3])] {
                if let Some(stale) = stale {
                    fs::write(webgrind.path("out"), stale).unwrap();
                }
                let output = webgrind.call([input, "out"]);
                assert_eq!(output.status.code(), Some(1));
                let message = messages(&output);
                assert!(
                    message.starts_with(&format!("error: {input}:")),
                    "{message}"
                );
                assert!(!webgrind.path("out").exists());
            }
        }
        assert_eq!(webgrind.call(["empty", "folder"]).status.code(), Some(1));
        assert!(webgrind.path("folder").is_dir());
    }

    #[test]
    fn a_failure_removes_what_its_user_has_linked_to() {
        let webgrind = Webgrind::new();
        fs::write(webgrind.path("empty"), "").unwrap();
        fs::write(webgrind.path("stale"), bytes("xdebug3/small.v7.pre")).unwrap();
        symlink("stale", webgrind.path("link")).unwrap();
        assert_eq!(webgrind.call(["empty", "link"]).status.code(), Some(1));
        assert!(!webgrind.path("stale").exists() && webgrind.path("link").is_symlink());
    }

    #[test]
    fn a_preprocessed_file_survives_being_input_and_output() {
        let webgrind = Webgrind::new();
        let file = bytes("xdebug3/small.v7.pre");
        fs::write(webgrind.path("x.pre"), &file).unwrap();
        symlink("x.pre", webgrind.path("link")).unwrap();
        for (input, output) in [
            ("x.pre", "x.pre"),
            ("x.pre", "./x.pre"),
            ("x.pre", "link"),
            ("link", "x.pre"),
        ] {
            assert_eq!(webgrind.call([input, output]).status.code(), Some(1));
            assert!(fs::read(webgrind.path("x.pre")).unwrap() == file);
        }
    }

    #[test]
    fn a_profile_that_has_only_begun_gives_a_file_with_a_main_that_cost_nothing() {
        let webgrind = Webgrind::new();
        let header = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: /srv/app/index.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n";
        fs::write(webgrind.path("begun"), header).unwrap();
        let file = webgrind.convert(&webgrind.path("begun"));
        // webgrind cannot read a file without functions: one that cost nothing stands in.
        assert_eq!(file[..12], [7, 0, 0, 0, 48, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(
            file[16..48],
            *b"\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\n{main}\n"
        );
        let headers = String::from_utf8(file[48..].to_vec()).unwrap();
        for header in [
            "cmd: /srv/app/index.php\n",
            "events: Time_(10ns) Memory_(bytes)\n",
        ] {
            assert!(headers.contains(header), "{headers}");
        }
    }

    #[test]
    fn names_are_text_for_the_page() {
        let webgrind = Webgrind::new();
        let profile = "events: Ir\nfl=a.py\nfn=<built-in method time.sleep>\n1 5\n";
        fs::write(webgrind.path("python"), profile).unwrap();
        let file = webgrind.convert(&webgrind.path("python"));
        let name = b"a.py\n&lt;built-in method time.sleep>\n";
        assert!(file.windows(name.len()).any(|found| found == name));
    }

    #[test]
    fn it_says_which_program_it_is() {
        let webgrind = Webgrind::new();
        let name = format!("cg-preprocess {}, as webgrind's", env!("CARGO_PKG_VERSION"));
        for (question, usage) in [("--version", false), ("-V", false), ("--help", true)] {
            let output = webgrind.call([question]);
            let answer = String::from_utf8(written(output)).unwrap();
            assert!(answer.starts_with(&name), "{answer}");
            assert_eq!(answer.contains("Usage: preprocessor IN OUT"), usage);
        }
    }

    #[test]
    fn a_failure_removes_nothing_that_it_could_not_have_written() {
        let webgrind = Webgrind::new();
        fs::write(webgrind.path("profile"), small()).unwrap();
        symlink("profile", webgrind.path("link")).unwrap();
        for output in ["profile", "link"] {
            assert_eq!(webgrind.call(["missing", output]).status.code(), Some(1));
            assert_eq!(fs::read(webgrind.path(output)).unwrap(), small());
        }
    }

    #[test]
    fn its_input_survives_being_named_as_its_output() {
        let webgrind = Webgrind::new();
        fs::write(webgrind.path("in"), small()).unwrap();
        symlink("in", webgrind.path("link")).unwrap();
        fs::hard_link(webgrind.path("in"), webgrind.path("hard-link")).unwrap();
        for output in ["in", "./in", "link", "hard-link"] {
            let output = webgrind.call(["in", output]);
            assert_eq!(output.status.code(), Some(1));
            assert!(messages(&output).contains("is the same file as the input in"));
            assert_eq!(fs::read(webgrind.path("in")).unwrap(), small());
        }
        assert!(webgrind.path("link").is_symlink() && webgrind.path("hard-link").exists());
    }

    /// What webgrind would read through the link is gone.
    #[test]
    fn a_failure_leaves_nothing_at_the_target_of_a_link() {
        let webgrind = Webgrind::new();
        fs::write(webgrind.path("earlier"), bytes("xdebug3/small.v7.pre")).unwrap();
        symlink("earlier", webgrind.path("out")).unwrap();
        assert_eq!(webgrind.call(["missing", "out"]).status.code(), Some(1));
        assert!(!webgrind.path("out").exists());
        assert!(!webgrind.path("earlier").exists());
    }

    #[test]
    fn wrong_usage_has_an_exit_status_of_its_own() {
        let webgrind = Webgrind::new();
        for arguments in [&[][..], &["in"], &["--unknown"]] {
            let output = webgrind.call(arguments);
            assert_eq!(output.status.code(), Some(2));
            let usage = "Usage: preprocessor IN OUT [PROXY_FUNCTION...]";
            assert!(messages(&output).contains(usage));
        }
    }
}
