/* reap.c - a mixed workload: allocate, free some at random, end all at once; against
 * malloc, and free for each object that is left. */
#include "mem.h"

#ifdef USE_MALLOC
typedef int scope;
typedef int handle;
#define BEGIN(s) (*(s) = 0)
#define NEW(h, size) malloc(size)
#define FREE(h, p) free(p)
#else
enum { CLASSES = 1 };
static const toft_desc word_d = {8, 8, 0, 0, 0, "word"};
typedef toft_scope scope;
typedef toft_region *handle;
#define BEGIN(s) toft_scope_enter(s, 1)
#define NEW(h, size) toft_region_new(h, &word_d, (size) / 8, TOFT_Q_U, 0)
#define FREE(h, p) toft_region_free(h, p)
#endif

enum { LIVE = 1 << 14, N = 1000000 };
static uint64_t *slots[LIVE];

/* Allocate and free at random, then end. */
static void mixed(void) {
    scope s;
    handle h = BEGIN(&s);
    uint32_t r = 9;
    memset(slots, 0, sizeof slots);
    for (int i = 0; i < N; i++) {
        uint32_t x = step(&r), k = x & (LIVE - 1);
        if (slots[k]) FREE(h, slots[k]);
        uint32_t size = x >> 31 ? 16 + (x >> 20 & 7) * 8 : 16 + (x >> 20 & 31) * 8;
        slots[k] = NEW(h, size);
        *slots[k] = x;
    }
#ifdef USE_MALLOC
    for (int k = 0; k < LIVE; k++) free(slots[k]);
#else
    toft_scope_exit(&s);
#endif
}

/* Allocate, free one in eight, then end: only the end is measured. */
static uint64_t *all[N];
static double ending;
static void ends(void) {
    scope s;
    handle h = BEGIN(&s);
    uint32_t r = 9;
    for (int i = 0; i < N; i++) {
        uint32_t x = step(&r);
        all[i] = NEW(h, 16 + (x >> 27) * 8);
        *all[i] = x;
        if (x % 8 == 0) {
            FREE(h, all[i]);
            all[i] = 0;
        }
    }
    double t = now();
#ifdef USE_MALLOC
    for (int k = 0; k < N; k++) free(all[k]);
#else
    toft_scope_exit(&s);
#endif
    t = now() - t;
    if (t < ending || ending == 0) ending = t;
}

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    measure("mixed", N, mixed);
    for (int i = 0; i < ROUNDS; i++) ends();
    printf("end %.3f\n", ending / N);
    peak();
    return 0;
}
PROGRAM(run)
