// PNG and PNM (PGM, PPM): reading and writing in memory.
#pragma once
#include "image.h"

enum format { PNG, PNM };

// What a file turned out to be.
struct facts {
    enum format format;
    int depth;       // bits a sample in the file
    int channels;    // in the file; 1 for a palette
    bool palette;
    bool interlaced;
};

// Throw Bad_image.
struct image @read_png(const unsigned char ?'H file, size_t n, struct facts @facts);
struct image @read_pnm(const unsigned char ?'H file, size_t n, struct facts @facts);
// By the first bytes.
struct image @read_image(const unsigned char ?'H file, size_t n, struct facts @facts);

struct bytes write_png(const struct image @m);
// PGM when `grey`, which an image of one or two channels can be; PPM otherwise. Alpha is dropped.
struct bytes write_pnm(const struct image @m, bool grey);
