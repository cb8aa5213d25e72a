<?php

require __DIR__ . '/../seen.php';

function run(int $depth): int
{
    seen('run');
    return $depth == 0 ? helper([3, 1, 2]) : run($depth - 1) + run($depth - 1);
}

/** Has the name of functions of other scripts. */
function helper(array $numbers): int
{
    seen('helper');
    sort($numbers);
    return array_sum($numbers);
}

run(4);
report();
