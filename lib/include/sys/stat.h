// <sys/stat.h>: what a path or descriptor is.
#pragma once
#pragma toft source("sys/unistd.toft")
#include <unistd.h>

typedef unsigned int mode_t;

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFLNK 0120000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define S_ISREG(m) (((m) & S_IFMT) == S_IFREG)
#define S_ISDIR(m) (((m) & S_IFMT) == S_IFDIR)
#define S_ISLNK(m) (((m) & S_IFMT) == S_IFLNK)
#define S_ISFIFO(m) (((m) & S_IFMT) == S_IFIFO)
#define S_ISSOCK(m) (((m) & S_IFMT) == S_IFSOCK)

struct stat {
    unsigned long st_dev;
    unsigned long st_ino;
    mode_t st_mode;
    unsigned long st_nlink;
    unsigned int st_uid;
    unsigned int st_gid;
    off_t st_size;
    long st_blocks;
    long st_atime;
    long st_mtime;
    long st_ctime;
};

int stat(const char ?path, struct stat @out);
int lstat(const char ?path, struct stat @out);
int fstat(int fd, struct stat @out);
int mkdir(const char ?path, mode_t mode);
int chmod(const char ?path, mode_t mode);
