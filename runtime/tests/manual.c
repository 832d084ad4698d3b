/* manual.c - unique and counted objects, arenas, reaps and dynamic regions, among each
 * other and with the collector. Each case checks itself and prints its name. */
#include "toft.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    struct node *left, *right;
} node;
typedef struct mixed {
    struct mixed *owned;   /* unique */
    struct mixed *counted; /* counted */
    toft_fat list;         /* unique array of mixed * (unique) */
    int64_t value;
} mixed;
typedef struct line64 {
    _Alignas(64) node *kept;
    char pad[56];
} line64;

static const uint32_t at_0_8[] = {0, 8}, at_0[] = {0}, at_mixed[] = {0, 8, 16};
static const toft_desc node_d = {sizeof(node), 8, 2, 0, at_0_8, "node"};
static const toft_desc mixed_d = {sizeof(mixed), 8, 3, 1, at_mixed, "mixed"};
static const toft_desc ptr_d = {8, 8, 1, 2, at_0, "pointer"};
static const toft_desc char_d = {1, 1, 0, 3, 0, "char"};
static const toft_desc leaf_d = {24, 8, 0, 4, 0, "leaf"};
static const toft_desc line_d = {sizeof(line64), 64, 1, 5, at_0, "line64"};
static const toft_desc word_d = {8, 8, 0, 6, 0, "word"};
static const toft_desc big_d = {20000, 8, 2, 7, at_0_8, "big"};

static const toft_drop mixed_glue;
static const toft_drop_field ptr_field[] = {{0, TOFT_Q_U, 0, {0}, &mixed_glue}};
static const toft_drop ptr_glue = {8, 1, ptr_field};
static const toft_drop_field mixed_fields[] = {
    {offsetof(mixed, owned), TOFT_Q_U, 0, {0}, &mixed_glue},
    {offsetof(mixed, counted), TOFT_Q_RC, 0, {0}, &mixed_glue},
    {offsetof(mixed, list), TOFT_Q_U, 1, {0}, &ptr_glue}};
static const toft_drop mixed_glue = {sizeof(mixed), 3, mixed_fields};

#define CHECK(e)                                                               \
    do {                                                                       \
        if (!(e)) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #e);            \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static void *global;
static const toft_root roots[] = {{&global, &ptr_d, 1}};

static uint32_t seed = 1;
static uint32_t rnd(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    return seed ^= seed << 5;
}

static toft_gc_info stats(void) {
    toft_gc_info i;
    toft_gc_stats(&i);
    return i;
}

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
static void garbage(void) {
    for (int i = 0; i < 30; i++) make(10);
}

/* What is handed out is nobody else's, zeroed if asked for, and keeps its bytes. */
static void unique(void) {
    enum { SLOTS = 4096 };
    static struct { unsigned char *p; size_t n; unsigned char tag; } slot[SLOTS];
    static toft_root_range range;
    memset(slot, 0, sizeof slot);
    static const uint32_t at[] = {0};
    static const toft_desc slot_d = {sizeof slot[0], 8, 1, 8, at, "slot"};
    range = (toft_root_range){toft_self->ranges, {slot, &slot_d, SLOTS}};
    toft_self->ranges = &range;
    for (int i = 0; i < 400000; i++) {
        uint32_t k = rnd() % SLOTS;
        if (slot[k].p) {
            for (size_t j = 0; j < slot[k].n; j += 7) CHECK(slot[k].p[j] == slot[k].tag);
            toft_unique_free(slot[k].p);
            slot[k].p = 0;
        }
        int zero = rnd() % 2;
        size_t n;
        unsigned char *p;
        switch (rnd() % 6) {
        case 0: n = sizeof(node); p = toft_unique_new(&node_d, zero); break;
        case 1: n = sizeof(line64); p = toft_unique_new(&line_d, zero);
                CHECK((uintptr_t)p % 64 == 0); break;
        case 2: n = 24; p = toft_unique_new(&leaf_d, zero); break;
        case 3: n = rnd() % 300;
                p = toft_region_new(&toft_heap_region, &char_d, n, TOFT_Q_U, zero);
                CHECK(p[n] == 0); break;
        case 4: n = 8 * (rnd() % 40);
                p = toft_region_new(&toft_heap_region, &ptr_d, n / 8, TOFT_Q_U, zero); break;
        default:
            n = 8 * (rnd() % 60);
            if (rnd() % 400 == 0) n = 8 * (rnd() % 9000);
            p = toft_region_new(&toft_heap_region, &word_d, n / 8, TOFT_Q_U, zero);
        }
        if (zero) for (size_t j = 0; j < n; j++) CHECK(p[j] == 0);
        slot[k].p = p;
        slot[k].n = n;
        slot[k].tag = (unsigned char)(rnd() | 1);
        memset(p, slot[k].tag, n);
        if (i % 1000 == 0) make(6);
        if (i % 40000 == 0) toft_gc_collect();
    }
    for (int k = 0; k < SLOTS; k++) {
        for (size_t j = 0; j < slot[k].n && slot[k].p; j++) CHECK(slot[k].p[j] == slot[k].tag);
        toft_unique_free(slot[k].p);
        slot[k].p = 0;
    }
    toft_self->ranges = range.next;
    toft_unique_free(0);
}

/* Memory of one class serves another one without a collection. */
static void purging(void) {
    enum { N = 200000 };
    static void *list[N];
    toft_gc_collect();
    uint64_t before = stats().collections;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < N; i++)
            list[i] = toft_region_new(&toft_heap_region, &word_d, 2 + (uint64_t)round * 2,
                                      TOFT_Q_U, 0);
        for (int i = 0; i < N; i++) toft_unique_free(list[i]);
    }
    CHECK(stats().collections == before);
    CHECK(getenv("TOFT_POISON") || TOFT_ASAN || stats().heap_bytes < 40 << 20);
    wipe();
}

