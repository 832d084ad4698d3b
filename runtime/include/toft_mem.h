/* toft_mem.h - manual memory: unique and counted objects, arenas, reaps, dynamic
 * regions. Included by toft.h.
 *
 * Unique and counted objects live in the same blocks as collected ones. A freed cell
 * goes to a list of its class. Cells are handed out from another list, so that the
 * processor need not know where one cell was freed to hand out the next. When that is
 * empty, the cell freed last is taken; one time in 512 (by its address) the lists are
 * exchanged, which a short list hardly notices. A counted
 * object has its count in the word before it. An arena bumps through chunks: objects
 * that may hold pointers grow up from `cur`, others down from `limit`, so that the
 * collector looks at the lower part alone. */
#ifndef TOFT_MEM_H
#define TOFT_MEM_H

/* How a tracked object is owned: the values of an aqual_t<'q>. */
enum { TOFT_Q_A = 0, TOFT_Q_U = 1, TOFT_Q_RC = 2 };

/* Further kinds of fields in a toft_drop. SWITCH: at `off` lies a tag of `fat`
 * bytes, and inner->fields[tag].inner (null: nothing) describes the rest of the same
 * object. PACKED: the lowest `fat` bits of the word at `off` are a tag, and
 * inner->fields[tag] (kind 0: nothing) describes the pointer in the rest of it. The
 * others are keys of dynamic regions, which go with their region. */
enum {
    TOFT_DROP_SWITCH = 3,
    TOFT_DROP_UKEY = 4,
    TOFT_DROP_RKEY = 5,
    TOFT_DROP_PACKED = 6
};

/* ------------------------------------------------------------- profiling */

/* In a build for `toft profile` each allocation and each free is preceded by
 * TOFT_AT(site). All allocations and frees then pass through the runtime, which tells
 * the hooks in toft_proc.prof of them (prof.rs). Otherwise nothing of this leaves a
 * trace in the program. */
enum {
    TOFT_KIND_HEAP = 0,
    TOFT_KIND_ARENA = 1,
    TOFT_KIND_REAP = 2,
    TOFT_KIND_DYNAMIC = 4 /* or'ed to the two before */
};
#ifdef TOFT_PROFILE
#define TOFT_AT(site_) (toft_self->prof_site = (site_))
#else
#define TOFT_AT(site_) ((void)0)
#endif

/* ------------------------------------------------------- blocks and cells */

/* The entry of a 16 KiB block in the side table, as far as C needs it. */
typedef struct toft_block {
    uint64_t unseen[3];
    toft_bump *bin; /* where its freed cells go; null: ask the runtime */
    uint32_t words[7], head; /* bytes of a cell in front of a counted object */
    uint64_t marks[16];
} toft_block;

/* The address range of all blocks. Constant once the first was taken. */
typedef struct toft_block_table {
    uintptr_t base;
    toft_block *blocks;
} toft_block_table;
extern toft_block_table toft_blocks;

#define TOFT_BLOCK_SHIFT 14

_Static_assert(sizeof(toft_block) == 192 && offsetof(toft_block, bin) == 24 &&
                   offsetof(toft_block, head) == 60,
               "layouts of toft_mem.h and pages.rs differ");

typedef uintptr_t __attribute__((may_alias)) toft_link;
typedef uint64_t __attribute__((may_alias)) toft_word;

#if TOFT_ASAN
void __asan_poison_memory_region(const volatile void *, size_t);
void __asan_unpoison_memory_region(const volatile void *, size_t);
#endif

/* A cell of `b`: one that was freed, or the next of the run (*fresh is set: its
 * memory is zero), or null. The link in a freed cell is stored as its complement,
 * so that it is no pointer to the collector. */
