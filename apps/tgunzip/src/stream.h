// The two ends of a decompression: a source of bits and a sink of bytes.
#pragma once
#include <stddef.h>
#include <stdint.h>

@extensible datatype exn {
    Bad_data(const char *);        // what is wrong with the input
    Io_failure(const char *, int); // what was tried, and errno
};

#define INPUT_SIZE 65536
#define WINDOW_SIZE 32768 // how far back a match may reach (RFC 1951, 2)
#define WINDOW_MASK (WINDOW_SIZE - 1)

// Bits come lowest first. `bits` holds `count` of them that have been read ahead; the read
// ahead is never more than what is in the file, so whoever reads next loses nothing.
struct source {
    int fd; // -1: there is only what is in the buffer
    size_t at;
    size_t end;
    uint64_t bits;
    int count;
    unsigned char buffer[INPUT_SIZE];
};

// The last WINDOW_SIZE bytes stay in `window`; each time it is full it is written out.
struct sink {
    int fd; // -1: count and check only
    size_t at;
    uint64_t total;
    uint32_t crc;
    unsigned char window[WINDOW_SIZE];
};

struct source @source_open(int fd);
// A source of the given bytes, at most INPUT_SIZE of them.
struct source @source_of(const unsigned char ?bytes, size_t n);
// Reads ahead as far as 57 bits or the end of the input.
void source_refill(struct source @s);
// True when not a single byte is left.
bool source_at_end(struct source @s);
// Drops the bits up to the next byte.
void source_align(struct source @s);

// The next n bits, 0 <= n <= 32.
static inline unsigned source_take(struct source @s, int n) {
    if (s->count < n) {
        source_refill(s);
        if (s->count < n) throw new Bad_data("unexpected end of file");
    }
    unsigned value = s->bits & (((uint64_t)1 << n) - 1);
    s->bits >>= n;
    s->count -= n;
    return value;
}

struct sink @sink_open(int fd);
// Starts the counts of a new member; nothing before it can be referred to.
void sink_restart(struct sink @out);
// Writes out what is in the window.
void sink_flush(struct sink @out);

static inline void sink_put(struct sink @out, unsigned char byte) {
    out->window[out->at++] = byte;
    if (out->at == WINDOW_SIZE) sink_flush(out);
}

// Repeats `length` bytes that begin `distance` back, 1 <= distance <= WINDOW_SIZE.
void sink_repeat(struct sink @out, unsigned length, unsigned distance);
