/* stress.c - the collected heap under load. Each case checks itself and prints its name;
 * run with the name of a case, or without arguments for all of them. */
#include "toft.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    struct node *left, *right;
} node;
typedef struct item {
    struct item *next;
    int64_t value;
    toft_fat text;
} item;
typedef struct wide {
    double plain[100];
    node *kept;
    double more[40];
} wide;
typedef struct line64 {
    _Alignas(64) node *kept;
    char pad[56];
} line64;

static const uint32_t at_0_8[] = {0, 8}, at_0[] = {0}, at_0_16[] = {0, 16},
                      at_800[] = {offsetof(wide, kept)};
static const toft_desc node_d = {sizeof(node), 8, 2, 0, at_0_8, "node"};
static const toft_desc item_d = {sizeof(item), 8, 2, 1, at_0_16, "item"};
static const toft_desc wide_d = {sizeof(wide), 8, 1, 2, at_800, "wide"};
static const toft_desc line_d = {sizeof(line64), 64, 1, 3, at_0, "line64"};
static const toft_desc ptr_d = {8, 8, 1, 4, at_0, "pointer"};
static const toft_desc fat_d = {16, 8, 1, 5, at_0, "fat"};
static const toft_desc char_d = {1, 1, 0, 6, 0, "char"};
static const toft_desc int_d = {4, 4, 0, 7, 0, "int"};
static const toft_desc leaf_d = {24, 8, 0, 8, 0, "leaf"};
static const toft_desc tiny_d = {0, 1, 0, 9, 0, "empty"};

static item *global;
static node *table[64];
static const toft_root roots[] = {{&global, &ptr_d, 1}, {table, &ptr_d, 64}};

