<?php

/** Works until it is killed, and says on each line how many steps it has finished. */
function step(int $n): int
{
    return strlen(str_repeat('a', $n % 7));
}

for ($n = 1; ; $n++) {
    step($n);
    fwrite(STDOUT, "$n\n");
}
