// Output that goes out in large pieces.
#pragma once
#include <stddef.h>

#define OUT_SIZE 65536

struct out {
    int fd;
    size_t used;
    unsigned char buffer[OUT_SIZE];
};

struct out @out_open(int fd);
// Throws Io_failure, as all below.
void out_flush(struct out @o);
void out_text(struct out @o, const unsigned char ?text, size_t start, size_t end);
void out_spaces(struct out @o, size_t n);

static inline void out_byte(struct out @o, unsigned char byte) {
    if (o->used == OUT_SIZE) out_flush(o);
    o->buffer[o->used++] = byte;
}
