/* toft.h - the C side of the Toft runtime: types, inline fast paths, checks.
 *
 * Included by every C file the compiler emits, and by nothing else. Plain C11
 * for gcc and clang. Slow paths live in libtoft_rt.a; their prototypes are in
 * toft_abi.h, which is generated from crates/rt-abi and included below.
 *
 * Costs are given as "fast: N instructions"; a check that fails calls a cold,
 * noreturn trap which throws the matching exception.
 */
#ifndef TOFT_H
#define TOFT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOFT_ABI_VERSION 2

#define TOFT_LIKELY(x) __builtin_expect(!!(x), 1)
#define TOFT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TOFT_INLINE static inline __attribute__((always_inline, unused))
#define TOFT_COLD __attribute__((cold, noinline))
#define TOFT_NORETURN __attribute__((noreturn))
#define TOFT_MALLOC __attribute__((malloc, returns_nonnull))

#if defined(__SANITIZE_ADDRESS__)
#define TOFT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOFT_ASAN 1
#endif
#endif
#ifndef TOFT_ASAN
#define TOFT_ASAN 0
#endif

/* Keeps the pointer `p` visible to the collector up to this point. A compiler
 * may otherwise replace a pointer by a derived one outside its object. */
#define TOFT_KEEP(p) __asm__ volatile("" : : "g"(p))

/* ------------------------------------------------------------------ types */

/* A pointer with bounds. `off` and `len` count elements, `off` modulo 2^32;
 * null is all zero. It travels in two registers. */
typedef struct toft_fat {
    void *base;
    uint32_t off;
    uint32_t len;
} toft_fat;

#define TOFT_FAT_NULL ((toft_fat){0, 0, 0})

/* Where a check stands in the Toft source: one static const per check. */
typedef struct toft_site {
    const char *file;
    uint32_t line, col;
    const char *func;
} toft_site;

/* The shape of a type on the heap.
 *   size, align  as sizeof and _Alignof (align: power of two, at most 4096)
 *   ptrs         nptrs byte offsets, ascending multiples of 8: the words that
 *                may hold a heap pointer (the base word of a fat pointer too)
 *   class_id     0 .. ndescs-1 of the program; types of equal size, align and
 *                ptrs may share a number
 * A word listed in `ptrs` may hold any bits: the collector validates it. */
typedef struct toft_desc {
    uint32_t size;
    uint32_t align;
    uint32_t nptrs;
    uint32_t class_id;
    const uint32_t *ptrs;
    const char *name;
} toft_desc;

/* `count` objects of `desc` at `addr`, outside the heap, that may hold heap
 * pointers (globals, statics, string tables). */
typedef struct toft_root {
    void *addr;
    const toft_desc *desc;
    uint64_t count;
} toft_root;

/* A root range added at run time; linked into toft_proc, owned by the caller. */
typedef struct toft_root_range {
    struct toft_root_range *next;
    toft_root root;
} toft_root_range;

/* How the first payload field of an exception is printed. */
enum {
    TOFT_PAYLOAD_NONE = 0,
    TOFT_PAYLOAD_INT = 1,    /* int32_t */
    TOFT_PAYLOAD_LONG = 2,   /* int64_t */
    TOFT_PAYLOAD_CSTR = 3,   /* const char *, zero-terminated or null */
    TOFT_PAYLOAD_FATSTR = 4, /* toft_fat of char */
    TOFT_PAYLOAD_OTHER = 5,  /* not printed */
    TOFT_PAYLOAD_UINT = 6,   /* uint32_t */
    TOFT_PAYLOAD_ULONG = 7,  /* uint64_t */
    TOFT_PAYLOAD_CHAR = 8    /* char */
};

/* One per declared exception. An exception value is a pointer to an object
 * whose first word is a `const toft_exn_tag *`. */
typedef struct toft_exn_tag {
    const char *name;
    uint32_t payload;     /* TOFT_PAYLOAD_* of the first field */
    uint32_t payload_off; /* its byte offset in the object */
    uint64_t size;        /* of the whole object, tag word included */
} toft_exn_tag;

typedef struct toft_exn {
    const toft_exn_tag *tag;
} toft_exn;

