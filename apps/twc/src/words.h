// Text to words.
#pragma once
#include "table.h"

// What is between two pieces of text: the letters of the word that is not at its end yet, and
// the bytes of the character that is not.
struct scanner {
    struct table @table;
    bool fold;       // count capital letters as small ones
    size_t shortest; // in letters
    unsigned char ?word;
    size_t length;  // of the word in bytes
    size_t letters; // of the word
    unsigned code;  // of the character so far
    int missing;    // bytes of the character
    unsigned least; // what the character must be at least: no overlong forms
};

struct scanner @scanner_new(struct table @'H table, bool fold, size_t shortest);
// Takes the next n bytes. A byte that isn't UTF-8 ends a word, as a space does.
void scan(struct scanner @s, const unsigned char ?text, size_t n);
// At the end of a text.
void scan_end(struct scanner @s);
