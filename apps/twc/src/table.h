// Words and how often each has come.
#pragma once
#include <stddef.h>

struct entry {
    size_t start;  // in `letters`
    size_t length; // in bytes
    unsigned hash;
    unsigned long count; // 0: a free place
};

// Open addressing; the number of places is a power of two and never more than half is taken.
struct table {
    struct entry ?places;
    size_t used;
    unsigned char ?letters; // the words, one behind the other
    size_t letter_count;
};

struct table @table_new(void);
// Counts the word in the first n bytes of `word`.
void table_count(struct table @t, const unsigned char ?word, size_t n);
// The words, the most frequent first, equally frequent ones in the order of their bytes.
struct entry ?table_sorted(const struct table @t);
