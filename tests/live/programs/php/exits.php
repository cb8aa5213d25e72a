<?php

require __DIR__ . '/seen.php';

function descend(int $depth): void
{
    seen('descend');
    if ($depth == 0) {
        finish();
    }
    descend($depth - 1);
}

function finish(): never
{
    // Xdebug's profile ends here, so that nothing after it could report.
    seen('finish');
    report();
    exit(3);
}

descend(20);