typedef struct toft_assert_exn {
    const toft_exn_tag *tag;
    const char *text;
} toft_assert_exn;

/* Tags of the built-in exceptions, and the values of those without payload. */
extern const toft_exn_tag toft_tag_Null_Exception, toft_tag_Array_bounds,
    toft_tag_Match_Exception, toft_tag_Bad_alloc, toft_tag_Arithmetic,
    toft_tag_Region_full, toft_tag_Assert;
extern const toft_exn toft_exn_Null_Exception, toft_exn_Array_bounds,
    toft_exn_Match_Exception, toft_exn_Bad_alloc, toft_exn_Arithmetic,
    toft_exn_Region_full;

/* Reasons given to toft_trap_arith. */
enum {
    TOFT_ARITH_DIV_ZERO = 0,
    TOFT_ARITH_SHIFT = 1,
    TOFT_ARITH_FLOAT = 2,
    TOFT_ARITH_OVERFLOW = 3
};

/* An entry of the process's chain of handlers. `cleanup` is null in a handler
 * that catches; otherwise it is called when an exception passes, after the
 * entry has been removed, and must not throw. */
typedef struct toft_frame {
    struct toft_frame *prev;
    void (*cleanup)(struct toft_frame *);
} toft_frame;

typedef struct toft_handler {
    toft_frame frame;
    /* What surely stops here: null = not known, TOFT_CATCH_ALL, or a list of
     * tags ended by null. Saves the cost of a backtrace when it is thrown. */
    const toft_exn_tag *const *catches;
    void *exn; /* the exception, once caught */
    jmp_buf env;
} toft_handler;

#define TOFT_CATCH_ALL ((const toft_exn_tag *const *)(uintptr_t)1)

/* The cells a class hands out: a run of free, zeroed ones, and those that were freed. */
typedef struct toft_bump {
    char *cur;
    char *limit;
    void *free;  /* a list of freed cells to take from */
    void *freed; /* and one to which cells are freed */
} toft_bump;

typedef struct toft_proc toft_proc;

/* How a build for AddressSanitizer marks memory that is free. */
typedef struct toft_guard {
    void (*poison)(const volatile void *, size_t);
    void (*unpoison)(const volatile void *, size_t);
} toft_guard;

typedef struct toft_program {
    uint32_t abi;    /* TOFT_ABI_VERSION */
    uint32_t flags;  /* TOFT_PROGRAM_* */
    uint32_t ndescs; /* class ids are below this */
    uint32_t nroots;
    const toft_root *roots;
    /* toft_signals_init, or null to leave stack overflows and faults to the
     * kernel (a program that wants to be as small as can be). */
    void (*signals)(toft_proc *);
    const toft_guard *guard; /* null without ASan */
} toft_program;

enum {
    TOFT_PROGRAM_ASAN = 1,
    TOFT_PROGRAM_NO_GC = 2 /* never collect: nothing is allocated for the collector */
};

/* Define before TOFT_PROGRAM to set more flags. */
#ifndef TOFT_PROGRAM_FLAGS
#define TOFT_PROGRAM_FLAGS 0
#endif

/* Everything the runtime knows of one process. */
struct toft_proc {
    toft_frame *frames;        /* innermost handler */
    char *stack_base;          /* highest address of the stack */
    char *stack_limit;         /* lowest usable address */
    const toft_program *program;
    void *heap;                /* the collector's state, null until used */
    toft_root_range *ranges;   /* further roots */
    void *exn;                 /* the exception in flight (a root) */
    void *throw_info;          /* site and backtrace of the last throw */
    const toft_site *prof_site; /* of the allocation or free about to be made */
    void *prof;                /* state of the profiler, or null */
    struct toft_chunk *spare;  /* chunks of one block that wait for the next arena */
    uint64_t nspare;
    toft_bump bumps[];         /* two for each class id: the second for counted ones */
};

/* The process that runs on this thread. Defined by TOFT_PROGRAM. */
extern _Thread_local toft_proc *toft_self;

/* Its address on this thread; called by the runtime's slow paths. */
toft_proc **toft_self_slot(void);