static const toft_site here = {"stress.toft", 1, 1, "check"};
#define CHECK(e)                                                               \
    do {                                                                       \
        if (!(e)) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #e);            \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* Nearly nothing is left. A sanitizer leaves old values on the stack, and they keep
 * objects alive. */
#define FEW(bytes) (TOFT_ASAN || (bytes) < 1 << 20)

static toft_gc_info stats(void) {
    toft_gc_info i;
    toft_gc_stats(&i);
    return i;
}

/* Overwrites what earlier calls left on the stack. */
static __attribute__((noinline)) void wipe(void) {
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}

static node *make(int d) {
    node *l = d ? make(d - 1) : 0, *r = d ? make(d - 1) : 0;
    node *t = toft_new(&node_d);
    CHECK(!t->left && !t->right);
    t->left = l;
    t->right = r;
    return t;
}

static int count(const node *t) {
    return t ? 1 + count(t->left) + count(t->right) : 0;
}

static void trees(void) {
    node *keep = make(14);
    for (int i = 0; i < 100; i++) CHECK(count(make(12)) == 8191);
    CHECK(count(keep) == 32767);
    CHECK(stats().collections > 0);
    TOFT_KEEP(keep);
}

static __attribute__((noinline)) void build_list(int n) {
    for (int i = 0; i < n; i++) {
        item *x = toft_new(&item_d);
        CHECK(x->next == 0 && x->value == 0 && x->text.base == 0);
        x->value = i;
        x->next = global;
        global = x;
    }
}

static void deep(void) {
    int n = 10000000;
    build_list(n);
    toft_gc_collect();
    CHECK(stats().live_bytes >= (uint64_t)n * sizeof(item));
    for (item *x = global; x; x = x->next) CHECK(x->value == --n);
    CHECK(n == 0);
    global = 0;
    wipe();
    toft_gc_collect();
    CHECK(FEW(stats().live_bytes));
}

/* More waits on the mark stack than it holds. */
static __attribute__((noinline)) node *comb(int n) {
    node *head = 0;
    for (int i = 0; i < n; i++) {
        node *x = toft_new(&node_d);
        x->right = head;
        head = x;
        x->left = toft_new(&node_d);
        x->left->left = toft_new(&node_d);
    }
    return head;
}

static void overflow(void) {
    int n = 2000000;
    node *c = comb(n);
    toft_gc_collect();
    CHECK(stats().live_bytes >= (uint64_t)n * 48);
    for (int i = 0; i < 100000; i++) make(3);
    for (node *x = c; x; x = x->right, n--)
        CHECK(x->left && x->left->left && !x->left->right && !x->left->left->left);
    CHECK(n == 0);
}

static __attribute__((noinline)) void make_cycles(void) {
    for (int i = 0; i < 100000; i++) {
        node *a = toft_new(&node_d), *b = toft_new(&node_d);
        a->left = b;
        b->left = a;
        a->right = a;
    }
}

static void cycles(void) {
    for (int i = 0; i < 20; i++) make_cycles();
    wipe();
    toft_gc_collect();
    CHECK(FEW(stats().live_bytes));
}

static void arrays(void) {
    for (uint64_t n = 0; n < 5000; n = n * 5 / 4 + 1) {
        toft_fat a = toft_new_fat(&ptr_d, n), f = toft_new_fat(&fat_d, n);
        for (uint64_t i = 0; i < n; i++) {
            node **p = toft_at(a, (int64_t)i, 8, &here);
            CHECK(*p == 0);
            *p = make(1);
            toft_fat *q = toft_at(f, (int64_t)i, 16, &here);
            CHECK(q->base == 0);
            *q = toft_new_fat(&char_d, i % 50);
            if (q->len) *(char *)toft_at(*q, q->len - 1, 1, &here) = (char)i;
        }
        for (int i = 0; i < 2000; i++) make(4);
        toft_gc_collect();
        for (uint64_t i = 0; i < n; i++) {
            CHECK(count(*(node **)toft_at(a, (int64_t)i, 8, &here)) == 3);
            toft_fat *q = toft_at(f, (int64_t)i, 16, &here);
            CHECK(q->len == i % 50);
            if (q->len) CHECK(*(char *)toft_at(*q, q->len - 1, 1, &here) == (char)i);
            CHECK(((char *)q->base)[q->len] == 0); /* the hidden zero */
        }
        TOFT_KEEP(a.base);
        TOFT_KEEP(f.base);
    }
    toft_fat big = toft_new_fat(&ptr_d, 1000000);
    for (int i = 0; i < 1000000; i += 7)
        *(node **)toft_at(big, i, 8, &here) = make(0);
    toft_gc_collect();
    for (int i = 0; i < 1000000; i++)
        CHECK(count(*(node **)toft_at(big, i, 8, &here)) == (i % 7 == 0));
    TOFT_KEEP(big.base);
}

static __attribute__((noinline)) int *inner(int n) {
    int *p = toft_new_array(&int_d, (uint64_t)n);
    for (int i = 0; i < n; i++) p[i] = i;
    return p + n - 1;
}

static void interior(void) {
    for (int n = 1; n < 200000; n = n * 3 + 1) {
        int *volatile p = inner(n);
        wipe();
        for (int i = 0; i < 3; i++) toft_gc_collect();
        for (int i = 0; i < 20000; i++) toft_new_bytes((uint64_t)n * 4 % 5000);
        for (int i = 0; i < n; i++) CHECK(p[-i] == n - 1 - i);
    }
    wide *w = toft_new(&wide_d);
    w->kept = make(5);
    double *volatile last = &w->more[39];
    w = 0;
    for (int i = 0; i < 100; i++) make(10);
    w = (wide *)(void *)((char *)(last + 1) - sizeof(wide));
    CHECK(count(w->kept) == 63);
}

static void shapes(void) {
    line64 *a[50];
    for (int i = 0; i < 50; i++) {
        a[i] = toft_new(&line_d);
        CHECK((uintptr_t)a[i] % 64 == 0);
        a[i]->kept = make(3);
        toft_new(&leaf_d);
        CHECK(toft_new(&tiny_d) != toft_new(&tiny_d));
    }
    toft_gc_collect();
    for (int i = 0; i < 200; i++) make(9);
    for (int i = 0; i < 50; i++) CHECK(count(a[i]->kept) == 15);
    for (int i = 0; i < 64; i++) table[i] = make(i % 8);
    for (int i = 0; i < 200; i++) make(9);
    for (int i = 0; i < 64; i++) CHECK(count(table[i]) == (2 << i % 8) - 1);
    node *local[2] = {make(4), make(5)};
    toft_root_range range = {toft_self->ranges, {local, &ptr_d, 2}};
    toft_self->ranges = &range;
    for (int i = 0; i < 200; i++) make(9);
    CHECK(count(local[0]) == 31 && count(local[1]) == 63);
    toft_self->ranges = range.next;
}

/* Pointer words may hold anything. */
static void garbage(void) {
    node *keep = make(6);
    uintptr_t low = (uintptr_t)keep & ~(uintptr_t)0xffffff;
    for (int i = 0; i < 200000; i++) {
        item *x = toft_new(&item_d);
        x->next = (item *)(low + (uintptr_t)rand() % (1 << 26));
        x->text.base = (void *)(uintptr_t)((uint64_t)rand() << 20 ^ (uint64_t)rand());
        if (i % 3 == 0) x->next = global;
        if (i % 3 == 0) global = x;
    }
    for (int i = 0; i < 5; i++) toft_gc_collect();
    CHECK(count(keep) == 127);
    global = 0;
}

static int caught(const toft_exn_tag *tag, void *(*f)(void)) {
    toft_handler h;
    if (TOFT_TRY(&h)) {
        f();
        TOFT_END_TRY(&h);
        return 0;
    }
    CHECK(toft_self->frames == h.frame.prev);
    return toft_exn_is(h.exn, tag);
}

static void *fill(void) {
    for (;;) {
        item *x = toft_new(&item_d);
        x->next = global;
        x->text = toft_new_fat(&char_d, 1000);
        global = x;
    }
    return 0;
}
static void *huge(void) { return toft_new_array(&node_d, UINT64_MAX / 8); }
static void *long_array(void) { return toft_new_array(&char_d, 1ull << 32); }
static void *large(void) { return toft_new_array(&wide_d, 1ull << 31); }

static void limit(void) {
    toft_gc_limit(32 << 20);
    for (int i = 0; i < 3; i++) {
        CHECK(caught(&toft_tag_Bad_alloc, fill));
        CHECK(stats().heap_bytes <= 32 << 20 && stats().live_bytes > 20 << 20);
        global = 0;
        wipe();
        CHECK(count(make(12)) == 8191);
    }
    CHECK(caught(&toft_tag_Bad_alloc, large));
    toft_gc_limit(0);
    CHECK(caught(&toft_tag_Bad_alloc, huge));
    CHECK(caught(&toft_tag_Bad_alloc, long_array));
    CHECK(caught(&toft_tag_Bad_alloc, large));
    CHECK(count(make(12)) == 8191);
}

static void strings(void) {
    char *kept[1000];
    memset(kept, 0, sizeof kept);
    for (int i = 0; i < 400000; i++) {
        size_t n = (size_t)(rand() % 12000) / (size_t)(1 + rand() % 40);
        char *p = toft_new_array(&char_d, n);
        for (size_t k = 0; k <= n; k += 16) CHECK(p[k] == 0);
        CHECK(p[n] == 0);
        memset(p, 'a' + i % 26, n);
        int slot = rand() % 1000;
        if (kept[slot]) {
            size_t len = strlen(kept[slot]);
            for (size_t k = 1; k < len; k++) CHECK(kept[slot][k] == kept[slot][0]);
        }
        kept[slot] = p;
    }
    CHECK(stats().collections > 3);
}

/* Memory goes back to the system. */
static void release(void) {
    build_list(2000000);
    global = 0;
    wipe();
    toft_gc_collect();
    CHECK(FEW(stats().heap_bytes));
    for (int i = 0; i < 20; i++) {
        char *p = toft_new_bytes(50 << 20);
        CHECK(p[0] == 0 && p[(50 << 20) - 1] == 0);
        memset(p, 1, 50 << 20);
    }
    CHECK(stats().peak_bytes < 400 << 20);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"trees", trees},     {"deep", deep},         {"overflow", overflow},
             {"cycles", cycles},   {"arrays", arrays},     {"interior", interior},
             {"shapes", shapes},   {"garbage", garbage},   {"limit", limit},
             {"strings", strings}, {"release", release}};

static int run(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || !strcmp(argv[1], cases[i].name)) {
            wipe();
            cases[i].run();
            printf("%s ok\n", cases[i].name);
        }
    return 0;
}

TOFT_PROGRAM(run, 10, roots, 2, toft_signals_init)
