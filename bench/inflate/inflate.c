// Inflating (RFC 1951) with table-driven Huffman codes. The input is made first, by an encoder
// that finds matches through a hash table and writes them with dynamic codes.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BITS 15
#define FAST_BITS 10
#define MAX_SYMBOLS 288
#define END_OF_BLOCK 256
#define WINDOW 32768

static const uint16_t length_base[29] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
    35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258
};
static const unsigned char length_extra[29] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0
};
static const uint16_t distance_base[30] = {
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
};
static const unsigned char distance_extra[30] = {
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10,
    11, 11, 12, 12, 13, 13
};
static const unsigned char order[19] = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
};

// The encoder.

struct writer {
    unsigned char *data;
    size_t size;
    uint64_t bits;
    int count;
};

static void put_bits(struct writer *w, unsigned value, int n) {
    w->bits |= (uint64_t)value << w->count;
    w->count += n;
    while (w->count >= 8) {
        w->data[w->size++] = w->bits & 0xff;
        w->bits >>= 8;
        w->count -= 8;
    }
}

static unsigned reversed(unsigned code, int length) {
    unsigned result = 0;
    for (int i = 0; i < length; i++) {
        result = result << 1 | (code & 1);
        code >>= 1;
    }
    return result;
}

static void put_code(struct writer *w, const unsigned char *lengths, const uint16_t *codes, int s) {
    put_bits(w, codes[s], lengths[s]);
}

// Canonical codes for the lengths, reversed, so that their first bit is the lowest.
static void make_codes(const unsigned char *lengths, int n, uint16_t *codes) {
    unsigned code = 0;
    for (int length = 1; length <= MAX_BITS; length++) {
        for (int i = 0; i < n; i++)
            if (lengths[i] == length) codes[i] = reversed(code++, length);
        code <<= 1;
    }
}

// Literals 0 to 127 have 8 bits, 128 to 255 have 12, the others 6: a complete code with
// 286 symbols (128/256 + 128/4096 + 30/64 = 1).
static unsigned char literal_lengths[286];
static unsigned char distance_lengths[30];
static uint16_t literal_codes[286];
static uint16_t distance_codes[30];

static void put_trees(struct writer *w) {
    for (int i = 0; i < 286; i++) literal_lengths[i] = i < 128 ? 8 : i < 256 ? 12 : 6;
    for (int i = 0; i < 30; i++) distance_lengths[i] = i < 28 ? 5 : 4;
    make_codes(literal_lengths, 286, literal_codes);
    make_codes(distance_lengths, 30, distance_codes);
    // The lengths of lengths: 4, 5, 6, 8 and 12 are used; 1, 2, 3, 4 and 4 bits.
    unsigned char lengths[19];
    uint16_t codes[19];
    for (int i = 0; i < 19; i++) lengths[i] = 0;
    lengths[8] = 1;
    lengths[12] = 2;
    lengths[5] = 3;
    lengths[6] = 4;
    lengths[4] = 4;
    make_codes(lengths, 19, codes);
    put_bits(w, 286 - 257, 5);
    put_bits(w, 30 - 1, 5);
    put_bits(w, 19 - 4, 4);
    for (int i = 0; i < 19; i++) put_bits(w, lengths[order[i]], 3);
    for (int i = 0; i < 286; i++) put_code(w, lengths, codes, literal_lengths[i]);
    for (int i = 0; i < 30; i++) put_code(w, lengths, codes, distance_lengths[i]);
}

static void put_match(struct writer *w, unsigned length, unsigned distance) {
    int l = 28, d = 29;
    while (length_base[l] > length) l--;
    while (distance_base[d] > distance) d--;
    put_code(w, literal_lengths, literal_codes, 257 + l);
    put_bits(w, length - length_base[l], length_extra[l]);
    put_code(w, distance_lengths, distance_codes, d);
    put_bits(w, distance - distance_base[d], distance_extra[d]);
}

// The last place where three bytes with this hash began, plus one.
static uint32_t heads[1 << 15];

static size_t deflate(const unsigned char *data, size_t n, unsigned char *to) {
    struct writer w = { to, 0, 0, 0 };
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_trees(&w);
    size_t i = 0;
    while (i < n) {
        size_t length = 0, from = 0;
        if (i + 3 <= n) {
            unsigned h = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
            h = h * 2654435761u >> 17;
            if (heads[h] > 0 && i - (heads[h] - 1) <= WINDOW) {
                from = heads[h] - 1;
                while (length < 258 && i + length < n && data[from + length] == data[i + length])
                    length++;
            }
            heads[h] = i + 1;
        }
        if (length >= 3) {
            put_match(&w, length, i - from);
            i += length;
        } else {
            put_code(&w, literal_lengths, literal_codes, data[i]);
            i++;
        }
    }
    put_code(&w, literal_lengths, literal_codes, END_OF_BLOCK);
    put_bits(&w, 0, 7);
    return w.size;
}

// The decoder.

struct reader {
    const unsigned char *data;
    size_t size;
    size_t at;
    uint64_t bits;
    int count;
};

struct tree {
    uint16_t fast[1 << FAST_BITS];
    uint16_t count[MAX_BITS + 1];
    uint16_t symbols[MAX_SYMBOLS];
};

static void fail(const char *what) {
    fprintf(stderr, "inflate: %s\n", what);
    exit(1);
}

