// Checksums: CRC-32 as in gzip and PNG, Adler-32 as in zlib.
//
// ```toft
// // runs: cbf43926 091e01de
// #include <stdio.h>
// #include <toft/sums.h>
//
// int main(void) {
//     const unsigned char ?digits = (const unsigned char ?)"123456789";
//     printf("%08x %08x\n", Sums::crc32(0, digits, 9), Sums::adler32(1, digits, 9));
//     return 0;
// }
// ```
//
// Both go on from the sum of what came before: O(n).
#pragma once
#pragma toft source("std/sums.toft")
#include <stddef.h>
#include <stdint.h>

namespace Sums {
    // Goes on with n bytes; starts with 0.
    uint32_t crc32(uint32_t crc, const unsigned char ?data, size_t n);
    // Goes on with n bytes; starts with 1.
    uint32_t adler32(uint32_t adler, const unsigned char ?data, size_t n);
}
