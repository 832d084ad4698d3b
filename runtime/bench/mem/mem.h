/* mem.h - what the programs here share: a clock, a random sequence, and the way to
 * allocate. Compile with -DUSE_MALLOC for the twin (link mimalloc or another malloc to
 * measure that); without it the program runs on the Toft runtime.
 *
 * Each program prints lines of "name nanoseconds" and, as the last one, its peak. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#ifdef USE_MALLOC
#define PROGRAM(fn)                                                            \
    int main(int argc, char **argv) { return fn(argc, argv); }
#else
#include "toft.h"
#define PROGRAM(fn) TOFT_PROGRAM(fn, CLASSES, 0, 0, 0)
#endif

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline uint32_t step(uint32_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 17;
    return *s ^= *s << 5;
}

/* Runs `work` ROUNDS times after a warm-up; prints the fastest, per operation. */
enum { ROUNDS = 7 };
static inline void measure(const char *name, double ops, void (*work)(void)) {
    double best = 1e30;
    for (int i = 0; i <= ROUNDS; i++) {
        double t = now();
        work();
        t = now() - t;
        if (i && t < best) best = t;
    }
    printf("%s %.3f\n", name, best / ops);
}

static inline void peak(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("peak_kib %ld\n", u.ru_maxrss);
}

/* The compiler must not see through this pointer. */
#define OPAQUE(p) __asm__ volatile("" : "+r"(p) : : "memory")
