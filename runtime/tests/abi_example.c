/* The interface between emitted C and the runtime, by example. This is what the
 * compiler would emit for a small program; the runtime's tests build and run it.
 *
 *   cc -std=gnu11 -O2 -g1 -fno-strict-aliasing -ffunction-sections \
 *      -I runtime/include abi_example.c libtoft_rt.a -Wl,--gc-sections
 */
#include "toft.h"
#include <stdio.h>

/* 1. Sites: one static const per check. */
static const toft_site site_12 = {"src/example.toft", 12, 14, "sum"};
static const toft_site site_20 = {"src/example.toft", 20, 5, "parse"};

/* 2. Descriptors: one static const per heap type, numbered from 0. `ptrs` lists
 * the offsets of words that may point into the heap, ascending, multiples of 8;
 * of a fat pointer its base word; of a union the offsets of all variants. */
typedef struct t_Tree {
    struct t_Tree *left, *right;
} t_Tree;
typedef struct t_Line {
    toft_fat text; /* char ? */
    struct t_Line *next;
    int number;
} t_Line;
static const uint32_t ptrs_Tree[] = {0, 8};
static const toft_desc desc_Tree = {
    sizeof(t_Tree), _Alignof(t_Tree), 2, 0, ptrs_Tree, "Tree"};
static const uint32_t ptrs_Line[] = {offsetof(t_Line, text), /* base is first */
                                     offsetof(t_Line, next)};
static const toft_desc desc_Line = {
    sizeof(t_Line), _Alignof(t_Line), 2, 1, ptrs_Line, "Line"};
/* Elements of arrays need descriptors too: their class_id is not used by
 * toft_new_array, so a type only used in arrays may have any number below N. */
static const toft_desc desc_int = {4, 4, 0, 2, 0, "int"};
static const toft_desc desc_char = {1, 1, 0, 3, 0, "char"};
static const uint32_t ptrs_ptr[] = {0};
static const toft_desc desc_ptr = {8, 8, 1, 4, ptrs_ptr, "pointer"};

/* 3. Exceptions: a tag per declaration; a value is a pointer to an object whose
 * first word is the tag. The tag word is no heap pointer and not in `ptrs`. */
typedef struct t_Parse_error {
    const toft_exn_tag *tag;
    int32_t line;
} t_Parse_error;
static const toft_exn_tag tag_Parse_error = {"Parse_error", TOFT_PAYLOAD_INT,
                                             offsetof(t_Parse_error, line),
                                             sizeof(t_Parse_error)};
static const toft_desc desc_Parse_error = {
    sizeof(t_Parse_error), 8, 0, 5, 0, "Parse_error"};

/* 4. Globals that may hold heap pointers are roots. */
static t_Line *t_lines;
static toft_fat t_names[4];
static const uint32_t ptrs_fat[] = {0};
static const toft_desc desc_fat = {16, 8, 1, 6, ptrs_fat, "fat"};
static const toft_root roots[] = {{&t_lines, &desc_ptr, 1},
                                  {t_names, &desc_fat, 4}};

/* A checked loop: the element address comes from toft_at. */
static int t_sum(toft_fat a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s = toft_add_i32(s, *(int *)toft_at(a, i, sizeof(int), &site_12));
    return s;
}

static t_Tree *t_tree(int depth) {
    t_Tree *l = depth > 0 ? t_tree(depth - 1) : 0;
    t_Tree *r = depth > 0 ? t_tree(depth - 1) : 0;
    t_Tree *t = toft_new(&desc_Tree);
    t->left = l;
    t->right = r;
    return t;
}

static void t_parse(int line) {
    t_Parse_error *e = toft_new(&desc_Parse_error);
    e->tag = &tag_Parse_error;
    e->line = line;
    toft_throw(e, &site_20);
}

/* 5. A scope that owns something releases it when an exception passes. */
typedef struct t_scope {
    toft_frame frame; /* first */
    int what;
} t_scope;
static void t_leave(toft_frame *f) {
    printf("released %d\n", ((t_scope *)(void *)f)->what);
}
static void t_work(int line) {
    t_scope sc;
    sc.what = line;
    toft_frame_push(&sc.frame, t_leave);
    t_parse(line);
    toft_frame_pop(&sc.frame);
}

/* 6. try { work(7); } catch { case &Parse_error(n): ... case &Array_bounds: ... }
 * `catches` lists the tags that surely stop here (optional, for speed). */
static void t_guarded(int mode) {
    static const toft_exn_tag *const catches[] = {
        &tag_Parse_error, &toft_tag_Array_bounds, 0};
    toft_handler h;
    if (TOFT_TRY_FOR(&h, catches)) {
        if (mode == 0) t_work(7);
        t_sum(toft_new_fat(&desc_int, 10), 11);
        TOFT_END_TRY(&h);
    } else {
        void *e = h.exn;
        if (toft_exn_is(e, &tag_Parse_error))
            printf("Parse_error(%d)\n", ((t_Parse_error *)e)->line);
        else if (toft_exn_is(e, &toft_tag_Array_bounds))
            printf("Array_bounds\n");
        else
            toft_rethrow(e);
    }
}

static int t_main(int argc, char **argv) {
    (void)argv;
    toft_fat a = toft_new_fat(&desc_int, 10);
    *(int *)toft_at(a, 3, sizeof(int), &site_12) = 42;
    printf("sum %d\n", t_sum(a, 10));
    t_guarded(0);
    t_guarded(1);
    t_Line *l = toft_new(&desc_Line);
    l->text = toft_new_fat(&desc_char, 5);
    t_lines = l;
    for (int i = 0; i < 20; i++) t_tree(16);
    toft_gc_info info;
    toft_gc_stats(&info);
    printf("collected %s\n", info.collections > 0 ? "yes" : "no");
    printf("text has %d bytes\n", (int)toft_numelts(t_lines->text));
    if (argc > 1) printf("%d\n", t_sum(a, 11)); /* uncaught: exit code 101 */
    return 0;
}

/* 7. Once per program: class count, roots, root count, signals. The last is
 * toft_signals_init, or 0 in a program that neither recurses nor can fault.
 * n_classes is at least 1 above the highest class_id used with toft_new. */
TOFT_PROGRAM(t_main, 7, roots, 2, toft_signals_init)
