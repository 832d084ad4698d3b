// What can be done with an image. All throw Bad_request for what can't be.
#pragma once
#include "image.h"

enum method { NEAREST, BILINEAR, AREA };

struct image @resized(const struct image @m, size_t width, size_t height, enum method method);
struct image @gaussian_blurred(const struct image @m, double sigma);
struct image @box_blurred(const struct image @m, size_t radius);
struct image @grey(const struct image @m);
struct image @cropped(const struct image @m, size_t width, size_t height, size_t x, size_t y);
struct image @flipped(const struct image @m, bool vertical);
// With samples of 8 or 16 bits.
struct image @with_depth(const struct image @m, int depth);
