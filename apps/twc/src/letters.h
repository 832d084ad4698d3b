// Which characters make words, and their lower-case forms.
#pragma once

// For code points from 0x80.
bool is_letter_beyond_ascii(unsigned code);
unsigned lower_beyond_ascii(unsigned code);

// A letter, or a mark that goes with one.
static inline bool is_letter(unsigned code) {
    if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return is_letter_beyond_ascii(code);
}

static inline unsigned lower(unsigned code) {
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
    return lower_beyond_ascii(code);
}