TOFT_INLINE void *toft_cell_take(toft_bump *b, uint32_t cell, int *fresh) {
    toft_link *p = (toft_link *)b->free;
    if (TOFT_LIKELY(p != 0)) {
        b->free = (void *)~*p;
        return p;
    }
    p = (toft_link *)b->freed;
    if (p) {
        void *next = (void *)~*p;
        if (TOFT_UNLIKELY((((uintptr_t)p >> 4 ^ (uintptr_t)p >> 13) & 511) == 0)) {
            b->freed = 0;
            b->free = next;
        } else {
            b->freed = next;
        }
        return p;
    }
    char *q = b->cur;
    if (TOFT_LIKELY((size_t)(b->limit - q) >= cell)) {
        b->cur = q + cell;
        *fresh = 1;
        return q;
    }
    return 0;
}

/* Gives the cell of an object back to its block's class. */
TOFT_INLINE bool toft_cell_give(void *p, bool counted) {
    uintptr_t off = (uintptr_t)p - toft_blocks.base;
    toft_block *m = &toft_blocks.blocks[off >> TOFT_BLOCK_SHIFT];
    toft_bump *b = m->bin;
    if (TOFT_UNLIKELY(!b)) return false;
    if (counted) p = (char *)p - m->head;
    *(toft_link *)p = ~(toft_link)b->freed;
    b->freed = p;
    return true;
}

/* ---------------------------------------------------------------- unique */

/* One object of 'H that toft_unique_free gives back. Zeroed if `zero`, else its
 * bytes may be anything. Fast: 6 instructions and the zeroing. Throws Bad_alloc. */
TOFT_INLINE void *toft_unique_new(const toft_desc *d, int zero) {
#ifndef TOFT_PROFILE
    uint32_t cell = TOFT_CELL(d->size, d->align);
    if (TOFT_LIKELY(cell <= TOFT_SMALL_MAX)) {
        int fresh = 0;
        void *p = toft_cell_take(&toft_self->bumps[2 * d->class_id], cell, &fresh);
        if (TOFT_LIKELY(p != 0)) {
            if (zero && !fresh) __builtin_memset(p, 0, cell);
            return p;
        }
    }
    return toft_unique_slow(d, zero);
#else
    void *p = toft_unique_slow(d, zero);
    toft_prof_alloc(p, d->size, 0, TOFT_Q_U, d);
    return p;
#endif
}

/* Gives a unique object of 'H back, an array too. Null is fine. Fast: 9
 * instructions. What it owns is not looked at. */
TOFT_INLINE void toft_unique_free(void *p) {
#ifndef TOFT_PROFILE
    if (!p || TOFT_LIKELY(toft_cell_give(p, false))) return;
#endif
    toft_unique_free_slow(p);
}

/* --------------------------------------------------------------- counted */

/* What a tracked object owns: `n` fields of each element of `size` bytes. A null
 * glue owns nothing. */
typedef struct toft_drop_field {
    uint32_t off;
    uint8_t kind; /* TOFT_Q_U, TOFT_Q_RC, TOFT_DROP_* */
    uint8_t fat;  /* a toft_fat: all its elements are dropped; or the size of a tag */
    uint8_t pad[2]; /* [0]: 1 when it points into the region of the dropped object */
    const struct toft_drop *inner;
} toft_drop_field;

struct toft_drop {
    uint32_t size, n;
    const toft_drop_field *fields;
};

/* Bytes in front of a counted object of this alignment. */
#define TOFT_HEAD(align) ((align) > 8u ? (align) : 8u)

/* One object of 'H with count 1. Throws Bad_alloc. */
TOFT_INLINE void *toft_counted_new(const toft_desc *d, int zero) {
#ifndef TOFT_PROFILE
    uint64_t head = TOFT_HEAD(d->align);
    uint64_t cell = TOFT_CELL(d->size + head + (d->size == 0), d->align);
    if (TOFT_LIKELY(cell <= TOFT_SMALL_MAX)) {
        int fresh = 0;
        toft_bump *b = &toft_self->bumps[2 * d->class_id + 1];
        char *p = toft_cell_take(b, (uint32_t)cell, &fresh);
        if (TOFT_LIKELY(p != 0)) {
            if (zero && !fresh) __builtin_memset(p + head, 0, cell - head);
            p += head;
            ((toft_word *)(void *)p)[-1] = 1;
            return p;
        }
    }
    return toft_counted_slow(d, zero);
#else
    void *p = toft_counted_slow(d, zero);
    toft_prof_alloc(p, d->size, 0, TOFT_Q_RC, d);
    return p;
#endif
}