typedef struct toft_gc_info {
    uint64_t collections;
    uint64_t live_bytes;      /* found by the last collection */
    uint64_t heap_bytes;      /* blocks in use now */
    uint64_t peak_bytes;      /* most blocks ever in use */
    uint64_t allocated_bytes; /* since the start */
    uint64_t pause_total_ns;
    uint64_t pause_max_ns;
    uint64_t limit_bytes;     /* 0 = none */
    uint64_t region_bytes;    /* chunks of arenas and reaps in use now */
    uint64_t region_peak;
    uint64_t purges;          /* searches of freed cells for free blocks */
    uint64_t spare;
} toft_gc_info;

typedef struct toft_region toft_region;
typedef struct toft_drop toft_drop;
typedef struct toft_key toft_key;

/* The runtime was compiled for these. */
_Static_assert(sizeof(toft_fat) == 16 && sizeof(toft_site) == 24 &&
                   sizeof(toft_desc) == 32 && sizeof(toft_root) == 24 &&
                   sizeof(toft_exn_tag) == 24 && sizeof(toft_program) == 40 &&
                   sizeof(toft_gc_info) == 96 && sizeof(toft_bump) == 32,
               "64-bit targets only");
_Static_assert(offsetof(toft_handler, env) == 32 &&
                   offsetof(toft_proc, heap) == 32 &&
                   offsetof(toft_proc, bumps) == 96,
               "layouts of toft.h and proc.rs differ");

#include "toft_abi.h"

#if TOFT_ASAN
#define TOFT_GUARD(name)                                                       \
    static const toft_guard name = {__asan_poison_memory_region,               \
                                    __asan_unpoison_memory_region};
#define TOFT_GUARD_OF(name) (&name)
#else
#define TOFT_GUARD(name)
#define TOFT_GUARD_OF(name) 0
#endif

/* ---------------------------------------------------------------- program */

#ifdef TOFT_PROFILE
#define TOFT_PROF_START(self) toft_prof_start(self)
#else
#define TOFT_PROF_START(self) ((void)0)
#endif

/* Once per program, at file scope, after the user's main has been declared as
 * `int fn(int, char **)`: defines main() and the main process. `n_classes`,
 * `roots` and `n_roots` as in toft_program; `signals` is toft_signals_init or
 * 0. */
#define TOFT_PROGRAM(fn, n_classes, roots_, n_roots, signals_)                 \
    _Thread_local toft_proc *toft_self;                                        \
    toft_proc **toft_self_slot(void) { return &toft_self; }                    \
    static union {                                                             \
        toft_proc proc;                                                        \
        char room[sizeof(toft_proc) + (n_classes) * 2 * sizeof(toft_bump)];    \
    } toft_main_proc;                                                          \
    TOFT_GUARD(toft_this_guard)                                                \
    static const toft_program toft_this_program = {                            \
        TOFT_ABI_VERSION,                                                      \
        (TOFT_ASAN ? TOFT_PROGRAM_ASAN : 0) | (TOFT_PROGRAM_FLAGS),            \
        (n_classes), (n_roots), (roots_), (signals_),                          \
        TOFT_GUARD_OF(toft_this_guard)};                                       \
    int main(int argc, char **argv) {                                          \
        toft_self = &toft_main_proc.proc;                                      \
        TOFT_PROF_START(toft_self);                                            \
        return toft_start(argc, argv, (fn), toft_self, &toft_this_program);    \
    }

/* ------------------------------------------------------------- exceptions */

TOFT_INLINE void toft_frame_push(toft_frame *f, void (*cleanup)(toft_frame *)) {
    toft_proc *self = toft_self;
    f->prev = self->frames;
    f->cleanup = cleanup;
    self->frames = f;
}

TOFT_INLINE void toft_frame_pop(toft_frame *f) { toft_self->frames = f->prev; }

TOFT_INLINE void toft_handler_push(toft_handler *h,
                                   const toft_exn_tag *const *catches) {
    h->catches = catches;
    h->exn = 0;
    toft_frame_push(&h->frame, 0);
}

