/* Primitives of Toft's C library that are worth inlining. Every caller has checked what
 * it hands over: pointers are to at least as many bytes as are asked for. */
#ifndef TOFT_LIB_H
#define TOFT_LIB_H

#include "toft.h"

static inline void toft_memmove(void *dest, const void *src, unsigned long n) {
    __builtin_memmove(dest, src, n);
}

static inline void toft_memset(void *dest, int byte, unsigned long n) {
    __builtin_memset(dest, byte, n);
}

static inline int toft_memcmp(const void *a, const void *b, unsigned long n) {
    return __builtin_memcmp(a, b, n);
}

/* Where `byte` first is, or n. */
static inline unsigned long toft_memfind(const void *s, int byte, unsigned long n) {
    const char *at = (const char *)__builtin_memchr(s, byte, n);
    return at ? (unsigned long)(at - (const char *)s) : n;
}

/* The current address of a fat pointer to bytes. */
static inline const char *toft_fat_bytes(toft_fat p) {
    return p.base ? (const char *)p.base + p.off : (const char *)0;
}

/* Bytes from the current position on. */
static inline unsigned long toft_fat_left(toft_fat p) {
    return p.off < p.len ? p.len - p.off : 0;
}

/* The precision with which `%.*s` prints a bounded string: what is inside the bounds, but at
 * most what the format asked for (negative: no limit). */
static inline int toft_str_precision(toft_fat s, int asked) {
    unsigned long left = toft_fat_left(s);
    if (left > 0x7fffffff) left = 0x7fffffff;
    return asked >= 0 && (unsigned long)asked < left ? asked : (int)left;
}

/* The first n bytes as a zero-terminated string in the collected heap; n was checked
 * against the bounds. Throws Bad_alloc. */
static inline char *toft_strndup(toft_fat s, unsigned long n) {
    char *copy = (char *)toft_new_raw(n + 1, 1);
#ifdef TOFT_PROFILE
    toft_prof_alloc(copy, n, 0, 0, 0);
#endif
    if (n) __builtin_memcpy(copy, toft_fat_bytes(s), n);
    return copy;
}

/* The host's text for an error number; static, or valid until the next call. */
static inline const char *toft_strerror(int number) {
    extern char *strerror(int);
    return strerror(number);
}

#endif
