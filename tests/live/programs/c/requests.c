/* Tells callgrind itself when to dump, and when to forget what it has counted. */
#include <stdio.h>
#include <valgrind/callgrind.h>

static unsigned phase(unsigned rounds)
{
    unsigned state = rounds;
    for (unsigned i = 0; i < rounds; i++)
        state = state * 1664525u + 1013904223u;
    return state;
}

static unsigned forgotten(unsigned rounds)
{
    return phase(rounds) ^ 1u;
}

int main(void)
{
    unsigned state = phase(1000);
    CALLGRIND_DUMP_STATS_AT("first");
    state ^= forgotten(5000);
    CALLGRIND_ZERO_STATS;
    state ^= phase(3000);
    CALLGRIND_DUMP_STATS_AT("second");
    printf("%u\n", state);
    return 0;
}
