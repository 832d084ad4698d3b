// Extended regular expressions over bytes: parsed to a nondeterministic automaton, run as a
// deterministic one that is made state by state while it is needed.
#pragma once
#include <stddef.h>
#include <stdint.h>

@extensible datatype exn {
    Bad_pattern(const char *);
};

// A set of bytes.
struct byteset {
    uint32_t words[8];
};

static inline void set_add(struct byteset @s, int byte) {
    s->words[byte >> 5 & 7] |= 1u << (byte & 31);
}

static inline bool set_has(const struct byteset @s, int byte) {
    return s->words[byte >> 5 & 7] >> (byte & 31) & 1;
}

static inline bool is_word(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// What an assertion says about the bytes on its two sides (the ends of a line are no words).
enum look {
    LINE_START,
    LINE_END,
    WORD_EDGE,
    NO_WORD_EDGE,
    WORD_START,
    WORD_END,
    NO_WORD_BEFORE,
    NO_WORD_AFTER,
};

enum op { OP_SET, OP_LOOK, OP_SPLIT, OP_JUMP, OP_MATCH };

struct inst {
    enum op op;
    int x;    // where to go on
    int y;    // OP_SPLIT: the other way
    int arg;  // OP_SET: number of the set; OP_LOOK: which
};

struct program {
    struct inst ?code;
    int size;
    struct byteset ?sets;
    int set_count;
    int start;
};

struct syntax {
    bool ignore_case;
    bool fixed;      // the pattern is plain text
    bool whole_word;
    bool whole_line;
};

// Lines of `pattern` are alternatives, as for grep. Throws Bad_pattern.
struct program @compile(const char ?pattern, size_t n, const struct syntax @syntax);

// A deterministic automaton with a bounded number of states.
struct dfa;

// A searching automaton finds a match anywhere in a line; the other one only where it starts.
struct dfa @dfa_new(struct program @'H p, bool searching);

// The end of the first line in text[from..to) that matches (of its match, when `from` is in
// the middle of it); `to` when there is none. text[to - 1] must be a newline.
size_t dfa_search(struct dfa @d, const unsigned char ?text, size_t from, size_t to);

// The end of the longest match that starts at `from`, or -1. The line goes on to `to`.
long dfa_longest(struct dfa @d, const unsigned char ?text, size_t from, size_t to);
