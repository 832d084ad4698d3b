//! Foreign headers and `extern "C"`.

use super::harness::*;
use toft_base::FileKind;
use toft_hir::Origin;
use toft_ty::Region;

const HEADER: &str = "
typedef unsigned long size_t;
struct stat { int mode; char *name; };
extern int open(const char *path, int flags, ...);
extern char *getenv(const char *name);
extern double sqrt(double x) __attribute__((__nothrow__));
extern __inline int twice(int x) { return x * undefined_name; }
static __inline int thrice(int x) { char *p = (char *)x; return p; }
union any { char *p; long n; };
struct flex { int n; char data[]; };
typedef struct { long __val[2]; } __mbstate_t;
";

fn with_header(text: &str) -> Done {
    resolve_all(&[text], vec![("host.h", HEADER, FileKind::Foreign)])
}

#[test]
fn foreign_declarations() {
    let done = with_header("#include \"host.h\"\nsize_t n; double f(void) { return sqrt(2.0); }");
    assert!(done.said.is_empty(), "{:#?}", done.said);
    let open = done.program.funcs.iter().find(|f| f.name.as_str() == "open").expect("open");
    assert_eq!(open.origin, Origin::Foreign);
    let ptr = open.sig.params[0].as_ptr().expect("a pointer");
    assert!(ptr.foreign && !ptr.zeroterm && ptr.region == Region::Heap);
    assert!(open.generics.is_empty());
    let thrice = done.program.funcs.iter().find(|f| f.name.as_str() == "thrice").expect("thrice");
    assert!(thrice.body.is_none() && thrice.origin == Origin::Foreign);
}

#[test]
fn an_interface_replaces() {
    let done = with_header(
        "#include \"host.h\"\nextern \"C\" { char *getenv(const char *name); }\nchar *f(void) { return getenv(\"x\"); }",
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    let list: Vec<_> = done.program.funcs.iter().filter(|f| f.name.as_str() == "getenv").collect();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].origin, Origin::Trusted);
    assert!(list[0].sig.params[0].as_ptr().is_some_and(|p| p.zeroterm && !p.foreign));
}

#[test]
fn an_interface_must_fit() {
    for wrong in [
        "char *getenv(void);",
        "char *getenv(int n);",
        "double getenv(const char *n);",
        "char *getenv(const char ?n);",
    ] {
        let done = with_header(&format!("#include \"host.h\"\nextern \"C\" {wrong}"));
        assert_eq!(done.said.len(), 1, "{wrong}: {:#?}", done.said);
        assert!(done.said[0].starts_with("E1102"), "{:#?}", done.said);
    }
}

#[test]
fn own_functions_shadow_foreign_ones() {
    let done = with_header(
        "#include \"host.h\"\nint open(int x) { return x; } int f(void) { return open(3); }",
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    let dump = toft_hir::dump::program(&done.program);
    assert!(dump.contains("return open(3);"), "{dump}");
}

#[test]
fn exported_functions() {
    let done = with_header(
        "extern \"C\" int api(int x) { return x; } extern \"C\" int later(int); int later(int x) { return x; }",
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    for name in ["api", "later"] {
        let func = done.program.funcs.iter().find(|f| f.name.as_str() == name).expect(name);
        assert_eq!(func.origin, Origin::Toft, "{name}");
        assert!(func.link_name.is_some() && func.body.is_some());
    }
}

#[test]
fn headers_are_one_entity() {
    let header = "struct node { struct node *next; int v; }; int sum(struct node *p); enum color { RED, GREEN }; static inline int one(void) { return 1; } typedef struct node *list; struct { int q; } shared_thing;";
    let done = resolve_all(
        &[
            "#include \"h.h\"\nint sum(struct node *p) { return p->v + RED + one(); }",
            "#include \"h.h\"\nint main(void) { struct node n = {0, 1}; list l = 0; return sum(&n) + GREEN + one() + (l == 0) + shared_thing.q; }",
        ],
        vec![("h.h", header, FileKind::User)],
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    let nodes = done.program.tables.adts.iter().filter(|adt| adt.name.as_str() == "node").count();
    assert_eq!(nodes, 1);
    assert_eq!(done.program.funcs.iter().filter(|f| f.name.as_str() == "sum").count(), 1);
}

#[test]
fn opaque_structs_across_files() {
    let header = "struct file; typedef struct file FILE_; FILE_ *get(void); int put(FILE_ *f);";
    let done = resolve_all(
        &[
            "#include \"h.h\"\nint main(void) { return put(get()); }",
            "#include \"h.h\"\nstruct file { int n; }; static struct file one; FILE_ *get(void) { return &one; } int put(FILE_ *f) { return f->n; }",
        ],
        vec![("h.h", header, FileKind::User)],
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    assert_eq!(done.program.tables.adts.iter().filter(|a| a.name.as_str() == "file").count(), 1);
}

#[test]
fn builtins_of_the_c_compilers() {
    let dump = dump_func(
        "int f(unsigned x) { return __builtin_expect(__builtin_clz(x), 1) + __builtin_bswap32(x); }",
        "f",
    );
    assert!(dump.contains("__builtin_clz(_0)"), "{dump}");
}

#[test]
fn a_struct_of_toft_and_one_of_the_host() {
    let own = "struct stat { long size; }; int stat_it(struct stat @s);";
    let use_ = "long f(struct stat @s) { return s->size; }";
    for (a, b) in [("own.h", "host.h"), ("host.h", "own.h")] {
        let text =
            format!("#include \"{a}\"\n#include \"{b}\"\n{use_} int n[sizeof(struct stat)];");
        let done = resolve_all(
            &[&text],
            vec![("host.h", HEADER, FileKind::Foreign), ("own.h", own, FileKind::Library)],
        );
        assert!(done.said.is_empty(), "{:#?}", done.said);
        let dump = toft_hir::dump::program(&done.program);
        assert!(dump.contains("n: int [8]"), "{a} first: {dump}");
    }
}

#[test]
fn attributes() {
    has(
        "extern \"C\" int say(const char *f, ...) __attribute__((format(printf, 1, 2))); [[noreturn]] void die(void); void *malloc2(unsigned long n) __attribute__((toft_builtin(\"malloc\")));",
        &["trusted say", "die: void (void) noreturn", "builtin(Malloc)"],
    );
}