/* One more reference. Null is fine. Fast: 1 instruction and the test. */
TOFT_INLINE void *toft_counted_dup(void *p) {
    if (p) ((toft_word *)p)[-1]++;
    return p;
}

/* How many references there are; 0 for null. */
TOFT_INLINE uint64_t toft_counted_count(const void *p) {
    return p ? ((const toft_word *)p)[-1] : 0;
}

/* One reference less; the last one frees the object and what it owns, without
 * recursion. Null is fine. Fast: 1 instruction and two tests. */
TOFT_INLINE void toft_counted_drop(void *p, const toft_drop *glue) {
    if (!p || --((toft_word *)p)[-1] != 0) return;
#ifndef TOFT_PROFILE
    if (__builtin_constant_p(glue) && !glue && toft_cell_give(p, true)) return;
#endif
    toft_counted_release(p, 1, glue);
}

/* The same for an array of `n` elements. */
TOFT_INLINE void toft_counted_drop_n(void *p, uint64_t n, const toft_drop *glue) {
    if (p && --((toft_word *)p)[-1] == 0) toft_counted_release(p, n, glue);
}

/* --------------------------------------------------------------- regions */

/* The start of a chunk of memory. */
typedef struct toft_chunk {
    struct toft_chunk *next, *prev;
    char *scan_end, *top;
    uint32_t blocks, large;
    uint64_t spare;
} toft_chunk;

#define TOFT_SPARE_MAX 16

/* A region's handle. */
struct toft_region {
    char *cur, *limit; /* free room of the newest chunk; a reap keeps it empty */
    toft_chunk *chunks;
    uint64_t used; /* bytes of objects in closed chunks */
    uint64_t cap;  /* toft_region_limit, or 0 */
    void *reap;    /* state of a reap after its first allocation */
    uint32_t kind; /* TOFT_KIND_* */
    uint32_t reached;
};

/* The handle of 'H: it never has room, so that allocation asks the runtime. */
extern toft_region toft_heap_region;

typedef struct toft_scope {
    toft_frame frame;
    toft_region region;
} toft_scope;

_Static_assert(sizeof(toft_region) == 56, "layouts of toft_mem.h and region.rs differ");

/* Opens a region that ends with the scope, in a struct of the function's frame.
 * 9 stores; memory is taken at the first allocation. */
TOFT_INLINE toft_region *toft_scope_enter(toft_scope *s, int reap) {
    s->region.cur = s->region.limit = 0;
    s->region.chunks = 0;
    s->region.used = s->region.cap = 0;
    s->region.reap = 0;
    s->region.kind = reap ? TOFT_KIND_REAP : TOFT_KIND_ARENA;
    s->region.reached = 0;
    toft_frame_push(&s->frame, toft_scope_cleanup);
    return &s->region;
}

/* Ends it: pops its entry, gives the memory back. An arena that never needed more
 * than its first chunk puts that aside for the next one. */
TOFT_INLINE void toft_scope_exit(toft_scope *s) {
    toft_proc *self = toft_self;
    toft_chunk *c = s->region.chunks;
    self->frames = s->frame.prev;
    if (!c) return;
#ifndef TOFT_PROFILE
    if (TOFT_LIKELY(!c->next && c->blocks == 1 && s->region.kind == TOFT_KIND_ARENA &&
                    self->nspare < TOFT_SPARE_MAX)) {
        c->next = self->spare;
        self->spare = c;
        self->nspare++;
        return;
    }
#endif
    toft_region_release(&s->region);
}

