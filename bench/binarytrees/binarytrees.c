// Many binary trees, built, walked and let go.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left;
    struct node *right;
};

static struct node *build(int depth) {
    struct node *n = malloc(sizeof(struct node));
    if (depth > 0) {
        n->left = build(depth - 1);
        n->right = build(depth - 1);
    } else {
        n->left = NULL;
        n->right = NULL;
    }
    return n;
}

static int count(struct node *n) {
    if (n->left == NULL)
        return 1;
    return 1 + count(n->left) + count(n->right);
}

static void drop(struct node *n) {
    if (n->left != NULL) {
        drop(n->left);
        drop(n->right);
    }
    free(n);
}

int main(int argc, char **argv) {
    int depth = argc > 1 ? atoi(argv[1]) : 17;
    struct node *stretch = build(depth + 1);
    printf("stretch tree of depth %d: %d\n", depth + 1, count(stretch));
    drop(stretch);
    struct node *kept = build(depth);
    for (int d = 4; d <= depth; d += 4) {
        int rounds = 1 << (depth - d + 4);
        int total = 0;
        for (int i = 0; i < rounds; i++) {
            struct node *n = build(d);
            total += count(n);
            drop(n);
        }
        printf("%d trees of depth %d: %d\n", rounds, d, total);
    }
    printf("long lived tree of depth %d: %d\n", depth, count(kept));
    drop(kept);
    return 0;
}