/* A lost unique object is collected, a kept one keeps what it refers to. */
static __attribute__((noinline)) void lose(void) {
    for (int i = 0; i < 100000; i++) {
        node *n = toft_unique_new(&node_d, 1);
        n->left = global;
        global = i % 1000 ? 0 : n;
    }
    global = 0;
}
static void lost(void) {
    lose();
    wipe();
    toft_gc_collect();
    CHECK(TOFT_ASAN || getenv("TOFT_POISON") || stats().live_bytes < 1 << 20);
    node *n = toft_unique_new(&node_d, 1);
    n->left = make(8);
    node *c = toft_counted_new(&node_d, 1);
    c->right = make(8);
    global = n;
    for (int i = 0; i < 5; i++) garbage();
    CHECK(count(n) == 512 && count(c->right) == 511 && toft_counted_count(c) == 1);
    toft_unique_free(n);
    toft_counted_drop(c, 0);
    global = 0;
}

static int mixed_live;
static mixed *mixed_new(int counted) {
    mixed_live++;
    mixed *m = counted ? toft_counted_new(&mixed_d, 1) : toft_unique_new(&mixed_d, 1);
    CHECK(!m->owned && !m->counted && !m->list.base && !m->value);
    return m;
}
static mixed *mixed_tree(int depth, int counted, mixed *shared) {
    mixed *m = mixed_new(counted);
    if (depth > 0) {
        m->owned = mixed_tree(depth - 1, 0, shared);
        m->counted = rnd() % 3 ? mixed_tree(depth - 1, 1, shared) : toft_counted_dup(shared);
        uint64_t n = rnd() % 4;
        m->list = (toft_fat){
            toft_region_new(&toft_heap_region, &ptr_d, n, TOFT_Q_U, 1), 0, (uint32_t)n};
        for (uint64_t i = 0; i < n; i++)
            ((mixed **)m->list.base)[i] = rnd() % 2 ? mixed_tree(depth - 2, 0, shared) : 0;
    }
    return m;
}