static void refill(struct reader *r) {
    while (r->count <= 56 && r->at < r->size) {
        r->bits |= (uint64_t)r->data[r->at++] << r->count;
        r->count += 8;
    }
}

static inline unsigned take(struct reader *r, int n) {
    if (r->count < n) {
        refill(r);
        if (r->count < n) fail("unexpected end");
    }
    unsigned value = r->bits & (((uint64_t)1 << n) - 1);
    r->bits >>= n;
    r->count -= n;
    return value;
}

static void make_tree(struct tree *t, const unsigned char *lengths, int n) {
    int start[MAX_BITS + 2];
    for (int i = 0; i <= MAX_BITS; i++) t->count[i] = 0;
    for (int i = 0; i < n; i++) t->count[lengths[i]]++;
    t->count[0] = 0;
    start[1] = 0;
    for (int i = 1; i <= MAX_BITS; i++) start[i + 1] = start[i] + t->count[i];
    for (int i = 0; i < n; i++)
        if (lengths[i] != 0) t->symbols[start[lengths[i]]++] = i;
    for (int i = 0; i < 1 << FAST_BITS; i++) t->fast[i] = 0;
    unsigned code = 0;
    int index = 0;
    for (int length = 1; length <= FAST_BITS; length++) {
        for (int k = 0; k < t->count[length]; k++) {
            unsigned entry = t->symbols[index++] << 4 | length;
            for (unsigned at = reversed(code, length); at < 1 << FAST_BITS; at += 1u << length)
                t->fast[at] = entry;
            code++;
        }
        code <<= 1;
    }
}

static int decode_long(struct reader *r, const struct tree *t) {
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= MAX_BITS; length++) {
        if (length > r->count) fail("unexpected end");
        code |= r->bits >> (length - 1) & 1;
        int count = t->count[length];
        if (code - first < count) {
            r->bits >>= length;
            r->count -= length;
            return t->symbols[index + code - first];
        }
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    fail("no such code");
    return 0;
}

static inline int decode(struct reader *r, const struct tree *t) {
    if (r->count < MAX_BITS) refill(r);
    unsigned entry = t->fast[r->bits & ((1 << FAST_BITS) - 1)];
    int length = entry & 15;
    if (length == 0) return decode_long(r, t);
    if (length > r->count) fail("unexpected end");
    r->bits >>= length;
    r->count -= length;
    return entry >> 4;
}

// Inflates one block with dynamic codes; gives the number of bytes.
static size_t inflate(struct reader *r, unsigned char *out, size_t room) {
    static struct tree literals, distances;
    if (take(r, 1) != 1 || take(r, 2) != 2) fail("one dynamic block is expected");
    int literal_count = take(r, 5) + 257;
    int distance_count = take(r, 5) + 1;
    int code_count = take(r, 4) + 4;
    unsigned char lengths[288 + 32];
    for (int i = 0; i < 19; i++) lengths[order[i]] = i < code_count ? take(r, 3) : 0;
    make_tree(&literals, lengths, 19);
    for (int i = 0; i < literal_count + distance_count; i++) {
        int symbol = decode(r, &literals);
        if (symbol >= 16) fail("a repeated length, which the encoder never writes");
        lengths[i] = symbol;
    }
    make_tree(&literals, lengths, literal_count);
    make_tree(&distances, lengths + literal_count, distance_count);

    size_t size = 0;
    for (;;) {
        int symbol = decode(r, &literals);
        if (symbol < END_OF_BLOCK) {
            if (size == room) fail("too long");
            out[size++] = symbol;
            continue;
        }
        if (symbol == END_OF_BLOCK) return size;
        symbol -= END_OF_BLOCK + 1;
        if (symbol >= 29) fail("no such length");
        size_t length = length_base[symbol] + take(r, length_extra[symbol]);
        symbol = decode(r, &distances);
        if (symbol >= 30) fail("no such distance");
        size_t distance = distance_base[symbol] + take(r, distance_extra[symbol]);
        if (distance > size) fail("too far back");
        if (length > room - size) fail("too long");
        for (size_t i = 0; i < length; i++) out[size + i] = out[size + i - distance];
        size += length;
    }
}

// Text of words that come again, with noise between them.
static void make_text(unsigned char *data, size_t n) {
    unsigned seed = 12345;
    size_t i = 0;
    while (i < n) {
        seed = seed * 1103515245u + 12345u;
        unsigned word = seed >> 20 & 1023;
        size_t length = 2 + word % 9;
        for (size_t k = 0; k < length && i < n; k++) data[i++] = 'a' + (word * 31 + k * k * word) % 26;
        if (i < n) data[i++] = word % 50 == 0 ? 128 + (seed >> 9 & 127) : ' ';
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    size_t n = 4 << 20;
    unsigned char *text = malloc(n);
    unsigned char *packed = malloc(2 * n);
    unsigned char *out = malloc(n);
    make_text(text, n);
    size_t size = deflate(text, n, packed);
    uint32_t sum = size;
    for (int round = 0; round < rounds; round++) {
        struct reader r = { packed, size, 0, 0, 0 };
        size_t m = inflate(&r, out, n);
        sum = sum * 31 + out[m - 1 - round % 1000] + (uint32_t)m;
    }
    for (size_t i = 0; i < n; i++)
        if (out[i] != text[i]) fail("the text differs");
    printf("%08x\n", sum);
    free(text);
    free(packed);
    free(out);
    return 0;
}
