//! The texts of `--help` and the manual page that several parts of the command line show.

/// Examples, as `--help` and the manual page show them.
pub const EXAMPLES: &str = "  cg-preprocess -f text cachegrind.out.1234
          Show where the time goes
  cg-preprocess -f text --function 'App\\Kernel->boot' cachegrind.out.1234
          Show who calls a function, and what it calls
  cg-preprocess -f collapsed cachegrind.out.1234 | inferno-flamegraph >graph.svg
          Draw a flame graph
  cg-preprocess -f text --base old.out --max-growth 2% new.out
          Compare; end with status 3 if the total grew by more than 2 %
  cg-preprocess -f callgrind -o all.cg callgrind.out.*
          Merge the profiles of several processes
  cg-preprocess -e 'Memory_(bytes)' -f text cachegrind.out.1234
          Show memory instead of time
  ssh web1 cat cachegrind.out.1234.gz | cg-preprocess -o out.pre
          Convert for webgrind, in a pipe
  cg-preprocess --webgrind all /tmp/cachegrind.out.*[0-9z]
          Show the sum of several profiles in webgrind
  install -m 755 \"$(command -v cg-preprocess)\" webgrind/bin/preprocessor
          Install it for webgrind: under the name `preprocessor`, it takes
          webgrind's arguments, IN OUT [PROXY_FUNCTION...]";

/// The exit statuses, for `--help` and the manual page.
pub const EXIT_STATUS: &str =
    "0 written, 1 not converted, 2 wrong usage, 3 written, but a limit or --strict failed.";

/// The name of webgrind's preprocessor, under which the program takes webgrind's arguments.
pub const PREPROCESSOR: &str = "preprocessor";
