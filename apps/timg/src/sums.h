// The checksums of PNG and zlib.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Continues `crc` (0 at the start) over n bytes.
uint32_t crc32(uint32_t crc, const unsigned char ?data, size_t n);
uint32_t adler32(const unsigned char ?data, size_t n);
