//! Texts that `--help` and the manual share.

/// The examples of `-h`.
pub const FIRST_EXAMPLES: &str =
    "  cg-preprocess cachegrind.out.1234.gz --open             Open the HTML report
  cg-preprocess callgrind.out.1234 -f text --top 10       Show a table
  cg-preprocess new.out --base base.out --max-growth 2%   Compare, with a limit
  cg-preprocess cachegrind.out.1234 -o out.pre            Convert for webgrind";

/// The examples of `--help` and the manual.
pub const EXAMPLES: &str = "  cg-preprocess cachegrind.out.1234.gz --open
          Open the HTML report in the browser
  cg-preprocess -f text callgrind.out.1234
          Show the most expensive functions
  cg-preprocess -f text --function 'App\\Kernel->boot' cachegrind.out.1234
          Show who calls a function, and what it calls
  cg-preprocess new.out --base base.out --max-growth 2%
          Compare, and exit with status 3 if the total grew by more than 2 %
  cg-preprocess new.out --max-cost 250ms --max-calls 'PDO->query=10'
          Exit with status 3 if a limit fails
  cg-preprocess -e Memory -f text cachegrind.out.1234
          Show memory instead of time
  cg-preprocess -f collapsed cachegrind.out.1234 | inferno-flamegraph >graph.svg
          Draw a flame graph
  cg-preprocess -f callgrind -o all.cg callgrind.out.*
          Merge the profiles of several processes
  ssh web1 cat cachegrind.out.1234.gz | cg-preprocess -o out.pre
          Convert for webgrind, in a pipe
  cg-preprocess --webgrind all /tmp/cachegrind.out.*[0-9z]
          Merge several profiles and show the result in webgrind
  install -m 755 \"$(command -v cg-preprocess)\" webgrind/bin/preprocessor
          Replace webgrind's preprocessor: under this name, the program takes
          its arguments, IN OUT [PROXY_FUNCTION...]";

/// The exit statuses, for `--help` and the manual page.
pub const EXIT_STATUS: &str =
    "0 written, 1 not converted, 2 wrong usage, 3 written, but a limit or --strict failed";

/// The name of webgrind's preprocessor, under which the program takes webgrind's arguments.
pub const PREPROCESSOR: &str = "preprocessor";
