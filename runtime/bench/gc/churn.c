/* churn.c - small objects of mixed size that die at random, and strings. */
#include "alloc.h"
#include <stdint.h>

enum { SLOTS = 1 << 16 };


static uint32_t step(uint32_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 17;
    return *s ^= *s << 5;
}

static node *slots[SLOTS];
static char *texts[SLOTS];

static int run(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 20000000;
    double start = now();
    uint32_t s = 1;
    long sum = 0;
    for (long i = 0; i < n; i++) {
        uint32_t r = step(&s);
        if (r & 0x10000) {
            node *x = NEW_NODE();
            x->left = slots[r >> 20];
            if (x->left) x->left->left = 0;
            slots[r & (SLOTS - 1)] = x;
        } else {
            char *p = NEW_BYTES(16 + (r >> 24));
            p[0] = 1;
            if (texts[r >> 16]) sum += texts[r >> 16][0];
            texts[r & (SLOTS - 1)] = p;
        }
    }
    printf("%ld\n", sum);
    result("churn", now() - start);
    return 0;
}

#if defined(USE_BOEHM) || defined(USE_MALLOC)
PROGRAM(run)
#else
static const uint32_t one[] = {0};
static const toft_desc ptr_desc = {8, 8, 1, 1, one, "pointer"};
static const toft_root roots[] = {{slots, &ptr_desc, SLOTS}, {texts, &ptr_desc, SLOTS}};
TOFT_PROGRAM(run, 2, roots, 2, 0)
#endif
