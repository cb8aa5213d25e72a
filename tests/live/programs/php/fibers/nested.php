<?php

// Fibers that start fibers, and resume them whenever they are resumed themselves.

function leaf(int $number): int
{
    return $number + 1;
}

function work(int $number): int
{
    return leaf($number) + leaf($number);
}

function task(int $depth, int $rounds): void
{
    if ($depth === 0) {
        for ($i = 0; $i < $rounds; $i++) {
            work($i);
            Fiber::suspend($i);
        }
        return;
    }
    $inner = new Fiber('task');
    work($depth);
    $inner->start($depth - 1, $rounds);
    while (!$inner->isTerminated()) {
        leaf($depth);
        Fiber::suspend();
        work($depth);
        $inner->resume();
    }
}

$fibers = [];
for ($i = 0; $i < 4; $i++) {
    $fibers[$i] = new Fiber('task');
    $fibers[$i]->start($i, 5);
}
while ($fibers) {
    foreach ($fibers as $i => $fiber) {
        $fiber->resume();
        leaf($i);
        if ($fiber->isTerminated()) {
            unset($fibers[$i]);
        }
    }
}
