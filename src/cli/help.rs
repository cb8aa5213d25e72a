//! Texts that `--help` and the manual share.

/// The examples of `-h`.
pub const FIRST_EXAMPLES: &str = "  cg-preprocess cachegrind.out.1234.gz --open
  cg-preprocess callgrind.out.1234 --top 10
  cg-preprocess new.out --base base.out --max-growth 2%
  cg-preprocess new.out --max-calls 'PDO->query=10'      (quote names)
  cg-preprocess input.callgrind -o out.pre -f v6         (for webgrind 1.1)";

/// The examples of `--help` and the manual.
pub const EXAMPLES: &str = "  cg-preprocess cachegrind.out.1234.gz --open
          Open the HTML report in the browser
  cg-preprocess callgrind.out.1234 --function 'App\\Kernel->boot'
          Show who calls a function, and what it calls
  cg-preprocess cachegrind.out.1234 -e memory --by package
          Show the memory of each package
  cg-preprocess new.out --base base.out --max-growth 2%
          Compare, and exit with status 3 if the total grew by more than 2 %
  cg-preprocess cachegrind.out.1234 -f collapsed | inferno-flamegraph >graph.svg
          Draw a flame graph
  cg-preprocess profiles -o all.cg
          Merge the profiles of a directory
  cg-preprocess --webgrind all /tmp
          Merge what Xdebug has written to /tmp, and show the result in webgrind";

/// What replaces webgrind's preprocessor, for `--help` and the manual.
pub const MORE: &str = "As webgrind's preprocessor:
  install -m 755 \"$(command -v cg-preprocess)\" webgrind/bin/preprocessor
          Under this name, it takes IN OUT [PROXY_FUNCTION...]";

/// The exit statuses, for `--help` and the manual.
pub const EXIT_STATUS: &str = "  0  written
  1  not written, or a limit cannot be checked
  2  wrong usage
  3  written, but a limit or --strict failed";

/// The short description in the manual, in which `apropos` searches.
pub const NAME: &str =
    "report, compare and convert callgrind profiles (Xdebug, Valgrind, webgrind)";

/// The environment, for the manual.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "NO_COLOR, CLICOLOR, CLICOLOR_FORCE",
        "Whether tables at a terminal have colours.",
    ),
    (
        "TMPDIR",
        "The directory for the report of --open without -o, for the files of --webgrind, and for temporary copies of webgrind files from pipes.",
    ),
];

/// Files, for the manual.
pub const FILES: &[(&str, &str)] = &[
    (
        "cachegrind.out.*, callgrind.out.*",
        "Profiles as Xdebug and Valgrind name them. A directory as an input stands for these.",
    ),
    (
        "cachegrind.out.*.webgrind",
        "What webgrind keeps beside a profile; it is ignored if the profile is an input, too.",
    ),
    (
        ".cg-preprocess-*.tmp",
        "An unfinished output. It remains only if cg-preprocess was killed (SIGKILL), and can be removed.",
    ),
];

/// Related manuals.
pub const SEE_ALSO: &str =
    "valgrind(1), callgrind_annotate(1), kcachegrind(1), php(1), dot(1), jq(1)";

/// The name of webgrind's preprocessor, under which the program takes webgrind's arguments.
pub const PREPROCESSOR: &str = "preprocessor";
