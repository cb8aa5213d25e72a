/* Three threads that each do a different share of the same work. */
#include <pthread.h>
#include <stdio.h>

static unsigned step(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

static void *work(void *argument)
{
    unsigned *state = argument;
    unsigned steps = *state * 1000u;
    for (unsigned i = 0; i < steps; i++)
        *state = step(*state);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    unsigned states[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &states[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%u\n", states[0] ^ states[1] ^ states[2]);
    return 0;
}
