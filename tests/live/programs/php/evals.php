<?php

require __DIR__ . '/seen.php';

function evaluate(string $code): mixed
{
    seen('evaluate');
    seen('eval');
    return eval($code);
}

evaluate('function made(int $n): int { seen("made"); return $n + 1; }');
for ($i = 0; $i < 6; $i++) {
    evaluate("return made($i);");
}
for ($i = 0; $i < 3; $i++) {
    include __DIR__ . '/included.php';
}
report();
