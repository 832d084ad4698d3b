// An image in memory.
#pragma once
#include <stddef.h>
#include <stdint.h>

@extensible datatype exn {
    Bad_image(const char *);       // what is wrong with the file
    Bad_request(const char *);     // what cannot be done with this image
    Io_failure(const char *, int); // what was tried, and errno
};

#define MAX_PIXELS 100000000

// Samples are 0 to `top`, rows from the top, pixels from the left, channels together.
struct image {
    size_t width;
    size_t height;
    int channels; // 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha
    int top;      // 255 or 65535
    uint16_t ?samples;
};

// All samples 0. Throws Bad_image when a side is 0 or there are too many pixels.
struct image @image_new(size_t width, size_t height, int channels, int top);

static inline bool has_alpha(const struct image @m) { return m->channels % 2 == 0; }

// The place of the first sample of a pixel.
static inline size_t place(const struct image @m, size_t x, size_t y) {
    return (y * m->width + x) * m->channels;
}

// Bytes in memory.
struct bytes {
    unsigned char ?at;
    size_t length;
};

void append(struct bytes @b, unsigned byte);
void append_all(struct bytes @b, const unsigned char ?from, size_t n);
// Four bytes, the highest first.
void append_word(struct bytes @b, uint32_t word);
