/* Turns callgrind's counting on and off, which makes it write `summary: 0` next to real costs. */
#include <stdio.h>
#include <valgrind/callgrind.h>

static unsigned counted(unsigned rounds)
{
    unsigned state = rounds;
    for (unsigned i = 0; i < rounds; i++)
        state = state * 1664525u + 1013904223u;
    return state;
}

static unsigned uncounted(unsigned rounds)
{
    return counted(rounds) ^ 1u;
}

int main(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    unsigned state = counted(1000);
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS_AT("first");
    state ^= uncounted(777);
    CALLGRIND_START_INSTRUMENTATION;
    state ^= counted(3000);
    CALLGRIND_STOP_INSTRUMENTATION;
    printf("%u\n", state);
    return 0;
}