/* `count` elements in region `h` owned as `q` says; zeroed if `zero`, with a zero
 * byte more behind elements of one byte. Fast, for a constant count: 5
 * instructions. Throws Bad_alloc, and Region_full at the limit. */
TOFT_INLINE void *toft_region_new(toft_region *h, const toft_desc *elem,
                                  uint64_t count, unsigned q, int zero) {
#ifndef TOFT_PROFILE
    if (__builtin_constant_p(h == &toft_heap_region) && h == &toft_heap_region &&
        __builtin_constant_p(q) && q == TOFT_Q_U && elem->nptrs == 0 && elem->size > 1 &&
        TOFT_LIKELY(count <= UINT32_MAX))
        return toft_unique_raw(count * elem->size, elem->align, zero);
    if (__builtin_constant_p(count) && __builtin_constant_p(q) &&
        count <= TOFT_SMALL_MAX && elem->align <= 8) {
        uint64_t head = q == TOFT_Q_RC ? 8 : 0;
        uint64_t plain = elem->size * count + (elem->size == 1);
        uint64_t bytes = (plain + head + (plain == 0) + 7) & ~7ull;
        char *p = h->cur;
        if (TOFT_LIKELY((size_t)(h->limit - p) >= bytes)) {
            if (elem->nptrs) h->cur = p + bytes;
            else p = h->limit -= bytes;
#if TOFT_ASAN
            __asan_unpoison_memory_region(p, bytes);
#endif
            p += head;
            if (head) ((toft_word *)(void *)p)[-1] = 1;
            if (zero) __builtin_memset(p, 0, plain);
            else if (elem->size == 1) p[plain - 1] = 0;
            return p;
        }
    }
    return toft_region_slow(h, elem, count, q, zero);
#else
    void *p = toft_region_slow(h, elem, count, q, zero);
    toft_prof_alloc(p, elem->size * count, h == &toft_heap_region ? 0 : h, q, elem);
    return p;
#endif
}

/* Gives an object of a reap back before its end; `h` may be the heap's. */
TOFT_INLINE void toft_region_free(toft_region *h, void *p) {
    if (p) toft_region_free_slow(h, p);
}

/* One reference less to a counted object of `h`; of an arena's object only the
 * count changes. */
TOFT_INLINE void toft_region_drop(toft_region *h, void *p, const toft_drop *glue) {
    if (p && --((toft_word *)p)[-1] == 0) toft_region_release_object(h, p, 1, glue);
}

TOFT_INLINE void toft_region_drop_n(toft_region *h, void *p, uint64_t n,
                                    const toft_drop *glue) {
    if (p && --((toft_word *)p)[-1] == 0) toft_region_release_object(h, p, n, glue);
}

/* ------------------------------------------------------- dynamic regions */

/* An object of 'H, unique or counted, that owns a region. */
struct toft_key {
    toft_region region;
    struct toft_key *next, *prev; /* all of the process */
    void *heap;
};

/* Opens it. 0 instructions. */
TOFT_INLINE toft_region *toft_key_region(toft_key *k) { return &k->region; }

/* A sequence of regions that outlive each other: a key and the generator of the
 * next one, a unique object of its own. */
typedef struct toft_gen {
    uint64_t made;
    uint64_t reap;
} toft_gen;

typedef struct toft_drseq {
    toft_key *key;
    toft_gen *gen;
} toft_drseq;

TOFT_INLINE toft_drseq toft_drseq_new(int reap) {
    toft_drseq s;
    s.key = toft_key_new(reap, 0);
    s.gen = (toft_gen *)toft_gen_new(reap);
    return s;
}

/* Consumes `gen`. */
TOFT_INLINE toft_drseq toft_drseq_next(toft_gen *gen) {
    toft_drseq s;
    s.key = toft_key_new((int)gen->reap, 0);
    s.gen = gen;
    gen->made++;
    return s;
}

#endif
