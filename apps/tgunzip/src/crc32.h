// CRC-32 as in ISO 3309 and ITU-T V.42: reflected polynomial 0xedb88320.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Continues `crc` (0 at the start) over n bytes of `data`.
uint32_t crc32(uint32_t crc, const unsigned char ?data, size_t n);
