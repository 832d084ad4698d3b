/* alloc.h - one interface over the collectors compared here.
 *
 * Compile with -DUSE_BOEHM (and -lgc) or -DUSE_MALLOC (never frees) for the twins;
 * without either the program runs on the Toft runtime. NEW(T) makes a zeroed object. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

typedef struct node {
    struct node *left, *right;
} node;

#if defined(USE_BOEHM)
#include <gc.h>
#define NEW_NODE() ((node *)GC_MALLOC(sizeof(node)))
#define NEW_BYTES(n) GC_MALLOC_ATOMIC(n)
#define PROGRAM(fn)                                                            \
    int main(int argc, char **argv) {                                          \
        GC_INIT();                                                             \
        return fn(argc, argv);                                                 \
    }
#elif defined(USE_MALLOC)
#define NEW_NODE() ((node *)malloc(sizeof(node)))
#define NEW_BYTES(n) malloc(n)
#define PROGRAM(fn)                                                            \
    int main(int argc, char **argv) { return fn(argc, argv); }
#else
#include "toft.h"
static const uint32_t node_ptrs[] = {0, 8};
static const toft_desc node_desc = {sizeof(node), 8, 2, 0, node_ptrs, "node"};
#define NEW_NODE() ((node *)toft_new(&node_desc))
#define NEW_BYTES(n) toft_new_bytes(n)
#define PROGRAM(fn) TOFT_PROGRAM(fn, 1, 0, 0, 0)
#endif

/* Processor time, of copies of the process too. */
static double now(void) {
    struct timespec t;
    struct rusage c;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    getrusage(RUSAGE_CHILDREN, &c);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9 +
           (double)(c.ru_utime.tv_sec + c.ru_stime.tv_sec) +
           (double)(c.ru_utime.tv_usec + c.ru_stime.tv_usec) / 1e6;
}

/* One JSON line: name, processor seconds, peak resident KiB. */
static void result(const char *name, double seconds) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    fprintf(stderr, "{\"bench\":\"%s\",\"cpu_s\":%.4f,\"peak_kib\":%ld}\n", name,
            seconds, u.ru_maxrss);
}
