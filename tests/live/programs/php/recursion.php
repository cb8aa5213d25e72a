<?php

require __DIR__ . '/seen.php';

function fibonacci(int $n): int
{
    seen('fibonacci');
    return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2);
}

function is_odd(int $n): bool
{
    seen('is_odd');
    return $n > 0 && is_even($n - 1);
}

function is_even(int $n): bool
{
    seen('is_even');
    return $n == 0 || is_odd($n - 1);
}

class Tree
{
    private array $branches = [];

    public function __construct(int $depth)
    {
        seen('Tree->__construct');
        if ($depth > 0) {
            $this->branches = [new Tree($depth - 1), new Tree($depth - 1)];
        }
    }

    public function count(): int
    {
        seen('Tree->count');
        $sum = 1;
        foreach ($this->branches as $branch) {
            $sum += $branch->count();
        }
        return $sum;
    }

    public static function of(int $depth): self
    {
        seen('Tree::of');
        return new self($depth);
    }
}

fibonacci(12);
is_even(51);
Tree::of(5)->count();
report();
