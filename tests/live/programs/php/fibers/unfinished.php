<?php

// Fibers that are never resumed, and are destroyed: by the main program, by another fiber that is
// suspended then, and at the end.

function leaf(int $number): int
{
    return $number + 1;
}

function work(int $number): int
{
    return leaf($number) + leaf($number);
}

function nest(int $depth): int
{
    return $depth === 0 ? work(0) : nest($depth - 1);
}

function waiting(int $number): void
{
    try {
        nest(8 * $number);
        Fiber::suspend();
        leaf($number);
    } finally {
        work(9);
    }
}

/** No two of these fibers do the same. */
function started(): Fiber
{
    static $number = 0;
    $fiber = new Fiber('waiting');
    $fiber->start(++$number);
    return $fiber;
}

function task(int $rounds): void
{
    for ($i = 0; $i < $rounds; $i++) {
        $other = started();
        work($i);
        Fiber::suspend();
        leaf($i);
        unset($other);
        Fiber::suspend();
        work(1);
    }
}

$forgotten = started();
$fibers = [];
for ($i = 0; $i < 3; $i++) {
    $fibers[$i] = new Fiber('task');
    $fibers[$i]->start(3 + $i);
}
while ($fibers) {
    foreach ($fibers as $i => $fiber) {
        $fiber->resume();
        leaf($i);
        if ($fiber->isTerminated()) {
            unset($fibers[$i]);
        }
    }
    $dropped = started();
    unset($dropped);
    work(3);
}
