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
