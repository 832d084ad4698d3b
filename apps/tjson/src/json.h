// JSON texts as RFC 8259 has them, and the tape that a text is read into.
#pragma once
#include <stddef.h>

@extensible datatype exn {
    Bad_json(size_t, const char *); // where in the text, and what is wrong there
    Bad_path(size_t, const char *); // where in the path, and what is wrong there
    Io_failure(const char *, int);  // what was tried, and errno
};

#define MAX_DEPTH 10000

enum kind { LITERAL, NUMBER, STRING, ARRAY, OBJECT };

// A value, or the key of a member: text[start] up to text[end]. What an array or an object
// holds follows it on the tape, up to `next`; in an object each value follows its key.
struct node {
    enum kind kind;
    size_t next;
    size_t start;
    size_t end;
};

struct json {
    const unsigned char ?text;
    size_t length;
    struct node ?nodes;
    size_t count;
};

// Reads a whole text: one value, and nothing else but space. Throws Bad_json.
struct json @parse(const unsigned char ?'H text, size_t length);

// A position as people count: from 1, columns in characters.
struct position {
    size_t line;
    size_t column;
};
struct position position_of(const unsigned char ?text, size_t length, size_t at);

// The characters of a string without quotes and escapes.
struct bytes {
    unsigned char ?at;
    size_t length;
};
struct bytes decoded(const struct json @j, size_t node);
