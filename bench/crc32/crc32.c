// CRC-32 (IEEE 802.3), a table of 256 words, a byte at a time.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc32(uint32_t crc, const unsigned char *data, size_t n) {
    crc = ~crc;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 250;
    size_t n = 1 << 20;
    unsigned char *data = malloc(n);
    uint32_t crc = 0;
    make_table();
    for (size_t i = 0; i < n; i++)
        data[i] = i * 7 + (i >> 8);
    for (int round = 0; round < rounds; round++)
        crc = crc32(crc, data, n);
    printf("%08x\n", crc);
    free(data);
    return 0;
}
