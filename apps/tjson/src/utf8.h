// UTF-8, RFC 3629.
#pragma once
#include <stddef.h>

// The length of the character that begins at text[at], 0 when there is no valid one: bytes that
// fit nowhere, one that is cut off, overlong forms, surrogates, beyond U+10FFFF.
size_t utf8_length(const unsigned char ?text, size_t length, size_t at);
// Writes a code point, 1 to 4 bytes; the result is how many.
size_t utf8_put(unsigned char ?to, unsigned code);
