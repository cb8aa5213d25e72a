<?php

/** Counts the calls of the functions that the profiled programs define, under Xdebug's names. */
$seen = [];

function seen(string $name): void
{
    global $seen;
    $seen[$name] = ($seen[$name] ?? 0) + 1;
}

/** Counts what Xdebug took for an invocation until 3.3, when it began to use PHP's observers. */
function seen_until_3_3(string $name): void
{
    seen('seen_until_3_3');
    if (version_compare(phpversion('xdebug'), '3.3', '<')) {
        seen($name);
    }
}

/** Prints the counts, its own and those of `seen` included, as one line of JSON. */
function report(): void
{
    global $seen;
    seen('report');
    $seen['seen'] = array_sum($seen);
    $seen['require::' . __FILE__] = 1;
    $seen['{main}'] = 1;
    echo json_encode($seen), "\n";
}
