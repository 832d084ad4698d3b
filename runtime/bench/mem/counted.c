/* counted.c - references taken and given up, against the same with a plain int in C. */
#include "mem.h"

typedef struct obj {
    uint64_t value;
    int count;
} obj;

#ifdef USE_MALLOC
static inline obj *make(void) {
    obj *o = malloc(sizeof *o);
    o->count = 1;
    return o;
}
static inline obj *dup(obj *o) {
    if (o) o->count++;
    return o;
}
static __attribute__((noinline)) void gone(obj *o) { free(o); }
static inline void drop(obj *o) {
    if (o && --o->count == 0) gone(o);
}
#else
enum { CLASSES = 1 };
static const toft_desc obj_d = {sizeof(obj), 8, 0, 0, 0, "obj"};
static inline obj *make(void) { return toft_counted_new(&obj_d, 0); }
static inline obj *dup(obj *o) { return toft_counted_dup(o); }
static inline void drop(obj *o) { toft_counted_drop(o, 0); }
#endif

enum { N = 4000000, LIVE = 1024 };
static obj *objs[LIVE];

static void one(void) {
    obj *o = objs[0];
    for (int i = 0; i < N; i++) {
        obj *p = dup(o);
        OPAQUE(p);
        drop(p);
    }
}
static void many(void) {
    uint32_t s = 5;
    for (int i = 0; i < N; i++) {
        obj *p = dup(objs[step(&s) % LIVE]);
        OPAQUE(p);
        drop(p);
    }
}
static void fresh(void) {
    for (int i = 0; i < N; i++) {
        obj *p = make();
        OPAQUE(p);
        drop(p);
    }
}

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    for (int i = 0; i < LIVE; i++) objs[i] = make();
    measure("one", N, one);
    measure("many", N, many);
    measure("fresh", N, fresh);
    peak();
    return 0;
}
PROGRAM(run)
