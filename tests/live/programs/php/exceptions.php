<?php

require __DIR__ . '/seen.php';

class Guard
{
    public function __destruct()
    {
        seen('Guard->__destruct');
    }
}

function risky(int $n): int
{
    seen('risky');
    $guard = new Guard();
    if ($n % 3 == 0) {
        throw new RuntimeException("bad $n");
    }
    return $n;
}

function middle(int $n): int
{
    seen('middle');
    try {
        return risky($n);
    } finally {
        cleanup();
    }
}

function cleanup(): void
{
    seen('cleanup');
}

for ($i = 0; $i < 20; $i++) {
    try {
        middle($i);
    } catch (RuntimeException $exception) {
        cleanup();
    }
}

register_shutdown_function('report');
middle(3);
