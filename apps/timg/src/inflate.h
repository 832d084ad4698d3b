// zlib streams, RFC 1950 and 1951, in memory.
#pragma once
#include "image.h"

// Inflates the first n bytes of `from`, which must be one zlib stream and nothing else, into
// `to`, which it must fill exactly. Throws Bad_image.
void inflate(const unsigned char ?from, size_t n, unsigned char ?to);
