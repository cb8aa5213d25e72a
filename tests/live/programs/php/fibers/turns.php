<?php

// Fibers that do the same, and take turns.

function leaf(int $number): int
{
    return $number + 1;
}

function work(int $number): int
{
    return leaf($number) + leaf($number);
}

function await(int $value): mixed
{
    leaf($value);
    return Fiber::suspend($value);
}

function step(int $number): mixed
{
    work($number);
    $result = await($number);
    work($number);
    leaf(3);
    return $result;
}

function task(int $id, int $steps): void
{
    work(1);
    for ($i = 0; $i < $steps; $i++) {
        step($i);
        work($i);
        if (($id + $i) % 3 === 0) {
            await($i);
        }
    }
}

class Scheduler
{
    private array $queue = [];

    public function start(int $id, int $steps): void
    {
        $fiber = new Fiber('task');
        $fiber->start($id, $steps);
        $this->queue[] = $fiber;
    }

    public function run(): void
    {
        while ($this->queue) {
            $fiber = array_shift($this->queue);
            leaf(1);
            $fiber->resume(1);
            if (!$fiber->isTerminated()) {
                $this->queue[] = $fiber;
            }
        }
    }
}

$scheduler = new Scheduler();
for ($i = 0; $i < (int) $argv[1]; $i++) {
    $scheduler->start($i, 12 + $i % 3);
}
$scheduler->run();
