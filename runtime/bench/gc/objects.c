/* objects.c - 50 million objects of 16 bytes of which the last 1024 live; then as many
 * strings of 24 bytes. Nanoseconds each. */
#include "alloc.h"

enum { LIVE = 1024 };

static int run(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 50000000;
    node *volatile keep[LIVE] = {0};
    double t = now();
    for (long i = 0; i < n; i++) {
        node *x = NEW_NODE();
        x->left = x;
        keep[i % LIVE] = x;
    }
    double objects = now() - t;
    t = now();
    for (long i = 0; i < n; i++) {
        char *p = NEW_BYTES(24);
        p[0] = 1;
        keep[i % LIVE] = (node *)(void *)p;
    }
    double strings = now() - t;
    fprintf(stderr, "objects %.2f ns, strings %.2f ns\n", objects * 1e9 / n, strings * 1e9 / n);
    result("objects", objects + strings);
    return 0;
}

PROGRAM(run)