/* if (TOFT_TRY(&h)) { body; TOFT_END_TRY(&h); } else { exn = h.exn; ... }
 * Leaving the body by return, break or goto needs TOFT_END_TRY first. In the
 * else branch the handler is gone already. Locals written in the body and
 * read in the else branch must be volatile. About 10 ns. */
#define TOFT_TRY(h) TOFT_TRY_FOR((h), 0)
#define TOFT_TRY_FOR(h, catches_)                                              \
    (toft_handler_push((h), (catches_)), _setjmp((h)->env) == 0)
#define TOFT_END_TRY(h) toft_frame_pop(&(h)->frame)

/* True if `exn` (not null) was made by this tag. */
TOFT_INLINE bool toft_exn_is(const void *exn, const toft_exn_tag *tag) {
    return ((const toft_exn *)exn)->tag == tag;
}

/* ------------------------------------------------------------- allocation */

#define TOFT_SMALL_MAX 8192u /* larger objects get blocks of their own */

/* Bytes one object of this size and alignment takes in its block. */
#define TOFT_CELL(size, align)                                                 \
    ((size) <= 16u && (align) <= 16u                                           \
         ? 16u                                                                 \
         : ((size) + ((align) > 8u ? (align) : 8u) - 1u) &                     \
               ~(((align) > 8u ? (align) : 8u) - 1u))

/* One zeroed object, collected when unreachable. Fast: 6 instructions when
 * the descriptor is a static const of this file. Throws Bad_alloc. */
#ifdef TOFT_PROFILE
TOFT_INLINE void *toft_new(const toft_desc *d) {
    void *p = toft_new_slow(d);
    toft_prof_alloc(p, d->size, 0, 0, d);
    return p;
}
#else
TOFT_INLINE void *toft_new(const toft_desc *d) {
    uint32_t cell = TOFT_CELL(d->size, d->align);
    if (TOFT_LIKELY(cell <= TOFT_SMALL_MAX)) {
        toft_bump *b = &toft_self->bumps[2 * d->class_id];
        char *p = b->cur;
        if (TOFT_LIKELY((size_t)(b->limit - p) >= cell)) {
            b->cur = p + cell;
            return p;
        }
    }
    return toft_new_slow(d);
}
#endif

/* `n` zeroed bytes without pointers in them. Throws Bad_alloc. */
TOFT_INLINE void *toft_new_bytes(uint64_t n) {
    void *p = toft_new_raw(n, 1);
#ifdef TOFT_PROFILE
    toft_prof_alloc(p, n, 0, 0, 0);
#endif
    return p;
}

/* `n` zeroed elements. With elements of one byte there is one zero byte more
 * after the end. Throws Bad_alloc, also when n * size overflows or the array
 * has 2^32 elements or more (a fat pointer could not hold it). */
TOFT_INLINE void *toft_new_array(const toft_desc *elem, uint64_t n) {
    uint64_t bytes;
    if (TOFT_UNLIKELY(n > UINT32_MAX ||
                      __builtin_mul_overflow(n, (uint64_t)elem->size, &bytes)))
        toft_trap_alloc(0);
    if (elem->size == 1) bytes++;
#ifdef TOFT_PROFILE
    void *p = elem->nptrs ? toft_new_scanned(elem, bytes) : toft_new_raw(bytes, elem->align);
    toft_prof_alloc(p, n * elem->size, 0, 0, elem);
    return p;
#else
    if (elem->nptrs == 0) return toft_new_raw(bytes, elem->align);
    return toft_new_scanned(elem, bytes);
#endif
}

TOFT_INLINE toft_fat toft_new_fat(const toft_desc *elem, uint64_t n) {
    return (toft_fat){toft_new_array(elem, n), 0, (uint32_t)n};
}

#include "toft_mem.h"

/* ----------------------------------------------------------------- checks */

/* The pointer itself, or Null_Exception. Fast: 2 instructions. */
TOFT_INLINE void *toft_nonnull(const void *p, const toft_site *s) {
    if (TOFT_UNLIKELY(!p)) toft_trap_null(s);
    return (void *)(uintptr_t)p;
}

