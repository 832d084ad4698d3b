/* toft_abi.h - functions of the Toft runtime. Generated from crates/rt-abi:
 * do not edit; run the tests of toft-rt-abi with TOFT_BLESS=1. */
#ifndef TOFT_ABI_H
#define TOFT_ABI_H

/* Sets the main process up, runs user_main, returns its result. Called by
 * TOFT_PROGRAM. Some microseconds; no allocation. */
int toft_start(int argc, char **argv, int (*user_main)(int, char **), toft_proc *self, const toft_program *program);

/* Reports stack overflow (exit code 101) and memory faults (dies by the
 * signal) instead of letting the kernel kill the program silently. Given to
 * TOFT_PROGRAM; does nothing in a program built for ASan. */
void toft_signals_init(toft_proc *self);

/* Throws Null_Exception. */
TOFT_COLD TOFT_NORETURN void toft_trap_null(const toft_site *site);

/* Throws Array_bounds: `index` is outside 0..len-1. */
TOFT_COLD TOFT_NORETURN void toft_trap_bounds(const toft_site *site, int64_t index, uint64_t len);

/* Slow path of a fat access: Null_Exception if base is null, else Array_bounds. */
TOFT_COLD TOFT_NORETURN void toft_trap_at(const toft_site *site, const void *base, int64_t index, uint64_t len);

/* Throws Match_Exception: no case matches. */
TOFT_COLD TOFT_NORETURN void toft_trap_match(const toft_site *site);

/* Throws Arithmetic; `why` is one of TOFT_ARITH_*. */
TOFT_COLD TOFT_NORETURN void toft_trap_arith(const toft_site *site, int why);

/* Throws Assert with payload `text`, which must be static. */
TOFT_COLD TOFT_NORETURN void toft_trap_assert(const toft_site *site, const char *text);

/* Throws Bad_alloc. `site` may be null. */
TOFT_COLD TOFT_NORETURN void toft_trap_alloc(const toft_site *site);

/* Throws Region_full. */
TOFT_COLD TOFT_NORETURN void toft_trap_region(const toft_site *site);

/* Ends the program with the message of a stack overflow, exit code 101. */
TOFT_COLD TOFT_NORETURN void toft_trap_stack(const toft_site *site);

/* Control reached the end of a function that must return a value: throws
 * Match_Exception. */
TOFT_COLD TOFT_NORETURN void toft_trap_unreachable(const toft_site *site);

/* Throws `exn` (null: Null_Exception). Runs the cleanups up to the innermost
 * handler and jumps there; without a handler prints message and backtrace to
 * stderr and exits with code 101. About 30 ns, and 1 us more if no handler
 * on the way is known to catch it (a backtrace is taken). */
TOFT_COLD TOFT_NORETURN void toft_throw(void *exn, const toft_site *site);

/* Throws `exn` again; site and backtrace stay those of the original throw. */
TOFT_COLD TOFT_NORETURN void toft_rethrow(void *exn);

/* Prints what an uncaught `exn` would print, and returns. For test runners:
 * the handler that caught it must not declare that it catches all, else
 * there is no backtrace. */
void toft_report(void *exn);

/* One zeroed object: slow path of toft_new. May collect. Throws Bad_alloc. */
TOFT_MALLOC void *toft_new_slow(const toft_desc *desc);

/* Zeroed memory that holds no pointers. 3-5 ns for small sizes. Throws Bad_alloc. */
TOFT_MALLOC void *toft_new_raw(uint64_t bytes, uint32_t align);

/* Zeroed memory for as many elements of `elem` as fit in `bytes`. 4-6 ns for
 * small sizes. Throws Bad_alloc. */
TOFT_MALLOC void *toft_new_scanned(const toft_desc *elem, uint64_t bytes);

/* One unique object of 'H: slow path of toft_unique_new. Throws Bad_alloc. */
TOFT_MALLOC void *toft_unique_slow(const toft_desc *desc, int zero);

/* One counted object of 'H: slow path of toft_counted_new. Throws Bad_alloc. */
void *toft_counted_slow(const toft_desc *desc, int zero);

/* Unique memory of 'H without pointers in it. 3 ns for small sizes. Throws
 * Bad_alloc. */
TOFT_MALLOC void *toft_unique_raw(uint64_t bytes, uint32_t align, int zero);

/* Frees an object of 'H: slow path of toft_unique_free. Null is fine. */
void toft_unique_free_slow(void *p);

/* Frees a counted array of `n` elements, whose count is 0, and what it owns.
 * No recursion; about 5 ns for each object. */
void toft_counted_release(void *p, uint64_t n, const toft_drop *glue);

/* Slow path of toft_region_new; `h` may be the heap's. Throws Bad_alloc and
 * Region_full. */
void *toft_region_slow(toft_region *h, const toft_desc *elem, uint64_t count, unsigned q, int zero);

/* Frees an object of a reap or of the heap; in an arena it stays. */
void toft_region_free_slow(toft_region *h, void *p);

/* As toft_counted_release, for an object of region `h`. */
void toft_region_release_object(toft_region *h, void *p, uint64_t n, const toft_drop *glue);

/* Gives all memory of a region back. A few nanoseconds for each chunk. */
void toft_region_release(toft_region *h);

/* Ends a region's scope when an exception passes. Marks its entries in the
 * chain of handlers, too: the collector finds regions by it. */
void toft_scope_cleanup(toft_frame *frame);

/* Bytes of objects in the region; of the heap, its blocks. */
uint64_t toft_region_size(const toft_region *h);

/* Later allocations that pass `bytes` throw Region_full (in the heap:
 * Bad_alloc). 0 = no limit. */
void toft_region_limit(toft_region *h, uint64_t bytes);

/* A dynamic region: its key, unique or with count 1. Throws Bad_alloc. */
toft_key *toft_key_new(int reap, int counted);

/* Ends the region of a unique key. Null is fine. */
void toft_key_free(toft_key *k);

/* One reference to a counted key less; the last one ends the region. Null is
 * fine. */
void toft_key_drop(toft_key *k);

/* The generator of a sequence of regions. Throws Bad_alloc. */
void *toft_gen_new(int reap);

/* Reports an allocation to the profiler, in a program compiled with
 * TOFT_PROFILE. `region` is null for the heap, `elem` if the type is not known. */
void toft_prof_alloc(void *p, uint64_t bytes, toft_region *region, unsigned q, const toft_desc *elem);

/* Starts profiling if TOFT_PROFILE in the environment names a file. */
void toft_prof_start(toft_proc *own);

/* Collects the heap of the calling process now. Proportional to what is live. */
void toft_gc_collect(void);

/* Fills `out` with the figures of the calling process's heap. */
void toft_gc_stats(toft_gc_info *out);

/* Limits the heap; an allocation that would pass the limit even after a
 * collection throws Bad_alloc. 0 = no limit. */
void toft_gc_limit(uint64_t bytes);

/* A collection starts when `percent` of the live bytes have been allocated
 * since the last one (at least 4 MiB). Default 200. */
void toft_gc_ratio(uint32_t percent);

/* Writes the Toft name of a symbol of emitted C, zero-ended, at most room-1
 * bytes; returns its length. */
size_t toft_demangle(const char *symbol, char *out, size_t room);

#endif
