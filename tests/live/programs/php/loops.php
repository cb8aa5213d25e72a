<?php

/** Calls that are alike but for a few hundredths of a per cent of their cost. */
function batch(int $count): string
{
    $sum = '';
    for ($i = 0; $i < $count; $i++) {
        $sum = md5('a');
    }
    return $sum;
}

for ($pass = 0; $pass < 30; $pass++) {
    batch(4000 + $pass % 3);
}
