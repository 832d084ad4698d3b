// A text packed with its Huffman code, and unpacked again.
#include <stdio.h>
#include <stdlib.h>

#define SYMBOLS 256
#define NODES (2 * SYMBOLS)

struct node {
    long weight;
    int left;
    int right;
    int symbol;
};

struct tree {
    struct node nodes[NODES];
    int count;
    int root;
    unsigned codes[SYMBOLS];
    int lengths[SYMBOLS];
};

struct heap {
    int items[NODES];
    int count;
};

static void push(struct heap *h, const struct tree *t, int item) {
    int i = h->count++;
    while (i > 0 && t->nodes[h->items[(i - 1) / 2]].weight > t->nodes[item].weight) {
        h->items[i] = h->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->items[i] = item;
}

static int pop(struct heap *h, const struct tree *t) {
    int result = h->items[0];
    int item = h->items[--h->count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count
            && t->nodes[h->items[child + 1]].weight < t->nodes[h->items[child]].weight)
            child++;
        if (t->nodes[h->items[child]].weight >= t->nodes[item].weight) break;
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = item;
    return result;
}

static void assign(struct tree *t, int node, unsigned code, int length) {
    if (t->nodes[node].left < 0) {
        t->codes[t->nodes[node].symbol] = code;
        t->lengths[t->nodes[node].symbol] = length > 0 ? length : 1;
        return;
    }
    assign(t, t->nodes[node].left, code << 1, length + 1);
    assign(t, t->nodes[node].right, code << 1 | 1, length + 1);
}

static int add(struct tree *t, long weight, int left, int right, int symbol) {
    struct node *n = &t->nodes[t->count];
    n->weight = weight;
    n->left = left;
    n->right = right;
    n->symbol = symbol;
    return t->count++;
}

static void build(struct tree *t, const unsigned char *data, size_t n) {
    long weights[SYMBOLS] = { 0 };
    struct heap h = { { 0 }, 0 };
    for (size_t i = 0; i < n; i++)
        weights[data[i]]++;
    t->count = 0;
    for (int i = 0; i < SYMBOLS; i++)
        if (weights[i] > 0) push(&h, t, add(t, weights[i], -1, -1, i));
    while (h.count > 1) {
        int left = pop(&h, t);
        int right = pop(&h, t);
        push(&h, t, add(t, t->nodes[left].weight + t->nodes[right].weight, left, right, -1));
    }
    t->root = pop(&h, t);
    assign(t, t->root, 0, 0);
}

static size_t pack(const struct tree *t, const unsigned char *data, size_t n, unsigned char *out) {
    unsigned long bits = 0;
    int count = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        int length = t->lengths[data[i]];
        bits = bits << length | t->codes[data[i]];
        count += length;
        while (count >= 8) {
            count -= 8;
            out[used++] = bits >> count & 255;
        }
    }
    if (count > 0) out[used++] = bits << (8 - count) & 255;
    return used;
}

static void unpack(const struct tree *t, const unsigned char *in, unsigned char *out, size_t n) {
    size_t bit = 0;
    for (size_t i = 0; i < n; i++) {
        int node = t->root;
        while (t->nodes[node].left >= 0) {
            int right = in[bit >> 3] >> (7 - (bit & 7)) & 1;
            node = right ? t->nodes[node].right : t->nodes[node].left;
            bit++;
        }
        out[i] = t->nodes[node].symbol;
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 18;
    size_t n = 1000000;
    unsigned char *data = malloc(n);
    unsigned char *packed = malloc(4 * n);
    unsigned char *again = malloc(n);
    struct tree *t = malloc(sizeof(struct tree));
    unsigned seed = 1;
    unsigned long sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            unsigned a = seed >> 24, b = seed >> 16 & 255;
            data[i] = a * b >> 8;
        }
        build(t, data, n);
        size_t used = pack(t, data, n, packed);
        unpack(t, packed, again, n);
        for (size_t i = 0; i < n; i++)
            if (again[i] != data[i]) return 1;
        sum = sum * 31 + used + packed[used / 2];
    }
    printf("%lu\n", sum);
    free(data);
    free(packed);
    free(again);
    free(t);
    return 0;
}
