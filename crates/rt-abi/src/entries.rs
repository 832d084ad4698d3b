//! The table of entry points, in the order of the generated header.

use crate::{Attr, Entry, Param};

const fn p(ty: &'static str, name: &'static str) -> Param {
    Param { ty, name }
}

const SITE: Param = p("const toft_site *", "site");

const fn trap(name: &'static str, params: &'static [Param], doc: &'static str) -> Entry {
    Entry { name, ret: "void", params, attr: Attr::Trap, doc }
}

const fn plain(
    name: &'static str,
    ret: &'static str,
    params: &'static [Param],
    doc: &'static str,
) -> Entry {
    Entry { name, ret, params, attr: Attr::Plain, doc }
}

const fn alloc(name: &'static str, params: &'static [Param], doc: &'static str) -> Entry {
    Entry { name, ret: "void *", params, attr: Attr::Alloc, doc }
}

/// Every function the runtime offers to emitted C.
pub const ENTRIES: &[Entry] = &[
    plain(
        "toft_start",
        "int",
        &[
            p("int", "argc"),
            p("char **", "argv"),
            p("int (*user_main)(int, char **)", ""),
            p("toft_proc *", "self"),
            p("const toft_program *", "program"),
        ],
        "Sets the main process up, runs user_main, returns its result. Called by\n\
         TOFT_PROGRAM. Some microseconds; no allocation.",
    ),
    plain(
        "toft_signals_init",
        "void",
        &[p("toft_proc *", "self")],
        "Reports stack overflow (exit code 101) and memory faults (dies by the\n\
         signal) instead of letting the kernel kill the program silently. Given to\n\
         TOFT_PROGRAM; does nothing in a program built for ASan.",
    ),
    trap("toft_trap_null", &[SITE], "Throws Null_Exception."),
    trap(
        "toft_trap_bounds",
        &[SITE, p("int64_t", "index"), p("uint64_t", "len")],
        "Throws Array_bounds: `index` is outside 0..len-1.",
    ),
    trap(
        "toft_trap_at",
        &[SITE, p("const void *", "base"), p("int64_t", "index"), p("uint64_t", "len")],
        "Slow path of a fat access: Null_Exception if base is null, else Array_bounds.",
    ),
    trap("toft_trap_match", &[SITE], "Throws Match_Exception: no case matches."),
    trap(
        "toft_trap_arith",
        &[SITE, p("int", "why")],
        "Throws Arithmetic; `why` is one of TOFT_ARITH_*.",
    ),
    trap(
        "toft_trap_assert",
        &[SITE, p("const char *", "text")],
        "Throws Assert with payload `text`, which must be static.",
    ),
    trap("toft_trap_alloc", &[SITE], "Throws Bad_alloc. `site` may be null."),
    trap("toft_trap_region", &[SITE], "Throws Region_full."),
    trap(
        "toft_trap_stack",
        &[SITE],
        "Ends the program with the message of a stack overflow, exit code 101.",
    ),
    trap(
        "toft_trap_unreachable",
        &[SITE],
        "Control reached the end of a function that must return a value: throws\n\
         Match_Exception.",
    ),
    trap(
        "toft_throw",
        &[p("void *", "exn"), SITE],
        "Throws `exn` (null: Null_Exception). Runs the cleanups up to the innermost\n\
         handler and jumps there; without a handler prints message and backtrace to\n\
         stderr and exits with code 101. About 30 ns, and 1 us more if no handler\n\
         on the way is known to catch it (a backtrace is taken).",
    ),
    trap(
        "toft_rethrow",
        &[p("void *", "exn")],
        "Throws `exn` again; site and backtrace stay those of the original throw.",
    ),
    plain(
        "toft_report",
        "void",
        &[p("void *", "exn")],
        "Prints what an uncaught `exn` would print, and returns. For test runners:\n\
         the handler that caught it must not declare that it catches all, else\n\
         there is no backtrace.",
    ),
    alloc(
        "toft_new_slow",
        &[p("const toft_desc *", "desc")],
        "One zeroed object: slow path of toft_new. May collect. Throws Bad_alloc.",
    ),
    alloc(
        "toft_new_raw",
        &[p("uint64_t", "bytes"), p("uint32_t", "align")],
        "Zeroed memory that holds no pointers. 3-5 ns for small sizes. Throws Bad_alloc.",
    ),
    alloc(
        "toft_new_scanned",
        &[p("const toft_desc *", "elem"), p("uint64_t", "bytes")],
        "Zeroed memory for as many elements of `elem` as fit in `bytes`. 4-6 ns for\n\
         small sizes. Throws Bad_alloc.",
    ),
    alloc(
        "toft_unique_slow",
        &[p("const toft_desc *", "desc"), p("int", "zero")],
        "One unique object of 'H: slow path of toft_unique_new. Throws Bad_alloc.",
    ),
    plain(
        "toft_counted_slow",
        "void *",
        &[p("const toft_desc *", "desc"), p("int", "zero")],
        "One counted object of 'H: slow path of toft_counted_new. Throws Bad_alloc.",
    ),
    alloc(
        "toft_unique_raw",
        &[p("uint64_t", "bytes"), p("uint32_t", "align"), p("int", "zero")],
        "Unique memory of 'H without pointers in it. 3 ns for small sizes. Throws\n\
         Bad_alloc.",
    ),
    plain(
        "toft_unique_free_slow",
        "void",
        &[p("void *", "p")],
        "Frees an object of 'H: slow path of toft_unique_free. Null is fine.",
    ),
    plain(
        "toft_counted_release",
        "void",
        &[p("void *", "p"), p("uint64_t", "n"), p("const toft_drop *", "glue")],
        "Frees a counted array of `n` elements, whose count is 0, and what it owns.\n\
         No recursion; about 5 ns for each object.",
    ),
    plain(
        "toft_region_slow",
        "void *",
        &[
            p("toft_region *", "h"),
            p("const toft_desc *", "elem"),
            p("uint64_t", "count"),
            p("unsigned", "q"),
            p("int", "zero"),
        ],
        "Slow path of toft_region_new; `h` may be the heap's. Throws Bad_alloc and\n\
         Region_full.",
    ),
    plain(
        "toft_region_free_slow",
        "void",
        &[p("toft_region *", "h"), p("void *", "p")],
        "Frees an object of a reap or of the heap; in an arena it stays.",
    ),
    plain(
        "toft_region_release_object",
        "void",
        &[
            p("toft_region *", "h"),
            p("void *", "p"),
            p("uint64_t", "n"),
            p("const toft_drop *", "glue"),
        ],
        "As toft_counted_release, for an object of region `h`.",
    ),
    plain(
        "toft_region_release",
        "void",
        &[p("toft_region *", "h")],
        "Gives all memory of a region back. A few nanoseconds for each chunk.",
    ),
    plain(
        "toft_scope_cleanup",
        "void",
        &[p("toft_frame *", "frame")],
        "Ends a region's scope when an exception passes. Marks its entries in the\n\
         chain of handlers, too: the collector finds regions by it.",
    ),
    plain(
        "toft_region_size",
        "uint64_t",
        &[p("const toft_region *", "h")],
        "Bytes of objects in the region; of the heap, its blocks.",
    ),
    plain(
        "toft_region_limit",
        "void",
        &[p("toft_region *", "h"), p("uint64_t", "bytes")],
        "Later allocations that pass `bytes` throw Region_full (in the heap:\n\
         Bad_alloc). 0 = no limit.",
    ),
    plain(
        "toft_key_new",
        "toft_key *",
        &[p("int", "reap"), p("int", "counted")],
        "A dynamic region: its key, unique or with count 1. Throws Bad_alloc.",
    ),
    plain(
        "toft_key_free",
        "void",
        &[p("toft_key *", "k")],
        "Ends the region of a unique key. Null is fine.",
    ),
    plain(
        "toft_key_drop",
        "void",
        &[p("toft_key *", "k")],
        "One reference to a counted key less; the last one ends the region. Null is\n\
         fine.",
    ),
    plain(
        "toft_gen_new",
        "void *",
        &[p("int", "reap")],
        "The generator of a sequence of regions. Throws Bad_alloc.",
    ),
    plain(
        "toft_prof_alloc",
        "void",
        &[
            p("void *", "p"),
            p("uint64_t", "bytes"),
            p("toft_region *", "region"),
            p("unsigned", "q"),
            p("const toft_desc *", "elem"),
        ],
        "Reports an allocation to the profiler, in a program compiled with\n\
         TOFT_PROFILE. `region` is null for the heap, `elem` if the type is not known.",
    ),
    plain(
        "toft_prof_start",
        "void",
        &[p("toft_proc *", "own")],
        "Starts profiling if TOFT_PROFILE in the environment names a file.",
    ),
    plain(
        "toft_gc_collect",
        "void",
        &[],
        "Collects the heap of the calling process now. Proportional to what is live.",
    ),
    plain(
        "toft_gc_stats",
        "void",
        &[p("toft_gc_info *", "out")],
        "Fills `out` with the figures of the calling process's heap.",
    ),
    plain(
        "toft_gc_limit",
        "void",
        &[p("uint64_t", "bytes")],
        "Limits the heap; an allocation that would pass the limit even after a\n\
         collection throws Bad_alloc. 0 = no limit.",
    ),
    plain(
        "toft_gc_ratio",
        "void",
        &[p("uint32_t", "percent")],
        "A collection starts when `percent` of the live bytes have been allocated\n\
         since the last one (at least 4 MiB). Default 200.",
    ),
    plain(
        "toft_demangle",
        "size_t",
        &[p("const char *", "symbol"), p("char *", "out"), p("size_t", "room")],
        "Writes the Toft name of a symbol of emitted C, zero-ended, at most room-1\n\
         bytes; returns its length.",
    ),
];
