/* Two threads that share `begin` and `step`: one calls `step` within `begin`, the other `begin` within `step`. */
#include <pthread.h>
#include <stdio.h>

static unsigned state = 1;

__attribute__((noinline)) static void begin(void (*body)(int), int count)
{
    body(count);
    state += 1;
}

__attribute__((noinline)) static void work(int count)
{
    for (int i = 0; i < count; i++)
        state = state * 1664525u + 1013904223u;
}

__attribute__((noinline)) static void step(int count)
{
    for (int i = 0; i < count; i++)
        state = state * 22695477u + 1u;
    if (count > 1000)
        begin(work, count * 2);
    state += 2;
}

static void *start(void *argument)
{
    step(2000);
    return argument;
}

__attribute__((noinline)) static void app(int count)
{
    pthread_t thread;
    step(count);
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    state += 3;
}

int main(void)
{
    begin(app, 1000);
    printf("%u\n", state);
    return 0;
}
