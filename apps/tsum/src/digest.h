// Message digests over blocks of 64 bytes, and CRC-32, behind one door.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define BLOCK_SIZE 64
#define MAX_DIGEST 32

struct digest {
    uint32_t h[8];
    uint64_t length; // bytes so far
    size_t fill;     // bytes that wait in `block`
    unsigned char block[BLOCK_SIZE];
};

struct algorithm {
    const char @name;  // as it is named on the command line
    const char @tag;   // as it is named in lines like `SHA256 (file) = …`
    int size;          // bytes in the result
    void (@start)(struct digest @d);
    // Takes in a whole number of blocks.
    void (@blocks)(struct digest @d, const unsigned char ?data, size_t n);
    bool big_endian;   // words of the result, and the length in the padding
    bool padded;
};

extern const struct algorithm algorithms[4];

// The algorithm of that name, or NULL.
const struct algorithm *find_algorithm(const char ?name);

void digest_add(const struct algorithm @a, struct digest @d, const unsigned char ?data, size_t n);
// The digest in hexadecimal. `d` is used up.
char ?digest_finish(const struct algorithm @a, struct digest @d);

void sha256_start(struct digest @d);
void sha256_blocks(struct digest @d, const unsigned char ?data, size_t n);
void sha1_start(struct digest @d);
void sha1_blocks(struct digest @d, const unsigned char ?data, size_t n);
void md5_start(struct digest @d);
void md5_blocks(struct digest @d, const unsigned char ?data, size_t n);
void crc32_start(struct digest @d);
void crc32_blocks(struct digest @d, const unsigned char ?data, size_t n);
