/* traps.c - every way a program can stop, one per number on the command line. Line
 * numbers and file names are those of an imagined src/main.toft. */
#include "toft.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t at_0[] = {0};
static const toft_desc char_d = {1, 1, 0, 0, 0, "char"};
static const toft_desc int_d = {4, 4, 0, 1, 0, "int"};
static const toft_desc exn_d = {24, 8, 0, 2, 0, "exception"};
static const toft_desc text_d = {24, 8, 1, 3, (const uint32_t[]){8}, "exception"};

#define SITE(name, line, col, func)                                            \
    static const toft_site name = {"src/main.toft", line, col, func}
SITE(s12, 12, 14, "sum");
SITE(s20, 20, 5, "list::pick");

typedef struct failure {
    const toft_exn_tag *tag;
    union {
        int32_t i;
        int64_t l;
        const char *s;
        toft_fat f;
        char c;
    } u;
} failure;
#define TAG(k)                                                                 \
    static const toft_exn_tag tag_##k = {"Failure", k, 8, sizeof(failure)}
TAG(TOFT_PAYLOAD_NONE);
TAG(TOFT_PAYLOAD_INT);
TAG(TOFT_PAYLOAD_LONG);
TAG(TOFT_PAYLOAD_CSTR);
TAG(TOFT_PAYLOAD_FATSTR);
TAG(TOFT_PAYLOAD_OTHER);
TAG(TOFT_PAYLOAD_UINT);
TAG(TOFT_PAYLOAD_ULONG);
TAG(TOFT_PAYLOAD_CHAR);

static failure *make(const toft_exn_tag *tag) {
    failure *f = toft_new(&exn_d);
    f->tag = tag;
    return f;
}

#define NOINLINE __attribute__((noinline))

#line 12 "src/main.toft"
NOINLINE static int t_sum(toft_fat a, int n) { int s = 0; for (int i = 0; i < n; i++) s += *(int *)toft_at(a, i, 4, &s12); return s; }
static inline __attribute__((always_inline)) int t_list__pick(toft_fat a, int n) {
    return
        t_sum(a, n) + 1;
}
NOINLINE static int t_outer__i3(int n) {
    toft_fat a = toft_new_fat(&int_d, 10);
    int r =
        t_list__pick(a, n);
    return r * 2;
}
NOINLINE static long t_recurse(volatile char *p, long n) {
    volatile char room[200];
    room[n % 200] = *p;
    return t_recurse(room, n + 1) + room[0];
}
#line 72 "traps.c"

static void released(toft_frame *f) {
    (void)f;
    printf("released\n");
}

/* Catches, does not want it, throws again: the report is that of the first throw. */
static void again(void) {
    toft_handler h, unwanted;
    toft_frame clean;
    static const toft_exn_tag *const none[] = {&toft_tag_Region_full, 0};
    if (TOFT_TRY_FOR(&h, none)) {
        toft_frame_push(&clean, released);
        if (TOFT_TRY(&unwanted)) {
            t_outer__i3(11);
        } else {
            /* Another exception comes and goes in between. */
            toft_rethrow(unwanted.exn);
        }
    } else {
        printf("outer saw it\n");
        toft_rethrow(h.exn);
    }
}

static void handlers(void) {
    volatile int passed = 0;
    for (int i = 0; i < 1000; i++) {
        toft_handler h;
        toft_frame f;
        if (TOFT_TRY_FOR(&h, TOFT_CATCH_ALL)) {
            toft_frame_push(&f, released);
            toft_frame_pop(&f);
            if (i % 3 == 0) toft_throw(make(&tag_TOFT_PAYLOAD_INT), &s12);
            if (i % 3 == 1) toft_trap_assert(&s12, "i % 3 != 1");
            TOFT_END_TRY(&h);
        } else {
            passed += toft_exn_is(h.exn, i % 3 == 0 ? &tag_TOFT_PAYLOAD_INT : &toft_tag_Assert);
            if (i % 3 == 1 && strcmp(((toft_assert_exn *)h.exn)->text, "i % 3 != 1")) exit(9);
        }
        if (toft_self->frames) exit(8);
    }
    printf("%d handled\n", passed);
}

