/* unique.c - objects allocated and freed one by one: at once (pair), in batches, and at
 * random among 1 Ki and 64 Ki live ones of 16 to 256 bytes (churn). */
#include "mem.h"

typedef struct { char *p; uint64_t pad; } b16;

#ifdef USE_MALLOC
#define NEW(size) malloc(size)
#define FREE(p) free(p)
#define MIXED(size) malloc(size)
#else
enum { CLASSES = 17 };
#define D(n) {16 * (n), 8, 0, (n) - 1, 0, "b"}
static const toft_desc sizes[16] = {D(1), D(2),  D(3),  D(4),  D(5),  D(6),  D(7),  D(8),
                                    D(9), D(10), D(11), D(12), D(13), D(14), D(15), D(16)};
#define NEW(size) toft_unique_new(&sizes[(size) / 16 - 1], 0)
#define FREE(p) toft_unique_free(p)
static const toft_desc word_d = {8, 8, 0, 16, 0, "word"};
#define MIXED(size)                                                            \
    toft_region_new(&toft_heap_region, &word_d, (size) / 8, TOFT_Q_U, 0)
#endif

enum { N = 2000000, BATCH = 100000, BIG = 1 << 16 };
static char *slots[BIG];
static uint8_t order[1 << 16];

static void pair16(void) {
    for (int i = 0; i < N; i++) {
        char *p = NEW(16);
        *(volatile uint64_t *)(void *)p = 1;
        OPAQUE(p);
        FREE(p);
    }
}
static void pair64(void) {
    for (int i = 0; i < N; i++) {
        char *p = NEW(64);
        *(volatile uint64_t *)(void *)p = 1;
        OPAQUE(p);
        FREE(p);
    }
}
static void pair256(void) {
    for (int i = 0; i < N; i++) {
        char *p = NEW(256);
        *(volatile uint64_t *)(void *)p = 1;
        OPAQUE(p);
        FREE(p);
    }
}
static char *batch[BATCH];
static void batch64(void) {
    for (int i = 0; i < BATCH; i++) {
        batch[i] = NEW(64);
        *(uint64_t *)(void *)batch[i] = 1;
    }
    for (int i = 0; i < BATCH; i++) FREE(batch[i]);
}
static void churn(uint32_t live) {
    uint32_t s = 7;
    for (uint32_t i = 0; i < live; i++) {
        slots[i] = MIXED(16u + order[i] % 16 * 16);
        *(uint64_t *)(void *)slots[i] = i;
    }
    for (int i = 0; i < N; i++) {
        uint32_t r = step(&s), k = r & (live - 1);
        FREE(slots[k]);
        slots[k] = MIXED(16u + (r >> 28) * 16);
        *(uint64_t *)(void *)slots[k] = r;
    }
    for (uint32_t i = 0; i < live; i++) FREE(slots[i]);
}
static void churn1k(void) { churn(1 << 10); }
static void churn64k(void) { churn(1 << 16); }

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    uint32_t s = 3;
    for (int i = 0; i < 1 << 16; i++) order[i] = (uint8_t)step(&s);
    measure("pair16", N, pair16);
    measure("pair64", N, pair64);
    measure("pair256", N, pair256);
    measure("batch64", BATCH, batch64);
    measure("churn1k", N, churn1k);
    measure("churn64k", N, churn64k);
    peak();
    return 0;
}
PROGRAM(run)
