/* binary_trees.c - many short-lived trees beside a long-lived one (depth from argv). */
#include "alloc.h"

static node *make(int depth) {
    if (depth == 0) return NEW_NODE();
    node *l = make(depth - 1);
    node *r = make(depth - 1);
    node *t = NEW_NODE();
    t->left = l;
    t->right = r;
    return t;
}

static int check(const node *t) {
    return t->left ? 1 + check(t->left) + check(t->right) : 1;
}

static int run(int argc, char **argv) {
    int max = argc > 1 ? atoi(argv[1]) : 16;
    double start = now();
    printf("stretch %d\n", check(make(max + 1)));
    node *volatile keep = make(max);
    for (int d = 4; d <= max; d += 4) {
        int n = 1 << (max - d + 4), sum = 0;
        for (int i = 0; i < n; i++) sum += check(make(d));
        printf("%d trees of depth %d: %d\n", n, d, sum);
    }
    printf("long-lived %d\n", check(keep));
    result("binary_trees", now() - start);
    return 0;
}

PROGRAM(run)