static int zero;
static int compare(const void *a, const void *b) {
    (void)a;
    (void)b;
    return t_outer__i3(11);
}

static int run(int argc, char **argv) {
    int what = argc > 1 ? atoi(argv[1]) : 0;
    failure *f;
    printf("start\n");
    switch (what) {
    case 1: return t_outer__i3(11);
    case 2: *(int *)toft_at(TOFT_FAT_NULL, 0, 4, &s20) = 1; break;
    case 3: toft_trap_match(&s20);
    case 4: return toft_div_i32(1, zero, &s20);
    case 5: return toft_shl_i32(1, 32, &s20);
    case 6: return toft_f64_i32(1e10, &s20);
    case 7: return toft_addt_i32(INT32_MAX, 1, &s20);
    case 8: toft_trap_assert(&s20, "x > 0");
    case 9: toft_trap_alloc(&s20);
    case 10: toft_trap_region(&s20);
    case 11: toft_trap_unreachable(&s20);
    case 12: toft_trap_null(&s20);
    case 13: toft_throw(make(&tag_TOFT_PAYLOAD_NONE), &s20);
    case 14: f = make(&tag_TOFT_PAYLOAD_INT); f->u.i = -7; toft_throw(f, &s20);
    case 15: f = make(&tag_TOFT_PAYLOAD_LONG); f->u.l = INT64_MIN; toft_throw(f, &s20);
    case 16: f = make(&tag_TOFT_PAYLOAD_CSTR); f->u.s = "no such file"; toft_throw(f, &s20);
    case 17:
        f = toft_new(&text_d);
        f->tag = &tag_TOFT_PAYLOAD_FATSTR;
        f->u.f = toft_new_fat(&char_d, 20);
        memcpy(f->u.f.base, "xxfat text", 10);
        f->u.f.off = 2;
        toft_throw(f, &s20);
    case 18: toft_throw(make(&tag_TOFT_PAYLOAD_OTHER), &s20);
    case 19: toft_throw(0, &s20);
    case 20: again(); break;
    case 21: handlers(); break;
    case 22: { char c = 1; return (int)t_recurse(&c, 0); }
    case 23: return *(volatile int *)(uintptr_t)(0x12345670 + zero);
    case 24: { int a[2] = {0, 0}; qsort(a, 2, 4, compare); break; }
    case 25: toft_trap_stack(&s20);
    case 26: *(int *)toft_at(toft_new_fat(&int_d, 0), 0, 4, &s20) = 1; break;
    case 27: return toft_f32_i8(__builtin_nanf(""), &s20);
    case 28: return *toft_zt_index("abc", 4, &s20);
    case 29: return *toft_zt_index("abc", -1, &s20);
    case 30: f = make(&tag_TOFT_PAYLOAD_UINT); f->u.i = -1; toft_throw(f, &s20);
    case 31: f = make(&tag_TOFT_PAYLOAD_ULONG); f->u.l = -1; toft_throw(f, &s20);
    case 32: f = make(&tag_TOFT_PAYLOAD_CHAR); f->u.c = 'q'; toft_throw(f, &s20);
    case 33: {
        toft_handler h;
        if (TOFT_TRY(&h)) t_outer__i3(11);
        else toft_report(h.exn);
        break;
    }
    default: break;
    }
    printf("end\n");
    return 0;
}

static void *nothing;
static const toft_desc ptr_d = {8, 8, 1, 4, at_0, "pointer"};
static const toft_root roots[] = {{&nothing, &ptr_d, 1}};
TOFT_PROGRAM(run, 5, roots, 1, toft_signals_init)
