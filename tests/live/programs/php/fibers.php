<?php

require __DIR__ . '/seen.php';

function task(string $name, int $steps): int
{
    seen('task');
    for ($i = 0; $i < $steps; $i++) {
        pause($i);
    }
    return $steps;
}

function pause(int $step): void
{
    seen('pause');
    Fiber::suspend($step);
}

function run(Fiber $fiber): void
{
    seen('run');
    while (!$fiber->isTerminated()) {
        $fiber->resume();
    }
}

$first = new Fiber('task');
$second = new Fiber('task');
$first->start('first', 3);
$second->start('second', 5);
run($first);
run($second);
report();
