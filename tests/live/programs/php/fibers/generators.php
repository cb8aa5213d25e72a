<?php

// Generators inside of fibers, fibers that are used like generators, and both in turn.

function leaf(int $number): int
{
    return $number + 1;
}

function numbers(int $count): Generator
{
    for ($i = 1; $i <= $count; $i++) {
        leaf($i);
        yield $i;
    }
}

/** A generator in which the fiber is suspended. */
function waiting(int $count): Generator
{
    foreach (numbers($count) as $number) {
        Fiber::suspend();
        yield leaf($number);
    }
}

function task(int $count): int
{
    $sum = 0;
    foreach (waiting($count) as $number) {
        $sum += leaf($number);
        foreach (numbers(2) as $other) {
            $sum += $other;
        }
    }
    return $sum;
}

function source(int $count): void
{
    foreach (numbers($count) as $number) {
        Fiber::suspend($number);
    }
}

/** A stage of a pipeline, which resumes the one before. */
function map(Fiber $before): void
{
    for ($value = $before->start(); $value !== null; $value = $before->resume()) {
        Fiber::suspend(leaf($value));
    }
}

$fibers = [];
for ($i = 0; $i < 4; $i++) {
    $fibers[$i] = new Fiber('task');
    $fibers[$i]->start(5 + $i);
}
$source = new Fiber(fn () => source(10));
$pipeline = new Fiber(fn () => map($source));
$pipeline->start();
while ($fibers) {
    foreach ($fibers as $i => $fiber) {
        $fiber->resume();
        if ($fiber->isTerminated()) {
            unset($fibers[$i]);
        }
    }
    foreach (numbers(3) as $number) {
        leaf($number);
    }
    if (!$pipeline->isTerminated()) {
        $pipeline->resume();
    }
}
