/* arith.c - the inline helpers of toft.h at the edges of their types. */
#include "toft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const toft_site here = {"arith.toft", 1, 1, "check"};

#define CHECK(e)                                                               \
    do {                                                                       \
        if (!(e)) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #e);            \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* The expression throws an exception of this tag. */
#define THROWS(t, e)                                                           \
    do {                                                                       \
        toft_handler h_;                                                       \
        if (TOFT_TRY_FOR(&h_, TOFT_CATCH_ALL)) {                               \
            (void)(e);                                                         \
            TOFT_END_TRY(&h_);                                                 \
            CHECK(!"no exception from " #e);                                   \
        } else                                                                 \
            CHECK(toft_exn_is(h_.exn, &toft_tag_##t));                         \
    } while (0)

static void integers(void) {
    CHECK(toft_add_i32(INT32_MAX, 1) == INT32_MIN);
    CHECK(toft_sub_i64(INT64_MIN, 1) == INT64_MAX);
    CHECK(toft_mul_i32(65536, 65536) == 0);
    CHECK(toft_mul_i64(INT64_MIN, -1) == INT64_MIN);
    CHECK(toft_neg_i32(INT32_MIN) == INT32_MIN && toft_neg_i64(5) == -5);
    CHECK(toft_div_i32(INT32_MIN, -1, &here) == INT32_MIN);
    CHECK(toft_rem_i32(INT32_MIN, -1, &here) == 0);
    CHECK(toft_div_i64(-7, 2, &here) == -3 && toft_rem_i64(-7, 2, &here) == -1);
    CHECK(toft_div_u32(UINT32_MAX, 2, &here) == INT32_MAX);
    CHECK(toft_shl_i32(-1, 31, &here) == INT32_MIN);
    CHECK(toft_shr_i32(-8, 1, &here) == -4 && toft_shr_u64(1ull << 63, 63, &here) == 1);
    THROWS(Arithmetic, toft_div_i32(1, 0, &here));
    THROWS(Arithmetic, toft_rem_u64(1, 0, &here));
    THROWS(Arithmetic, toft_shl_u32(1, 32, &here));
    THROWS(Arithmetic, toft_shr_i64(1, (uint64_t)-1, &here));
    THROWS(Arithmetic, toft_addt_i32(INT32_MAX, 1, &here));
    THROWS(Arithmetic, toft_mult_i64(INT64_MAX, 2, &here));
    THROWS(Arithmetic, toft_negt_i32(INT32_MIN, &here));
    THROWS(Arithmetic, toft_divt_i64(INT64_MIN, -1, &here));
    CHECK(toft_subt_i32(3, 4, &here) == -1);
    CHECK(toft_fit(200, 0, 255, &here) == 200);
    THROWS(Arithmetic, toft_fit(256, 0, 255, &here));
}

static void floats(void) {
    CHECK(toft_f64_i8(-128.9, &here) == -128 && toft_f64_u8(255.9, &here) == 255);
    CHECK(toft_f64_i32(2147483647.5, &here) == INT32_MAX);
    CHECK(toft_f64_i32(-2147483648.5, &here) == INT32_MIN);
    CHECK(toft_f64_i64(-9223372036854775808.0, &here) == INT64_MIN);
    CHECK(toft_f32_u64(18446742974197923840.0f, &here) == 18446742974197923840u);
    CHECK(toft_f64_u32(-0.5, &here) == 0 && toft_f32_u8(-0.0f, &here) == 0);
    THROWS(Arithmetic, toft_f64_i32(2147483648.0, &here));
    THROWS(Arithmetic, toft_f64_u32(-1.0, &here));
    THROWS(Arithmetic, toft_f64_i64(9223372036854775808.0, &here));
    THROWS(Arithmetic, toft_f32_i64(-INFINITY, &here));
    THROWS(Arithmetic, toft_f64_u64(NAN, &here));
    THROWS(Arithmetic, toft_f32_i16(32768.0f, &here));
    CHECK(toft_ldbl_u64(18446744073709551615.0L, &here) == UINT64_MAX);
    THROWS(Arithmetic, toft_ldbl_i64(9223372036854775808.0L, &here));
}

static void pointers(void) {
    static int a[10];
    toft_fat p = toft_fat_of(a, 10), end = toft_fat_add(p, 10);
    CHECK(toft_at(p, 9, 4, &here) == &a[9] && toft_at(end, -1, 4, &here) == &a[9]);
    THROWS(Array_bounds, toft_at(p, 10, 4, &here));
    THROWS(Array_bounds, toft_at(p, -1, 4, &here));
    THROWS(Array_bounds, toft_at(end, 0, 4, &here));
    THROWS(Array_bounds, toft_at(p, INT64_MAX, 4, &here));
    THROWS(Array_bounds, toft_at(end, INT64_MIN, 4, &here));
    THROWS(Null_Exception, toft_at(TOFT_FAT_NULL, 0, 4, &here));
    CHECK(toft_fat_diff(end, p, 4) == 10 && toft_fat_diff(p, end, 4) == -10);
    toft_fat before = toft_fat_sub(p, 1);
    CHECK(toft_fat_cmp(before, p, 4) < 0 && toft_fat_cmp(end, p, 4) > 0);
    CHECK(toft_fat_cmp(toft_fat_add(end, 5), end, 4) > 0);
    CHECK(toft_fat_eq(toft_fat_add(before, 1), p, 4) && !toft_fat_eq(before, p, 4));
    CHECK(toft_fat_eq(toft_fat_of(&a[1], 9), toft_fat_add(p, 1), 4));
    CHECK(toft_numelts(p) == 10 && toft_numelts(end) == 0 && toft_numelts(before) == 0);
    CHECK(toft_range(p, 2, 8, 4, &here) == &a[2] && toft_range(p, 10, 0, 4, &here) == &a[10]);
    THROWS(Array_bounds, toft_range(p, 3, 8, 4, &here));
    THROWS(Array_bounds, toft_range(p, 0, UINT64_MAX, 4, &here));
    THROWS(Array_bounds, toft_range(p, 11, 0, 4, &here));
    toft_fat bytes = toft_fat_view(toft_fat_add(p, 2), 4, 1, &here);
    CHECK(bytes.len == 40 && bytes.off == 8);
    CHECK(toft_fat_view(bytes, 1, 8, &here).len == 5);
    THROWS(Array_bounds, toft_fat_view(toft_fat_add(bytes, 1), 1, 4, &here));
    THROWS(Array_bounds, toft_index(10, 10, &here));
    THROWS(Null_Exception, toft_nonnull(0, &here));
    CHECK(toft_index(9, 10, &here) == 9);
    const char *s = "abc";
    CHECK(toft_zt_len(s) == 3 && toft_zt_index(s, 3, &here) == s + 3);
    THROWS(Array_bounds, toft_zt_index(s, 4, &here));
    THROWS(Array_bounds, toft_zt_index(s, -1, &here));
    THROWS(Null_Exception, toft_zt_index(0, 0, &here));
    CHECK(toft_zt_fat(s).len == 4 && toft_zt_fat(0).base == 0);
    char text[] = "ab";
    toft_zt_put(text + 1, 'x', &here);
    toft_zt_put(text + 2, 0, &here);
    THROWS(Array_bounds, (toft_zt_put(text + 2, 'y', &here), 0));
    CHECK(text[1] == 'x' && text[2] == 0);
    CHECK(toft_vla(10, 4, &here) == 40 && toft_vla(10, 1, &here) == 11);
    THROWS(Array_bounds, toft_vla(-1, 4, &here));
    THROWS(Bad_alloc, toft_vla(INT64_MAX, 4, &here));
    uint32_t wide[] = {1, 2, 0};
    CHECK(toft_zt_len_4(wide) == 2 && toft_zt_index_4(wide, 2, &here) == &wide[2]);
    THROWS(Array_bounds, toft_zt_index_4(wide, 3, &here));
    char raw[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(toft_load_u32(raw + 1) == 0x04030201);
    toft_store_u16(raw + 1, 0xffff);
    CHECK(raw[2] == -1 && raw[3] == 3);
}

static void names(void) {
    char out[8];
    CHECK(toft_demangle("t_a__b__i3", out, sizeof out) == 4);
    CHECK(__builtin_strcmp(out, "a::b") == 0);
    CHECK(toft_demangle("t_averylongname", out, sizeof out) == 7 && out[7] == 0);
}

static int run(int argc, char **argv) {
    (void)argc;
    (void)argv;
    integers();
    floats();
    pointers();
    names();
    printf("ok\n");
    return 0;
}

TOFT_PROGRAM(run, 0, 0, 0, toft_signals_init)