static void dropping(void) {
    mixed *shared = mixed_new(1);
    for (int i = 0; i < 20; i++) {
        mixed *m = mixed_tree(8, 1, shared);
        if (i % 5 == 0) toft_gc_collect();
        toft_counted_drop(m, &mixed_glue);
        CHECK(toft_counted_count(shared) == 1);
    }
    /* A list that is deep, by either kind of pointer. */
    for (int kind = 0; kind < 2; kind++) {
        mixed *head = 0;
        for (int i = 0; i < 1000000; i++) {
            mixed *m = mixed_new(kind);
            *(kind ? &m->counted : &m->owned) = head;
            head = m;
        }
        mixed *top = toft_counted_new(&mixed_d, 1);
        *(kind ? &top->counted : &top->owned) = head;
        toft_counted_drop(top, &mixed_glue);
    }
    /* A comb: each node has a unique child and a counted one that goes on. */
    mixed *head = 0;
    for (int i = 0; i < 300000; i++) {
        mixed *m = toft_counted_new(&mixed_d, 1);
        m->owned = toft_unique_new(&mixed_d, 1);
        m->counted = head;
        head = m;
    }
    toft_counted_drop(head, &mixed_glue);
    toft_counted_drop(0, &mixed_glue);
    toft_counted_drop(shared, &mixed_glue);
    /* What was dropped is free again. */
    uint64_t before = stats().heap_bytes;
    for (int i = 0; i < 300000; i++) toft_unique_new(&mixed_d, 0);
    CHECK(TOFT_ASAN || getenv("TOFT_POISON") || stats().heap_bytes <= before + (1 << 20));
    wipe();
}

/* Objects of an arena keep what they refer to; others end with it. */
static void arenas(void) {
    for (int round = 0; round < 20; round++) {
        toft_scope s, inner;
        toft_region *h = toft_scope_enter(&s, 0);
        node *first = toft_region_new(h, &node_d, 1, TOFT_Q_A, 1), *last = first;
        for (int i = 0; i < 1000 * round; i++) {
            node *n = toft_region_new(h, &node_d, 1, TOFT_Q_A, 1);
            CHECK(!n->left && !n->right);
            last->left = n;
            if (i % 97 == 0) n->right = make(3);
            last = n;
            size_t len = rnd() % 50;
            char *t = toft_region_new(h, &char_d, len, TOFT_Q_A, i % 2);
            CHECK(t[len] == 0);
            memset(t, 'x', len);
            if (i % 500 == 0) {
                char *big = toft_region_new(h, &char_d, 30000, TOFT_Q_U, 1);
                CHECK(big[29999] == 0);
                node **ptrs = toft_region_new(h, &ptr_d, 3000, TOFT_Q_U, 1);
                ptrs[2999] = n;
                line64 *l = toft_region_new(h, &line_d, 1, TOFT_Q_RC, 1);
                CHECK((uintptr_t)l % 64 == 0 && toft_counted_count(l) == 1);
                toft_region_drop(h, l, 0);
            }
            if (i % 3000 == 0) garbage();
        }
        toft_region *g = toft_scope_enter(&inner, 0);
        for (int i = 0; i < 5; i++) toft_region_new(g, &word_d, 1, TOFT_Q_A, 0);
        CHECK(toft_region_size(g) == 40);
        toft_scope_exit(&inner);
        int n = 0, kept = 0;
        for (node *x = first; x; x = x->left) {
            n++;
            if (x->right) {
                CHECK(count(x->right) == 15);
                kept++;
            }
        }
        CHECK(n == 1000 * round + 1 && kept == (1000 * round + 96) / 97);
        CHECK(toft_region_size(h) >= (uint64_t)n * 16);
        toft_scope_exit(&s);
    }
    CHECK(stats().region_bytes == 0);
}

static int caught(const toft_exn_tag *tag, void (*f)(void *), void *arg) {
    toft_handler h;
    if (TOFT_TRY(&h)) {
        f(arg);
        TOFT_END_TRY(&h);
        return 0;
    }
    return toft_exn_is(h.exn, tag);
}

static void fill(void *arg) {
    for (;;) {
        toft_region_new(arg, &node_d, 1, TOFT_Q_A, 1);
        toft_region_new(arg, &word_d, 3, TOFT_Q_U, 0);
    }
}
static void leave(void *arg) {
    toft_scope s, t;
    toft_region *h = toft_scope_enter(&s, 0), *g = toft_scope_enter(&t, 1);
    for (int i = 0; i < 100000; i++) {
        toft_region_new(h, &node_d, 1, TOFT_Q_A, 1);
        toft_region_new(g, &node_d, 1, TOFT_Q_U, 1);
    }
    toft_throw((void *)(uintptr_t)arg, 0);
}
static void huge(void *arg) {
    toft_region_new(arg, &big_d, UINT32_MAX, TOFT_Q_A, 1);
}
static void too_many(void *arg) {
    toft_region_new(arg, &char_d, 1ull << 32, TOFT_Q_A, 1);
}