/* Index `i` of a thin array of `len` elements, checked. */
TOFT_INLINE uint64_t toft_index(int64_t i, uint64_t len, const toft_site *s) {
    if (TOFT_UNLIKELY((uint64_t)i >= len)) toft_trap_bounds(s, i, len);
    return (uint64_t)i;
}

/* Address of p[i] with elements of `size` bytes, or Array_bounds, or
 * Null_Exception if p is null. Fast: 4 instructions. */
TOFT_INLINE void *toft_at(toft_fat p, int64_t i, size_t size,
                          const toft_site *s) {
    uint64_t k = (uint64_t)p.off + (uint64_t)i;
    if (TOFT_UNLIKELY(k >= p.len)) toft_trap_at(s, p.base, (int64_t)k, p.len);
    return (char *)p.base + k * size;
}

/* Like toft_at for `n` elements from p[i] on (n = 0: a place up to the end). */
TOFT_INLINE void *toft_range(toft_fat p, int64_t i, uint64_t n, size_t size,
                             const toft_site *s) {
    uint64_t k = (uint64_t)p.off + (uint64_t)i;
    if (TOFT_UNLIKELY(k > p.len || n > p.len - k)) {
        int64_t last = k > p.len ? (int64_t)k : (int64_t)p.len;
        toft_trap_at(s, p.base, last, p.len);
    }
    return (char *)p.base + k * size;
}

/* Offset as a signed number: positions before the start are negative. */
TOFT_INLINE int64_t toft_fat_pos(toft_fat p) {
    return p.off > p.len && (int32_t)p.off < 0 ? (int64_t)(int32_t)p.off
                                               : (int64_t)p.off;
}

/* Elements from p to the end; 0 outside. */
TOFT_INLINE uint64_t toft_numelts(toft_fat p) {
    return p.off <= p.len ? p.len - p.off : 0;
}

TOFT_INLINE toft_fat toft_fat_of(const void *p, uint64_t n) {
    return (toft_fat){(void *)(uintptr_t)p, 0, p ? (uint32_t)n : 0};
}

TOFT_INLINE bool toft_fat_isnull(toft_fat p) { return p.base == 0; }

/* Arithmetic never traps; the offset wraps at 2^32 and is checked on use. */
TOFT_INLINE toft_fat toft_fat_add(toft_fat p, int64_t n) {
    p.off += (uint32_t)(uint64_t)n;
    return p;
}

TOFT_INLINE toft_fat toft_fat_sub(toft_fat p, int64_t n) {
    p.off -= (uint32_t)(uint64_t)n;
    return p;
}

/* The address p stands for, which may be outside its object: for comparing. */
TOFT_INLINE uintptr_t toft_fat_addr(toft_fat p, size_t size) {
    return (uintptr_t)p.base + (uintptr_t)toft_fat_pos(p) * size;
}

/* a - b in elements; exact within one object, address difference otherwise. */
TOFT_INLINE int64_t toft_fat_diff(toft_fat a, toft_fat b, size_t size) {
    if (TOFT_LIKELY(a.base == b.base)) return toft_fat_pos(a) - toft_fat_pos(b);
    return size == 0 ? 0
                     : (int64_t)(toft_fat_addr(a, size) -
                                 toft_fat_addr(b, size)) /
                           (int64_t)size;
}

/* Bytes of a variable-length array of n elements: Array_bounds if n is negative,
 * Bad_alloc if it would take more than half of what is left of the stack. One hidden
 * zero byte more for elements of one byte. */
TOFT_INLINE size_t toft_vla(int64_t n, size_t size, const toft_site *s) {
    char *sp = (char *)__builtin_frame_address(0);
    uint64_t room = (uint64_t)(sp - toft_self->stack_limit) / 2;
    if (TOFT_UNLIKELY(n < 0)) toft_trap_bounds(s, n, 0);
    if (TOFT_UNLIKELY(size != 0 && (uint64_t)n > room / size)) toft_trap_alloc(s);
    return (size_t)n * size + (size == 1);
}

