/* Static functions, recursion, callbacks from the C library, and costs of a known order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More of them make one function slower than it is. */
#ifndef ROUNDS
#define ROUNDS 1
#endif

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Two functions that call each other. */
static int is_odd(int n);

static int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static void sort_numbers(int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = (int)((i * 7919u) % 1009u);
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
}

static unsigned sum_squares(const int *numbers, int count)
{
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            sum += (unsigned)numbers[i] * (unsigned)numbers[i];
    return sum;
}

static size_t copy_texts(int times)
{
    size_t length = 0;
    for (int i = 0; i < times; i++) {
        char *text = malloc(64);
        memset(text, 'a' + i % 26, 63);
        text[63] = '\0';
        length += strlen(text);
        free(text);
    }
    return length;
}

int main(void)
{
    int numbers[500];
    sort_numbers(numbers, 500);
    printf("%u\n", sum_squares(numbers, 500));
    printf("%u\n", fibonacci(15));
    printf("%d\n", is_even(40));
    for (int round = 0; round < 3; round++)
        printf("%zu\n", copy_texts(100));
    return 0;
}