/* Limits, and ends by exceptions. */
static void limits(void) {
    for (int reap = 0; reap < 2; reap++) {
        toft_scope s;
        toft_region *h = toft_scope_enter(&s, reap);
        toft_region_limit(h, 100000);
        CHECK(caught(&toft_tag_Region_full, fill, h));
        CHECK(toft_region_size(h) <= 100000 && toft_region_size(h) > 99000);
        CHECK(caught(&toft_tag_Region_full, fill, h));
        toft_region_limit(h, 300000);
        node *n = toft_region_new(h, &node_d, 1, TOFT_Q_U, 1);
        CHECK(!n->left);
        CHECK(caught(&toft_tag_Region_full, fill, h));
        CHECK(toft_region_size(h) <= 300000 && toft_region_size(h) > 299000);
        toft_region_limit(h, 50);
        CHECK(caught(&toft_tag_Region_full, fill, h));
        toft_region_limit(h, 0);
        for (int i = 0; i < 100000; i++) toft_region_new(h, &leaf_d, 1, TOFT_Q_A, 0);
        CHECK(toft_region_size(h) >= 2600000);
        CHECK(caught(&toft_tag_Bad_alloc, huge, h));
        CHECK(caught(&toft_tag_Bad_alloc, too_many, h));
        toft_scope_exit(&s);
    }
    CHECK(caught(&toft_tag_Region_full, leave, (void *)(uintptr_t)&toft_exn_Region_full));
    CHECK(toft_self->frames == 0 && stats().region_bytes == 0);
}

/* Random frees in a reap, with collections in between. */
static void reaps(void) {
    enum { SLOTS = 1000 };
    for (int round = 0; round < 6; round++) {
        static struct { unsigned char *p; size_t n; unsigned char tag; int counted; } slot[SLOTS];
        memset(slot, 0, sizeof slot);
        toft_scope s;
        toft_region *h = toft_scope_enter(&s, 1);
        uint64_t most = 0;
        for (int i = 0; i < 100000; i++) {
            uint32_t k = rnd() % SLOTS;
            if (slot[k].p) {
                for (size_t j = 0; j < slot[k].n; j++) CHECK(slot[k].p[j] == slot[k].tag);
                if (slot[k].counted) toft_region_drop(h, slot[k].p, 0);
                else toft_region_free(h, slot[k].p);
            }
            size_t n = 8 * (rnd() % 30);
            if (rnd() % 50 == 0) n = 8 * (rnd() % 1200);
            if (rnd() % 2000 == 0) n = 8 * (rnd() % 9000);
            int counted = rnd() % 2, zero = rnd() % 2;
            unsigned char *p;
            if (rnd() % 20 == 0) {
                n = sizeof(line64);
                p = toft_region_new(h, &line_d, 1, counted ? TOFT_Q_RC : TOFT_Q_U, zero);
                CHECK((uintptr_t)p % 64 == 0);
            } else {
                p = toft_region_new(h, rnd() % 2 ? &ptr_d : &word_d, n / 8,
                                    counted ? TOFT_Q_RC : TOFT_Q_U, zero);
            }
            if (zero) for (size_t j = 0; j < n; j++) CHECK(p[j] == 0);
            slot[k].p = p;
            slot[k].n = n;
            slot[k].counted = counted;
            slot[k].tag = (unsigned char)(rnd() | 1);
            memset(p, slot[k].tag, n);
            uint64_t size = toft_region_size(h);
            if (size > most) most = size;
            if (i % 30000 == 0) toft_gc_collect();
        }
        CHECK(stats().region_bytes < most * 3 + (1 << 20));
        for (int k = 0; k < SLOTS; k++)
            if (slot[k].p) {
                if (slot[k].counted) toft_region_drop(h, slot[k].p, 0);
                else toft_region_free(h, slot[k].p);
            }
        CHECK(toft_region_size(h) == 0);
        toft_region_free(h, 0);
        /* What is kept in a reap is kept; what was freed there is not. */
        node *n = toft_region_new(h, &node_d, 1, TOFT_Q_U, 1);
        n->left = make(9);
        for (int i = 0; i < 10; i++) garbage();
        CHECK(count(n->left) == 1023);
        toft_scope_exit(&s);
    }
    CHECK(stats().region_bytes == 0);
}