/* -1, 0 or 1. */
TOFT_INLINE int toft_fat_cmp(toft_fat a, toft_fat b, size_t size) {
    if (a.base == b.base) {
        int64_t x = toft_fat_pos(a), y = toft_fat_pos(b);
        return (x > y) - (x < y);
    }
    uintptr_t x = toft_fat_addr(a, size), y = toft_fat_addr(b, size);
    return (x > y) - (x < y);
}

TOFT_INLINE bool toft_fat_eq(toft_fat a, toft_fat b, size_t size) {
    return a.base == b.base ? a.off == b.off
                            : toft_fat_addr(a, size) == toft_fat_addr(b, size);
}

/* The same memory seen with elements of another size. The offset must stand
 * at a whole element of the new view, else Array_bounds. */
TOFT_INLINE toft_fat toft_fat_view(toft_fat p, size_t from, size_t to,
                                   const toft_site *s) {
    uint64_t off = (uint64_t)p.off * from, len = (uint64_t)p.len * from;
    if (from == to) return p;
    if (TOFT_UNLIKELY(p.off > p.len || off % to != 0 || len / to > UINT32_MAX))
        toft_trap_at(s, p.base, (int64_t)p.off, p.len);
    return (toft_fat){p.base, (uint32_t)(off / to), (uint32_t)(len / to)};
}

/* ---------------------------------------------------- zero-ended pointers */

/* Index `i` of a string known only by its terminator: fine if 0 <= i and no
 * terminator stands before i. Cost: a scan of i elements (none for i = 0). */
#define TOFT_ZT(name, type)                                                    \
    TOFT_INLINE type *toft_zt_index_##name(const void *p, int64_t i,           \
                                           const toft_site *s) {               \
        const type *q = (const type *)p;                                       \
        if (TOFT_UNLIKELY(!q)) toft_trap_null(s);                              \
        for (int64_t k = 0; k < i; k++)                                        \
            if (TOFT_UNLIKELY(!q[k])) toft_trap_bounds(s, i, (uint64_t)k + 1); \
        if (TOFT_UNLIKELY(i < 0)) toft_trap_bounds(s, i, 0);                   \
        return (type *)(uintptr_t)(q + i);                                     \
    }                                                                          \
    TOFT_INLINE uint64_t toft_zt_len_##name(const void *p) {                   \
        const type *q = (const type *)p;                                       \
        uint64_t n = 0;                                                        \
        if (q)                                                                 \
            while (q[n]) n++;                                                  \
        return n;                                                              \
    }

typedef uint16_t __attribute__((may_alias)) toft_a16;
typedef uint32_t __attribute__((may_alias)) toft_a32;
typedef uint64_t __attribute__((may_alias)) toft_a64;
TOFT_ZT(2, toft_a16)
TOFT_ZT(4, toft_a32)
TOFT_ZT(8, toft_a64)
#undef TOFT_ZT

/* Elements before the terminator; 0 for null. */
TOFT_INLINE uint64_t toft_zt_len(const char *p) {
    return p ? __builtin_strlen(p) : 0;
}

TOFT_INLINE char *toft_zt_index(const char *p, int64_t i, const toft_site *s) {
    if (TOFT_UNLIKELY(!p)) toft_trap_null(s);
    if (i != 0) {
        if (TOFT_UNLIKELY(i < 0)) toft_trap_bounds(s, i, 0);
        const char *z = (const char *)__builtin_memchr(p, 0, (size_t)i);
        if (TOFT_UNLIKELY(z)) toft_trap_bounds(s, i, (uint64_t)(z - p) + 1);
    }
    return (char *)(uintptr_t)p + i;
}

/* Writing through a zero-ended pointer: its terminator may not be overwritten. */
TOFT_INLINE void toft_zt_put(char *p, char c, const toft_site *s) {
    if (TOFT_UNLIKELY(!p)) toft_trap_null(s);
    if (TOFT_UNLIKELY(!*p && c)) toft_trap_bounds(s, 0, 0);
    *p = c;
}

/* A zero-ended string as a fat pointer; its terminator is the last element. */
TOFT_INLINE toft_fat toft_zt_fat(const char *p) {
    return toft_fat_of(p, toft_zt_len(p) + 1);
}

/* ------------------------------------------------------------- arithmetic */

