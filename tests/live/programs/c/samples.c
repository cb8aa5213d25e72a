/* Enough work in a known shape for a sampling profiler, and memory for a heap profiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned mix(unsigned state, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        state = (state ^ (state >> 3)) * 2654435761u + i;
    return state;
}

static unsigned heavy(unsigned state)
{
    return mix(state, 3000000) + mix(state + 1, 3000000);
}

static unsigned light(unsigned state)
{
    return mix(state, 1000000);
}

static unsigned nested(unsigned state, unsigned depth)
{
    return depth == 0 ? heavy(state) : nested(state + 1, depth - 1) + 1;
}

static char *keep(size_t bytes)
{
    return memset(malloc(bytes), 'a', bytes);
}

int main(void)
{
    unsigned state = 1;
    size_t kept = 0;
    for (unsigned round = 0; round < 40; round++) {
        state += light(state) + nested(state, round % 4);
        kept += (size_t)keep(300000)[round];
    }
    printf("%u %zu\n", state, kept);
    return 0;
}
