// zlib streams, RFC 1950 and 1951: writing them.
#pragma once
#include "image.h"

// A zlib stream of the first n bytes.
struct bytes deflate(const unsigned char ?from, size_t n);