#define TOFT_WRAP(n, s, u)                                                     \
    TOFT_INLINE s toft_add_i##n(s a, s b) { return (s)((u)a + (u)b); }         \
    TOFT_INLINE s toft_sub_i##n(s a, s b) { return (s)((u)a - (u)b); }         \
    TOFT_INLINE s toft_mul_i##n(s a, s b) { return (s)((u)a * (u)b); }         \
    TOFT_INLINE s toft_neg_i##n(s a) { return (s)(0u - (u)a); }                \
    TOFT_INLINE s toft_addt_i##n(s a, s b, const toft_site *w) {               \
        s r;                                                                   \
        if (TOFT_UNLIKELY(__builtin_add_overflow(a, b, &r)))                   \
            toft_trap_arith(w, TOFT_ARITH_OVERFLOW);                           \
        return r;                                                              \
    }                                                                          \
    TOFT_INLINE s toft_subt_i##n(s a, s b, const toft_site *w) {               \
        s r;                                                                   \
        if (TOFT_UNLIKELY(__builtin_sub_overflow(a, b, &r)))                   \
            toft_trap_arith(w, TOFT_ARITH_OVERFLOW);                           \
        return r;                                                              \
    }                                                                          \
    TOFT_INLINE s toft_mult_i##n(s a, s b, const toft_site *w) {               \
        s r;                                                                   \
        if (TOFT_UNLIKELY(__builtin_mul_overflow(a, b, &r)))                   \
            toft_trap_arith(w, TOFT_ARITH_OVERFLOW);                           \
        return r;                                                              \
    }                                                                          \
    TOFT_INLINE s toft_negt_i##n(s a, const toft_site *w) {                    \
        return toft_subt_i##n(0, a, w);                                        \
    }                                                                          \
    TOFT_INLINE s toft_div_i##n(s a, s b, const toft_site *w) {                \
        if (TOFT_UNLIKELY(b == 0)) toft_trap_arith(w, TOFT_ARITH_DIV_ZERO);    \
        return b == -1 ? toft_neg_i##n(a) : a / b;                             \
    }                                                                          \
    TOFT_INLINE s toft_rem_i##n(s a, s b, const toft_site *w) {                \
        if (TOFT_UNLIKELY(b == 0)) toft_trap_arith(w, TOFT_ARITH_DIV_ZERO);    \
        return b == -1 ? 0 : a % b;                                            \
    }                                                                          \
    TOFT_INLINE s toft_divt_i##n(s a, s b, const toft_site *w) {               \
        if (TOFT_UNLIKELY(b == 0)) toft_trap_arith(w, TOFT_ARITH_DIV_ZERO);    \
        return b == -1 ? toft_negt_i##n(a, w) : a / b;                         \
    }                                                                          \
    TOFT_INLINE u toft_div_u##n(u a, u b, const toft_site *w) {                \
        if (TOFT_UNLIKELY(b == 0)) toft_trap_arith(w, TOFT_ARITH_DIV_ZERO);    \
        return a / b;                                                          \
    }                                                                          \
    TOFT_INLINE u toft_rem_u##n(u a, u b, const toft_site *w) {                \
        if (TOFT_UNLIKELY(b == 0)) toft_trap_arith(w, TOFT_ARITH_DIV_ZERO);    \
        return a % b;                                                          \
    }                                                                          \
    TOFT_INLINE s toft_shl_i##n(s a, uint64_t c, const toft_site *w) {         \
        if (TOFT_UNLIKELY(c >= n)) toft_trap_arith(w, TOFT_ARITH_SHIFT);       \
        return (s)((u)a << c);                                                 \
    }                                                                          \
    TOFT_INLINE s toft_shr_i##n(s a, uint64_t c, const toft_site *w) {         \
        if (TOFT_UNLIKELY(c >= n)) toft_trap_arith(w, TOFT_ARITH_SHIFT);       \
        return a >> c;                                                         \
    }                                                                          \
    TOFT_INLINE u toft_shl_u##n(u a, uint64_t c, const toft_site *w) {         \
        if (TOFT_UNLIKELY(c >= n)) toft_trap_arith(w, TOFT_ARITH_SHIFT);       \
        return a << c;                                                         \
    }                                                                          \
    TOFT_INLINE u toft_shr_u##n(u a, uint64_t c, const toft_site *w) {         \
        if (TOFT_UNLIKELY(c >= n)) toft_trap_arith(w, TOFT_ARITH_SHIFT);       \
        return a >> c;                                                         \
    }

