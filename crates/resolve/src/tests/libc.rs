//! The library's own files resolve, and so do the host's headers where there are any.

use super::harness::*;
use toft_base::FileKind;

#[test]
fn a_common_c_program() {
    let done = resolve_all(
        &["
#include \"stdio.h\"
#define MAX 10
typedef struct node { int key; struct node *left, *right; } node_t;
static node_t *root;
static int count;
enum { SMALL = MAX / 2, LARGE };
static const char *const words[] = { \"zero\", \"one\", [5] = \"five\" };
static int compare(const node_t *a, const node_t *b) { return a->key < b->key ? -1 : a->key > b->key; }
static int (*order)(const node_t *, const node_t *) = compare;
static node_t *insert(node_t *t, int key) {
    if (!t) { t = malloc(sizeof(node_t)); t->key = key; count++; return t; }
    if (key < t->key) t->left = insert(t->left, key); else t->right = insert(t->right, key);
    return t;
}
static void walk(node_t *t, void (*visit)(int)) { if (t) { walk(t->left, visit); visit(t->key); walk(t->right, visit); } }
static void show(int k) { printf(\"%d %s\\n\", k, words[k % 2]); }
int main(int argc, char **argv) {
    for (int i = 0; i < MAX; i++) root = insert(root, (i * 7) % MAX);
    walk(root, show);
    switch (count) { case SMALL: puts(\"small\"); break; case LARGE: case MAX: puts(\"large\"); }
    return order(root, root) + (argc > 1 ? argv[1][0] : 0);
}
"],
        vec![(
            "stdio.h",
            "int puts(const char ?s);\nextern \"C\" int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));",
            FileKind::Library,
        )],
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
}