/* Dynamic regions by key, counted key, and the collector. */
static __attribute__((noinline)) void lose_keys(void) {
    for (int i = 0; i < 50; i++) {
        toft_region *h = toft_key_region(toft_key_new(i % 2, 0));
        for (int k = 0; k < 2000; k++) toft_region_new(h, &node_d, 1, TOFT_Q_A, 1);
        /* A region may hold its own key, and the only way to another one. */
        void **own = toft_region_new(h, &ptr_d, 1, TOFT_Q_A, 1);
        *own = h;
    }
}
static __attribute__((noinline)) node *chain(int n) {
    node *head = 0;
    for (int i = 0; i < n; i++) {
        toft_key *k = toft_key_new(0, 0);
        node *x = toft_region_new(toft_key_region(k), &node_d, 1, TOFT_Q_A, 1);
        x->left = head;
        x->right = (node *)(void *)k;
        head = x;
    }
    return head;
}
static void keys(void) {
    toft_key *k = toft_key_new(0, 0), *r = toft_key_new(1, 1);
    node *n = toft_region_new(toft_key_region(k), &node_d, 1, TOFT_Q_A, 1);
    n->left = make(5);
    node *m = toft_region_new(toft_key_region(r), &node_d, 1, TOFT_Q_U, 1);
    m->left = make(6);
    toft_counted_dup(r);
    lose_keys();
    wipe();
    for (int i = 0; i < 5; i++) garbage();
    toft_gc_collect();
    CHECK(TOFT_ASAN || stats().region_bytes <= 10 * 16384);
    CHECK(count(n->left) == 63 && count(m->left) == 127);
    toft_key_drop(r);
    m->right = toft_region_new(toft_key_region(r), &node_d, 1, TOFT_Q_U, 1);
    toft_region_free(toft_key_region(r), m->right);
    m->right = 0;
    toft_key_drop(r);
    toft_key_drop(0);
    toft_key_free(k);
    toft_key_free(0);
    /* Only a pointer into the last region is left. */
    node *head = chain(100);
    for (int i = 0; i < 5; i++) garbage();
    int found = 0;
    for (node *x = head; x; x = x->left) found++;
    CHECK(found == 100);
    for (node *x = head; x;) {
        node *next = x->left;
        toft_key_free((toft_key *)(void *)x->right);
        x = next;
    }
    toft_drseq s = toft_drseq_new(0);
    for (int i = 0; i < 100; i++) {
        node *x = toft_region_new(toft_key_region(s.key), &node_d, 1, TOFT_Q_A, 1);
        x->left = x;
        toft_key *old = s.key;
        s = toft_drseq_next(s.gen);
        toft_key_free(old);
    }
    toft_key_free(s.key);
    toft_unique_free(s.gen);
    wipe();
    toft_gc_collect();
    CHECK(TOFT_ASAN || stats().region_bytes <= 10 * 16384);
}

/* Large unique objects come and go. */
static void large(void) {
    for (int i = 0; i < 3000; i++) {
        node *n = toft_unique_new(&big_d, 1);
        CHECK(!n->left && !n->right);
        n->left = (node *)(void *)n;
        char *c = toft_region_new(&toft_heap_region, &char_d, 100000, TOFT_Q_U, 0);
        c[99999] = 1;
        mixed *m = toft_region_new(&toft_heap_region, &mixed_d, 700, TOFT_Q_RC, 1);
        CHECK(!m[699].owned && !m[0].owned);
        m[699].owned = toft_unique_new(&mixed_d, 1);
        if (i % 100 == 0) toft_gc_collect();
        toft_unique_free(n);
        toft_unique_free(c);
        toft_counted_drop_n(m, 700, &mixed_glue);
    }
    CHECK(stats().heap_bytes < 20 << 20);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"unique", unique}, {"purging", purging}, {"lost", lost}, {"dropping", dropping},
             {"arenas", arenas}, {"limits", limits},   {"reaps", reaps}, {"keys", keys},
             {"large", large}};

static int run(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || !strcmp(argv[1], cases[i].name)) {
            wipe();
            cases[i].run();
            printf("%s ok\n", cases[i].name);
            fflush(stdout);
        }
    return 0;
}

TOFT_PROGRAM(run, 9, roots, 1, toft_signals_init)
