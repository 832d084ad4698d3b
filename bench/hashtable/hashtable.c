// A hash table from ints to ints: open addressing, linear probing, growing by doubling.
#include <stdio.h>
#include <stdlib.h>

struct table {
    int *keys;
    int *values;
    int capacity;
    int used;
};

static struct table *table_new(int capacity) {
    struct table *t = malloc(sizeof(struct table));
    t->keys = calloc(capacity, sizeof(int));
    t->values = calloc(capacity, sizeof(int));
    t->capacity = capacity;
    t->used = 0;
    return t;
}

static unsigned hash(int key) {
    unsigned h = (unsigned)key * 2654435761u;
    return h ^ h >> 15;
}

static int find_slot(struct table *t, int key) {
    unsigned mask = t->capacity - 1;
    unsigned i = hash(key) & mask;
    while (t->keys[i] != 0 && t->keys[i] != key)
        i = (i + 1) & mask;
    return i;
}

static void grow(struct table *t) {
    int *keys = t->keys;
    int *values = t->values;
    int capacity = t->capacity;
    t->capacity = capacity * 2;
    t->keys = calloc(t->capacity, sizeof(int));
    t->values = calloc(t->capacity, sizeof(int));
    for (int i = 0; i < capacity; i++)
        if (keys[i] != 0) {
            int slot = find_slot(t, keys[i]);
            t->keys[slot] = keys[i];
            t->values[slot] = values[i];
        }
    free(keys);
    free(values);
}

// Adds `n` to the value of `key` (never 0).
static void add(struct table *t, int key, int n) {
    int slot = find_slot(t, key);
    if (t->keys[slot] == 0) {
        if (t->used >= t->capacity / 4 * 3) {
            grow(t);
            slot = find_slot(t, key);
        }
        t->keys[slot] = key;
        t->used++;
    }
    t->values[slot] += n;
}

static int lookup(struct table *t, int key) {
    int slot = find_slot(t, key);
    return t->keys[slot] == 0 ? 0 : t->values[slot];
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 8;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        struct table *t = table_new(1024);
        unsigned seed = 7 + round;
        for (int i = 0; i < 1500000; i++) {
            seed = seed * 1103515245u + 12345u;
            add(t, (seed >> 13) + 1, i);
        }
        for (int i = 1; i < 1000000; i++)
            sum = sum * 31 + lookup(t, i);
        sum += t->used;
        free(t->keys);
        free(t->values);
        free(t);
    }
    printf("%u\n", sum);
    return 0;
}
