//! Snippets about tracked pointers: what is lent, what is refused, what is written out.

use crate::snippets_test::{check, dump, has};

const DECLS: &str = r#"
struct node { int n; struct node *\U next; char name[8]; int grid[2][3]; };
struct node *\U make(int n);
int read(const int *p);
int *'r same(int *'r p);
void put('a *slot, 'a v);
void store(int *'r *slot, int *'r p);
struct hold<'r> { int *'r p; };
struct hold<'r> wrap(int *'r p);
int twice(int *a, int *b);
void eat(int *\U p) consume(1);
"#;

fn snippet(text: &str) -> String {
    // The marks count lines of the snippet alone.
    format!("{text}\n{DECLS}")
}

#[test]
fn arguments_are_lent() {
    let text = dump(&snippet(
        r#"
int f(void) {
    int *\U p = new 1;
    int ?\U v = calloc(4, sizeof(int));
    struct node *\U l = make(1);
    int t = read(p) + read(&l->n) + read(&v[2]) + read(v + 1) + (int)strlen(l->name);
    t += *same(p) + twice(&l->n, p);
    printf("%s %d\n", l->name, l->n);
    free(p);
    free(v);
    free(l);
    return t;
}
"#,
    ));
    has(&text, "borrow'b");
    has(&text, "end['b");
}

#[test]
fn loans_are_not_kept() {
    check(&snippet(
        r#"
int *keep;
void f(int *\U p, struct node *\U l, int ?\U v) {
    int *q = same(p); //~ E0601
    keep = same(p); //~ E0601
    int *r = &l->n; //~ E2006
    char ?s = l->name; //~ E2006
    int *\A w = &v[1]; //~ E2006
    int ?x = v + 1; //~ E2007
    int *y = ({ int *t = same(p); t; }); //~ E0601
    struct hold h = wrap(p); //~ E0601
    int *slot = NULL;
    store(&slot, p); //~ E0601
    int *other = NULL;
    put(&other, p); //~ E0601
    int c = 0;
    int *z = c ? same(p) : NULL; //~ E0601
}
int *'r g(struct node *\U'r l) { return &l->n; } //~ E2006
"#,
    ));
}

#[test]
fn aliasability_is_kept() {
    check(&snippet(
        r#"
void *any;
int *\U shelf;
void f(int *\U u, int *\RC c, int *\T t, int *a, struct node *\U l) {
    int *x = u; //~ E2009
    any = u; //~ E2009
    int *\U y = a; //~ E2009
    int *\U z = c; //~ E2009
    int *\RC w = u; //~ E2009
    int *\U v = t; //~ E2009
    int *b = (int *)t; //~ E2009
    int *d = (int *)u;
    int *\T e = c;
    int *\T *pe = &shelf; //~ E2009
    void (*g)(int *\T) = eat; //~ E0401
    read(u);
    read(t);
}
"#,
    ));
}

#[test]
fn releasing() {
    check(&snippet(
        r#"
void f(int *\U u, int *\RC c, int *\T t, int *a) {
    free(a); //~ E0604
    free(c); //~ E2009
    drop_refptr(u); //~ E2009
    free(t); //~ E2009
    int *\RC d = alias_refptr(c);
    alias_refptr(u); //~ E2009
    unsigned long n = refptr_count(c);
    free(NULL);
}
void g(region_t<'r> h, int *\U'r p) {
    free(p); //~ E2012
}
void k(region_t<'r> h, int *\U'r p : single('r)) consume(2) {
    rfree(h, p);
}
void m(uregion_key_t<'r> k) consume(1) {
    free(k); //~ E2012
}
"#,
    ));
}

#[test]
fn arithmetic_stays_inside() {
    check(&snippet(
        r#"
int f(int ?\U v, char *\U s) {
    v++; //~ E2007
    v += 2; //~ E2007
    v = v + 1; //~ E2007
    int n = v - v; //~ E2007
    n = *(v + 1) + v[2];
    while (*s++) n++; //~ E2007
    if (v != NULL && s && v) n++;
    return n;
}
"#,
    ));
}

#[test]
fn bounds_of_type_variables() {
    check(&snippet(
        r#"
'a copy('a x) { return x; }
'a\U pass('a\U x) consume(1) { return x; }
'a\T move('a\T x) consume(1) { return x; }
struct pair { int n; int *\U p; };
struct box<'a> { 'a v; };
struct any<'a\T> { 'a v; };
struct hidden { <'a> 'a v; };
void f(int *\U u, struct pair s, int *a) {
    int *\U x = copy(u); //~ E2009
    struct pair t = copy(s); //~ E2009
    int *\U y = pass(new 1);
    int *b = pass(a); //~ E2009
    int *\RC c = move(new 2);
    int n = move(3);
    struct box<int *\U> d; //~ E2009
    struct any<int *\U> e = { new 4 };
    struct hidden g = { new 5 };
    struct hidden h = { u }; //~ E2009
}
int *'q 'r dup<'q::Q\A>(int *'q 'r p) { return p; }
void g(int *\U u, int *a) {
    int *b = dup(a);
    int *\U c = dup(u); //~ E2009
}
int total(int n, ...int *\U v) { return n; }
int h(int *\U u) { return total(1, u); } //~ E2009
"#,
    ));
}

#[test]
fn handles_and_allocations() {
    let text = dump(&snippet(
        r#"
int *'q 'r mk<'q::Q>(region_t<'r> h, aqual_t<'q> q) { return rqmalloc(h, q, sizeof(int)); }
int *\U give(void) { return malloc(sizeof(int)); }
void f(void) {
    reap<'r> h;
    int *\U p = mk(heap_region, unique_qual);
    int *\RC c = mk(heap_region, refcnt_qual);
    int *a = mk(heap_region, alias_qual);
    int *\U'r q = rmalloc(h, unique_qual, sizeof(int));
    int *\U'r s = rnew(h, unique_qual) 2;
    int *\U t = qnew(unique_qual) 3;
    eat(new 4);
    eat(malloc(sizeof(int)));
    *a = *p + *c + *q + *s + *t;
    free(p); drop_refptr(c); rfree(h, q); rfree(h, s); free(t);
}
"#,
    ));
    has(&text, "Rfree");
    has(&text, "DropRefptr");
}

#[test]
fn patterns() {
    check(&snippet(
        r#"
struct pair { int n; int *\U p; };
datatype D { A(int *\U); B(struct pair); C; };
int f(struct pair *\U s, struct pair t, datatype D @\U d, struct pair *a) {
    switch (*s) { case {*n, _}: return 1; } //~ E2006
    switch (s) { case &{*n, _}: return 1; default: break; } //~ E2006
    switch (t) { case w as {n, p}: return n; } //~ E2003
    switch (t) { case {n, p}: eat(p); return n; }
    switch (d) { case &A(p): eat(p); break; case &B({n, p}): eat(p); break; case &C: break; }
    switch (*a) { case {*n, _}: return *n; }
}
"#,
    ));
}

#[test]
fn let_alias() {
    check(&snippet(
        r#"
int f(struct node *\U l, int ?\U v, int *\U{4} w, int *a) {
    let alias<'s> const struct node *'s x = l;
    let alias<'t> int ?'t y = v;
    let alias<'u> int ?'u z = w;
    let alias<'v> int *'v b = a; //~ E2009
    y[1] = 2;
    z[3] = x->n;
    return x->grid[1][2];
}
"#,
    ));
}
