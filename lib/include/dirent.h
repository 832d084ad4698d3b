// <dirent.h>: what is in a folder. A DIR is safe after closedir: every use then fails with
// EBADF. Each entry is a fresh object; C's may be overwritten by the next call.
#pragma once
#pragma toft source("sys/dirent.toft")
#include <stddef.h>

#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12

typedef struct toft_DIR DIR;

struct dirent {
    unsigned long d_ino;
    unsigned char d_type;
    char d_name[256];
};

DIR *opendir(const char ?path);
// The next entry, or NULL at the end.
struct dirent *readdir(DIR @dir);
int closedir(DIR @dir);
