<?php

// Exceptions that are thrown into fibers, and out of them.

function leaf(int $number): int
{
    return $number + 1;
}

function work(int $number): int
{
    return leaf($number) + leaf($number);
}

function pause(int $number): void
{
    leaf($number);
    Fiber::suspend();
    work($number);
}

function catching(int $rounds): void
{
    for ($i = 0; $i < $rounds; $i++) {
        try {
            work($i);
            pause($i);
            leaf($i);
        } catch (Exception $exception) {
            leaf(1);
        } finally {
            work(2);
        }
    }
}

function throwing(int $rounds): void
{
    for ($i = 0; $i < $rounds; $i++) {
        work($i);
        pause($i);
    }
    throw new Exception('out');
}

$fibers = [];
for ($i = 0; $i < 6; $i++) {
    $fibers[$i] = new Fiber($i % 2 ? 'catching' : 'throwing');
    $fibers[$i]->start(4 + $i);
}
for ($turn = 0; $fibers; $turn++) {
    foreach ($fibers as $i => $fiber) {
        try {
            if ($turn % 3 === 2) {
                $fiber->throw(new Exception('into'));
            } else {
                $fiber->resume();
            }
        } catch (Exception $exception) {
            leaf($i);
        }
        if ($fiber->isTerminated()) {
            unset($fibers[$i]);
        }
    }
}
