<?php

require __DIR__ . '/seen.php';

/** Every resumption of a generator is an invocation. */
function numbers(int $count): Generator
{
    seen('numbers');
    for ($i = 0; $i < $count; $i++) {
        yield $i;
        seen('numbers');
    }
}

function doubled(iterable $values): Generator
{
    seen('doubled');
    foreach ($values as $value) {
        yield 2 * $value;
        seen('doubled');
    }
}

function delegating(): Generator
{
    seen('delegating');
    yield from made('numbers', numbers(3));
    seen('delegating');
    yield 99;
    seen('delegating');
}

/** Counts the making of a generator, which runs nothing of its body. */
function made(string $name, Generator $generator): Generator
{
    seen('made');
    seen_until_3_3($name);
    return $generator;
}

foreach (made('doubled', doubled(made('numbers', numbers(5)))) as $value) {
}
iterator_to_array(made('numbers', numbers(4)));
$unfinished = made('numbers', numbers(10));
$unfinished->current();
$unfinished->next();
unset($unfinished);
foreach (made('delegating', delegating()) as $value) {
}
report();
