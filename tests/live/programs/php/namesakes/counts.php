<?php

require __DIR__ . '/../seen.php';

/** Has the name of functions of other scripts. */
function helper(int $n): int
{
    seen('helper');
    return strlen(str_repeat('a', $n));
}

function run(): void
{
    seen('run');
    for ($n = 0; $n < 7; $n++) {
        helper($n);
    }
}

run();
report();
