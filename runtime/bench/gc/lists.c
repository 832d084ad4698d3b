/* lists.c - lists that are made, mapped, filtered, reversed and sorted, as a program in
 * a functional style does; some live long. */
#include "alloc.h"
#include <stdint.h>

/* left: the rest; right: a number in the guise of a pointer's bits, odd. */
static node *cons(uint64_t v, node *rest) {
    node *n = NEW_NODE();
    n->left = rest;
    n->right = (node *)(uintptr_t)(v * 2 + 1);
    return n;
}
#define VALUE(n) ((uint64_t)(uintptr_t)(n)->right / 2)

static node *range(uint64_t n) {
    node *l = 0;
    while (n) l = cons(--n, l);
    return l;
}
static node *reverse(const node *l) {
    node *r = 0;
    for (; l; l = l->left) r = cons(VALUE(l), r);
    return r;
}
static node *keep_if(const node *l, uint64_t mod) {
    node *r = 0;
    for (; l; l = l->left)
        if (VALUE(l) % mod) r = cons(VALUE(l), r);
    return reverse(r);
}
static node *mix(const node *l) {
    node *r = 0;
    for (; l; l = l->left) r = cons((VALUE(l) * 2654435761u) & 0xffffff, r);
    return r;
}
static node *merge(const node *a, const node *b) {
    node *r = 0;
    while (a || b) {
        if (!b || (a && VALUE(a) <= VALUE(b))) {
            r = cons(VALUE(a), r);
            a = a->left;
        } else {
            r = cons(VALUE(b), r);
            b = b->left;
        }
    }
    return reverse(r);
}
static node *sort(const node *l) {
    node *a = 0, *b = 0;
    int n = 0;
    for (const node *x = l; x; x = x->left, n++) {
        if (n % 2) a = cons(VALUE(x), a);
        else b = cons(VALUE(x), b);
    }
    if (n < 2) return b;
    return merge(sort(a), sort(b));
}
static uint64_t sum(const node *l) {
    uint64_t s = 0;
    for (; l; l = l->left) s = s * 31 + VALUE(l);
    return s;
}

static int run(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 30;
    double start = now();
    node *volatile kept[8] = {0};
    uint64_t s = 0;
    for (long i = 0; i < rounds; i++) {
        node *l = sort(mix(keep_if(range(30000), 3)));
        s += sum(l);
        kept[i % 8] = l;
    }
    for (int i = 0; i < 8; i++) s += sum(kept[i]);
    printf("%lu\n", (unsigned long)s);
    result("lists", now() - start);
    return 0;
}

PROGRAM(run)
