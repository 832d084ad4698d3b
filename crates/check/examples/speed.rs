//! Measures the checker: lines per second over nests of loops, the most work per line.

use std::fmt::Write;
use std::time::Instant;
use toft_diag::Session;
use toft_mir::{Decls, text};

/// Nests of two loops, about ten lines each.
fn source(nests: usize) -> String {
    let mut out = String::from(
        "(body built fn0 \"f\" (ret void) (params 1) (region - - block)
        (local \"a\" (ptr int 'H notnull #64) param)",
    );
    for n in 0..nests {
        let _ = write!(
            out,
            "(local \"i{n}\" int user) (local \"j{n}\" int user) (local - int temp) (local \"x{n}\" int user)"
        );
    }
    out.push_str("(bb0 (goto bb1))");
    for n in 0..nests {
        let (i, j, t, x) = (1 + 4 * n, 2 + 4 * n, 3 + 4 * n, 4 + 4 * n);
        let b = 1 + 7 * n;
        let _ = write!(
            out,
            "(bb{b} (live _{i}) (live _{x}) (set _{x} (const 0 int)) (set _{i} (const 0 int)) (goto bb{}))
            (bb{} (set _{t} (lt (copy _{i}) (const 8 int))) (if (copy _{t}) bb{} bb{}))
            (bb{} (live _{j}) (set _{j} (const 0 int)) (goto bb{}))
            (bb{} (set _{t} (lt (copy _{j}) (const 64 int))) (if (copy _{t}) bb{} bb{}))
            (bb{} (check {} (index (copy _{j}) (const 64 ulong))) (set _{t} (copy (_0 *_{j})))
                (set _{x} (add (copy _{x}) (copy _{t})))
                (check {} (index (copy _{i}) (const 64 ulong))) (set (_0 *_{i}) (copy _{x}))
                (set _{j} (add (copy _{j}) (const 1 int))) (goto bb{}))
            (bb{} (dead _{j}) (set _{i} (add (copy _{i}) (const 1 int))) (goto bb{}))
            (bb{} (dead _{x}) (dead _{i}) (goto bb{}))",
            b + 1, b + 1, b + 2, b + 6, b + 2, b + 3, b + 3, b + 4, b + 5, b + 4, 2 * n, 2 * n + 1,
            b + 3, b + 5, b + 1, b + 6, b + 7
        );
    }
    let _ = write!(out, "(bb{} (return)))", 1 + 7 * nests);
    out
}

fn main() {
    for nests in [1, 5, 20, 100] {
        let body = text::parse(&source(nests)).unwrap_or_else(|error| panic!("{error}"));
        let decls = Decls::default();
        let sess = Session::default();
        let rounds = 20_000 / (nests * nests).max(nests);
        let copies: Vec<_> = (0..rounds).map(|_| body.clone()).collect();
        let start = Instant::now();
        let mut idle = 0;
        for body in copies {
            idle += toft_check::run(&sess, &decls, body).map_or(0, |body| body.facts.idle.count());
        }
        let time = start.elapsed().as_secs_f64();
        let lines = (rounds * nests * 10) as f64;
        println!(
            "{nests:4} nests: {:.1} us per body, {:.2} M lines/s, {} checks idle of {}",
            time / rounds as f64 * 1e6,
            lines / time / 1e6,
            idle / rounds,
            nests * 2
        );
    }
}
