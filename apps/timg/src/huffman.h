// Huffman codes for writing.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The lengths of the best code for n symbols that come as often as `weights` says, at most 300
// symbols and no code longer than `limit`. What never comes has length 0; one symbol alone has 1.
void code_lengths(const unsigned ?weights, int n, int limit, unsigned char ?lengths);
// The canonical codes of these lengths (RFC 1951, 3.2.2), turned round: the first bit is the lowest.
void code_words(const unsigned char ?lengths, int n, uint16_t ?words);
