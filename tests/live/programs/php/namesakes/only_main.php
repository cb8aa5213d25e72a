<?php

require __DIR__ . '/../seen.php';

if (!function_exists('helper')) {
    /** Has the name of functions of other scripts, and calls none. */
    function helper(): void
    {
        seen('helper');
    }
}

for ($n = 0; $n < 5; $n++) {
    helper();
}
report();
