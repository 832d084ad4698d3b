/* arena.c - objects that end together: many in one arena, few in each of many arenas, and
 * a tree, against an arena as one would write it in C. */
#include "mem.h"

typedef struct node {
    struct node *left, *right;
} node;

#ifdef USE_MALLOC
typedef struct chunk {
    struct chunk *next;
    char room[];
} chunk;
typedef struct {
    char *cur, *end;
    chunk *chunks;
    size_t size;
} arena;
static __attribute__((noinline)) void *grow(arena *a, size_t n) {
    size_t size = a->size ? a->size * 2 : 16384;
    if (size > 1 << 20) size = 1 << 20;
    a->size = size;
    while (size < n + sizeof(chunk)) size *= 2;
    chunk *c = malloc(size);
    if (!c) abort();
    c->next = a->chunks;
    a->chunks = c;
    a->cur = c->room + n;
    a->end = (char *)c + size;
    return c->room;
}
static inline void *take(arena *a, size_t n) {
    n = (n + 7) & ~(size_t)7;
    char *p = a->cur;
    if ((size_t)(a->end - p) < n) return grow(a, n);
    a->cur = p + n;
    return p;
}
static inline void begin(arena *a) { memset(a, 0, sizeof *a); }
static inline void end(arena *a) {
    for (chunk *c = a->chunks; c;) {
        chunk *next = c->next;
        free(c);
        c = next;
    }
}
typedef arena scope;
typedef arena *handle;
#define BEGIN(s) (begin(s), (s))
#define END(s) end(s)
#define NODE(h) ((node *)take(h, sizeof(node)))
#define BYTES(h, n) ((char *)take(h, n))
#else
enum { CLASSES = 2 };
static const uint32_t node_ptrs[] = {0, 8};
static const toft_desc node_d = {sizeof(node), 8, 2, 0, node_ptrs, "node"};
static const toft_desc line_d = {64, 8, 0, 1, 0, "line"};
typedef toft_scope scope;
typedef toft_region *handle;
#define BEGIN(s) toft_scope_enter(s, 0)
#define END(s) toft_scope_exit(s)
#define NODE(h) ((node *)toft_region_new(h, &node_d, 1, TOFT_Q_A, 0))
#define BYTES(h, n) ((char *)toft_region_new(h, &line_d, 1, TOFT_Q_A, 0))
#endif

enum { N = 2000000, FEW = 200000 };

static void objects16(void) {
    scope s;
    handle h = BEGIN(&s);
    OPAQUE(h);
    node *last = 0;
    for (int i = 0; i < N; i++) {
        node *x = NODE(h);
        x->left = last;
        x->right = 0;
        last = x;
    }
    OPAQUE(last);
    END(&s);
}
static void objects64(void) {
    scope s;
    handle h = BEGIN(&s);
    OPAQUE(h);
    for (int i = 0; i < N / 4; i++) {
        char *x = BYTES(h, 64);
        memset(x, 0, 64);
        OPAQUE(x);
    }
    END(&s);
}
static void small(void) {
    for (int i = 0; i < FEW; i++) {
        scope s;
        handle h = BEGIN(&s);
        OPAQUE(h);
        for (int k = 0; k < 5; k++) {
            node *x = NODE(h);
            x->left = x->right = 0;
            OPAQUE(x);
        }
        END(&s);
    }
}
static node *make(handle h, int d) {
    node *l = d ? make(h, d - 1) : 0, *r = d ? make(h, d - 1) : 0;
    node *t = NODE(h);
    t->left = l;
    t->right = r;
    return t;
}
static void tree(void) {
    for (int i = 0; i < 64; i++) {
        scope s;
        handle h = BEGIN(&s);
        node *t = make(h, 14);
        OPAQUE(t);
        END(&s);
    }
}

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    measure("objects16", N, objects16);
    measure("objects64", N / 4, objects64);
    measure("small", FEW, small);
    measure("tree", 64.0 * 32767, tree);
    peak();
    return 0;
}
PROGRAM(run)
