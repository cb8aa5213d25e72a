<?php

/**
 * Measures the costs of a function from within and from around each call.
 *
 * What the profiler has must lie between the two.
 */
$within = 0;
$around = 0;

function work(int $rounds): int
{
    global $within;
    $start = hrtime(true);
    $sum = 0;
    for ($i = 0; $i < $rounds; $i++) {
        $sum += strlen(str_repeat('a', $i % 100));
    }
    $within += hrtime(true) - $start;
    return $sum;
}

function allocate(int $bytes): string
{
    return str_repeat('a', $bytes);
}

for ($i = 1; $i <= 20; $i++) {
    $start = hrtime(true);
    work(50 * $i);
    $around += hrtime(true) - $start;
}

$kept = [];
$memory = 0;
for ($i = 0; $i < 4; $i++) {
    $before = memory_get_usage();
    $text = allocate(1000000 * ($i + 1));
    $memory += memory_get_usage() - $before;
    $kept[] = $text;
    unset($text);
}
echo json_encode(['within' => $within, 'around' => $around, 'memory' => $memory]), "\n";
