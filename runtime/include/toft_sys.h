/* Helpers for raw C blocks of the library that call the host. */
#ifndef TOFT_SYS_H
#define TOFT_SYS_H

#include <errno.h>
#include <string.h>
#include "toft_lib.h"

/* A terminated copy of a name for the host; null (and errno) when it does not fit or is
 * null itself. */
static inline char *toft_path(toft_fat s, char *buffer, unsigned long size) {
    const char *from = toft_fat_bytes(s);
    unsigned long left = toft_fat_left(s);
    unsigned long n = left ? toft_memfind(from, 0, left) : 0;
    if (!from) { errno = EFAULT; return 0; }
    if (n >= size) { errno = ENAMETOOLONG; return 0; }
    memcpy(buffer, from, n);
    buffer[n] = 0;
    return buffer;
}

#endif