/* add sub mul neg: wrap. addt subt mult negt divt: trap on overflow.
 * div rem: trap on zero; MIN / -1 wraps, MIN % -1 is 0. Shift counts outside
 * 0 .. width-1 trap (pass a signed count as it is: negative ones are huge). */
TOFT_WRAP(32, int32_t, uint32_t)
TOFT_WRAP(64, int64_t, uint64_t)
#undef TOFT_WRAP

/* Narrowing after arithmetic of the trapping kind. */
TOFT_INLINE int64_t toft_fit(int64_t v, int64_t lo, int64_t hi,
                             const toft_site *w) {
    if (TOFT_UNLIKELY(v < lo || v > hi))
        toft_trap_arith(w, TOFT_ARITH_OVERFLOW);
    return v;
}

/* Float to integer: truncates; NaN and values that do not fit trap. */
#define TOFT_F2I(name, type, lo, hi)                                           \
    TOFT_INLINE type toft_f64_##name(double x, const toft_site *w) {           \
        if (TOFT_UNLIKELY(!(x lo && x < hi)))                                  \
            toft_trap_arith(w, TOFT_ARITH_FLOAT);                              \
        return (type)x;                                                        \
    }                                                                          \
    TOFT_INLINE type toft_f32_##name(float x, const toft_site *w) {            \
        return toft_f64_##name((double)x, w);                                  \
    }
TOFT_F2I(i8, int8_t, > -129.0, 128.0)
TOFT_F2I(u8, uint8_t, > -1.0, 256.0)
TOFT_F2I(i16, int16_t, > -32769.0, 32768.0)
TOFT_F2I(u16, uint16_t, > -1.0, 65536.0)
TOFT_F2I(i32, int32_t, > -2147483649.0, 2147483648.0)
TOFT_F2I(u32, uint32_t, > -1.0, 4294967296.0)
TOFT_F2I(i64, int64_t, >= -9223372036854775808.0, 9223372036854775808.0)
TOFT_F2I(u64, uint64_t, > -1.0, 18446744073709551616.0)
#undef TOFT_F2I

/* long double, for which 64-bit integers are exact. */
TOFT_INLINE int64_t toft_ldbl_i64(long double x, const toft_site *w) {
    if (TOFT_UNLIKELY(!(x > -9223372036854775809.0L &&
                        x < 9223372036854775808.0L)))
        toft_trap_arith(w, TOFT_ARITH_FLOAT);
    return (int64_t)x;
}
TOFT_INLINE uint64_t toft_ldbl_u64(long double x, const toft_site *w) {
    if (TOFT_UNLIKELY(!(x > -1.0L && x < 18446744073709551616.0L)))
        toft_trap_arith(w, TOFT_ARITH_FLOAT);
    return (uint64_t)x;
}

/* ------------------------------------------------- views of plain memory */

#define TOFT_VIEW(name, type)                                                  \
    TOFT_INLINE type toft_load_##name(const void *p) {                         \
        type v;                                                                \
        __builtin_memcpy(&v, p, sizeof v);                                     \
        return v;                                                              \
    }                                                                          \
    TOFT_INLINE void toft_store_##name(void *p, type v) {                      \
        __builtin_memcpy(p, &v, sizeof v);                                     \
    }
TOFT_VIEW(i8, int8_t)
TOFT_VIEW(u8, uint8_t)
TOFT_VIEW(i16, int16_t)
TOFT_VIEW(u16, uint16_t)
TOFT_VIEW(i32, int32_t)
TOFT_VIEW(u32, uint32_t)
TOFT_VIEW(i64, int64_t)
TOFT_VIEW(u64, uint64_t)
TOFT_VIEW(f32, float)
TOFT_VIEW(f64, double)
#undef TOFT_VIEW

#endif
