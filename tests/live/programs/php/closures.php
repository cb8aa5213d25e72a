<?php

require __DIR__ . '/seen.php';

/** Name of a closure as Xdebug has it. */
function closure(int $first, int $last): string
{
    seen('closure');
    return sprintf('{closure:%s:%d-%d}', __FILE__, $first, $last);
}

class Adder
{
    public function __construct(private int $step)
    {
        seen('Adder->__construct');
    }

    public function __invoke(int $n): int
    {
        seen('Adder->__invoke');
        return $n + $this->step;
    }

    public function plus(int $n): int
    {
        seen('Adder->plus');
        return $n + $this->step;
    }

    public function __call(string $name, array $arguments): int
    {
        seen_until_3_3("Adder->$name");
        seen('Adder->__call');
        return $arguments[0];
    }
}

$double = function (int $n): int {
    seen(closure(__LINE__ - 1, __LINE__ + 2));
    return 2 * $n;
};
$square = fn (int $n): int => [seen(closure(__LINE__, __LINE__)), $n * $n][1];

array_map($double, range(1, 10));
array_filter(range(1, 7), $square);
$adder = new Adder(3);
array_map($adder, [1, 2, 3]);
array_map([$adder, 'plus'], [1, 2, 3, 4]);
array_map($adder->plus(...), [1, 2]);
call_user_func($double, 5);
call_user_func_array([$adder, 'plus'], [5]);
$adder->missing(1);
$nested = fn (int $n): int => [seen(closure(__LINE__, __LINE__)), $double($n)][1];
$nested(1);
$nested(2);
report();
