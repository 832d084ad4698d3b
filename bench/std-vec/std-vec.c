// Vectors as a C++ library has them: a larger array, the elements moved over, the old one freed.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vec { unsigned long *items; size_t length, room; };

static void push(struct vec *v, unsigned long x) {
    if (v->length == v->room) {
        v->room = v->room < 4 ? 4 : 2 * v->room;
        unsigned long *larger = malloc(v->room * sizeof *larger);
        if (!larger) abort();
        if (v->length > 0) memcpy(larger, v->items, v->length * sizeof *larger);
        free(v->items);
        v->items = larger;
    }
    v->items[v->length++] = x;
}
static unsigned long get(const struct vec *v, size_t i) { return v->items[i]; }
static unsigned long pop(struct vec *v) { return v->items[--v->length]; }

static unsigned long round_of(unsigned long seed, size_t n) {
    struct vec v = {0};
    for (size_t i = 0; i < n; i++) push(&v, seed = seed * 6364136223846793005 + 1442695040888963407);
    unsigned long sum = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < v.length; i++) sum += get(&v, i) >> k;
    while (v.length > 0) sum ^= pop(&v);
    free(v.items);
    return sum;
}

int main(void) {
    unsigned long sum = 0;
    for (int i = 0; i < 30; i++) sum += round_of((unsigned long)i, 1000000);
    for (int i = 0; i < 100000; i++) sum += round_of((unsigned long)i, 100);
    printf("%lu\n", sum);
    return 0;
}
