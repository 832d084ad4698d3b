/* trees.c - the trees of bench/gc freed by hand: node by node, and with an arena for
 * each tree; against malloc and free. */
#include "mem.h"

typedef struct node {
    struct node *left, *right;
} node;

#ifdef USE_MALLOC
#define NEW() ((node *)malloc(sizeof(node)))
#define FREE(p) free(p)
#else
enum { CLASSES = 1 };
static const uint32_t node_ptrs[] = {0, 8};
static const toft_desc node_d = {sizeof(node), 8, 2, 0, node_ptrs, "node"};
#define NEW() ((node *)toft_unique_new(&node_d, 0))
#define FREE(p) toft_unique_free(p)
#endif

enum { DEPTH = 17 };

static node *make(int d) {
    node *l = d ? make(d - 1) : 0, *r = d ? make(d - 1) : 0;
    node *t = NEW();
    t->left = l;
    t->right = r;
    return t;
}
static int check(const node *t) {
    return t->left ? 1 + check(t->left) + check(t->right) : 1;
}
static void drop(node *t) {
    if (t->left) drop(t->left);
    if (t->right) drop(t->right);
    FREE(t);
}
static volatile int sink;
static void all(void) {
    node *stretch = make(DEPTH + 1);
    sink = check(stretch);
    drop(stretch);
    node *keep = make(DEPTH);
    for (int d = 4; d <= DEPTH; d += 4)
        for (int i = 0; i < 1 << (DEPTH - d + 4); i++) {
            node *t = make(d);
            sink = check(t);
            drop(t);
        }
    sink = check(keep);
    drop(keep);
}

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    measure("node", 5.0 * (1 << (DEPTH + 5)), all);
    peak();
    return 0;
}
PROGRAM(run)
