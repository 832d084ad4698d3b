// Hash tables that keep the order of insertion, with hash and comparison known, as in C++.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct entry { unsigned long hash; bool live; long key, value; };
struct table { unsigned *slots; struct entry *entries; size_t mask, room, used; };

static inline unsigned long mix(unsigned long n) {
    n = (n ^ (n >> 32)) * 0x9e3779b97f4a7c15UL;
    n = (n ^ (n >> 29)) * 0xbf58476d1ce4e5b9UL;
    return n ^ (n >> 32);
}

static void enter(struct table *t, unsigned long hash, size_t place) {
    size_t at = hash & t->mask;
    while (t->slots[at] != 0) at = (at + 1) & t->mask;
    t->slots[at] = (unsigned)(place + 1);
}

static void grow(struct table *t) {
    t->room = t->room == 0 ? 8 : 2 * t->room;
    t->entries = realloc(t->entries, t->room * sizeof *t->entries);
    free(t->slots);
    t->slots = calloc(2 * t->room, sizeof *t->slots);
    if (!t->entries || !t->slots) abort();
    t->mask = 2 * t->room - 1;
    for (size_t i = 0; i < t->used; i++) enter(t, t->entries[i].hash, i);
}

static size_t place(const struct table *t, unsigned long hash, long key) {
    if (!t->slots) return 0;
    for (size_t at = hash & t->mask;; at = (at + 1) & t->mask) {
        size_t found = t->slots[at];
        if (found == 0) return 0;
        const struct entry *e = &t->entries[found - 1];
        if (e->hash == hash && e->live && e->key == key) return found;
    }
}

static void put(struct table *t, long key, long value) {
    unsigned long hash = mix((unsigned long)key);
    size_t found = place(t, hash, key);
    if (found != 0) {
        t->entries[found - 1].value = value;
        return;
    }
    if (t->used >= t->room) grow(t);
    t->entries[t->used] = (struct entry){hash, true, key, value};
    enter(t, hash, t->used++);
}

static long *find(const struct table *t, long key) {
    size_t found = place(t, mix((unsigned long)key), key);
    return found == 0 ? NULL : &t->entries[found - 1].value;
}

static long get_or(const struct table *t, long key, long otherwise) {
    long *value = find(t, key);
    return value ? *value : otherwise;
}

static unsigned long next(unsigned long *seed) {
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return *seed >> 33;
}

static long round_of(unsigned long seed, long keys, int times) {
    struct table t = {0};
    for (int i = 0; i < times; i++) {
        long key = (long)next(&seed) % keys;
        long *n = find(&t, key);
        if (n) ++*n;
        else put(&t, key, 1);
    }
    unsigned long sum = 0;
    for (long k = 0; k < 2 * keys; k++) sum += (unsigned long)(get_or(&t, k, 3) * (k & 15));
    for (size_t i = 0; i < t.used; i++)
        if (t.entries[i].live) sum = sum * 3 + (unsigned long)(t.entries[i].key + t.entries[i].value);
    free(t.entries);
    free(t.slots);
    return (long)sum;
}

int main(void) {
    unsigned long sum = 0;
    for (unsigned long i = 0; i < 3; i++) sum += (unsigned long)round_of(i, 300000, 2000000);
    for (unsigned long i = 0; i < 3000; i++) sum += (unsigned long)round_of(i, 100, 1000);
    printf("%ld\n", (long)sum);
    return 0;
}
