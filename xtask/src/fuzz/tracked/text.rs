//! What every generated program of tracked pointers stands on: objects that know whether they
//! are themselves, and functions that look at them, free them, and hand them on.

/// Each object carries a number that only living ones have; looking at one that does not
/// prints BAD.
pub const PRELUDE: &str = r"#include <stdio.h>
#include <stdlib.h>
@extensible datatype exn { Fz(int); };
static unsigned long fz_sum;
static void chk(unsigned long v) {
    fz_sum = (fz_sum ^ v) * 1099511628211ul;
    fz_sum = fz_sum ^ (fz_sum >> 29);
}
static void bad(const char *what) { printf(`BAD %s\n`, what); exit(3); }
struct C;
struct N { int magic; int id; struct N *\U next; struct N *\U kid; struct C *\RC mate; };
struct C { int magic; int id; struct C *\RC peer; struct N *\U own; };
struct P { struct N *\U a; struct N *\U b; int id; };
struct R<'r::R> { int magic; int id; struct R<'r> *'r link; };
struct Q<'r::R> { int magic; int id; struct Q<'r> *\U'r next; };
datatype D { Leaf(int); Fork(struct N *\U, int); };
static struct N *\U mk(int id) {
    struct N *\U n = malloc(sizeof(struct N));
    n->magic = 0x5afe;
    n->id = id;
    return n;
}
static struct C *\RC mkc(int id) {
    struct C *\RC c = malloc(sizeof(struct C));
    c->magic = 0xc0de;
    c->id = id;
    return c;
}
static void look(struct N *n) {
    if (n) {
        if (n->magic != 0x5afe) bad(`unique`);
        chk((unsigned long)n->id);
    } else chk(77ul);
}
static void lookc(struct C *c) {
    if (c) {
        if (c->magic != 0xc0de) bad(`counted`);
        chk((unsigned long)c->id);
    } else chk(78ul);
}
static void lookr(struct R<'r> *'r r) {
    for (; r; r = r->link) {
        if (r->magic != 0xa12e) bad(`arena`);
        chk((unsigned long)r->id);
    }
}
static void dropc(struct C *\RC c) consume(1) {
    if (c) {
        if (c->magic != 0xc0de) bad(`counted`);
        drop_refptr(c);
    }
}
static void drop(struct N *\U n) consume(1) {
    while (n) {
        if (n->magic != 0x5afe) bad(`unique`);
        chk((unsigned long)n->id);
        struct N *\U rest = n->next;
        struct N *\U kid = n->kid;
        dropc(n->mate);
        n->magic = 1;
        free(n);
        drop(kid);
        n = rest;
    }
}
static struct N *\U hand(struct N *\U n) consume(1) { return n; }
static 'a\T same('a\T x) consume(1) { return x; }
static struct N *\U link(struct N *\U head, struct N *\U tail) consume(1) consume(2) {
    if (!head) return tail;
    struct N *\U t = tail;
    t :=: head->next;
    drop(t);
    return head;
}
static void maybe(int k) { if (fz_sum % 5 == (unsigned long)k) throw new Fz(k); }
static void fix(struct N *\U n) {
    if (n) {
        struct N *\U t = mk(n->id + 1);
        t :=: n->kid;
        drop(t);
    }
}
";

/// The text before and after the programs of a file; back quotes stand for double quotes in
/// the constant above.
pub fn prelude() -> String {
    PRELUDE.replace('`', "\"")
}

pub fn main_function(seeds: &[u64]) -> String {
    let mut text = String::from("int main(void) {\n");
    for seed in seeds {
        text.push_str(&format!(
            "    fz_sum = 14695981039346656037ul;\n    try {{ t{seed}_run(); printf(\"{seed} done \"); }} catch {{\n    case &Fz(k): printf(\"{seed} fz%d \", k); break;\n    case &Null_Exception: printf(\"{seed} null \"); break;\n    case &Array_bounds: printf(\"{seed} bounds \"); break;\n    case &Match_Exception: printf(\"{seed} match \"); break;\n    }}\n    printf(\"%lu\\n\", fz_sum);\n    fflush(stdout);\n"
        ));
    }
    text.push_str("    return 0;\n}\n");
    text
}
