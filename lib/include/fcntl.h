// <fcntl.h>: opening files by descriptor.
#pragma once
#pragma toft source("sys/unistd.toft")

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_CLOEXEC 02000000
#define O_DIRECTORY 0200000

// `mode` matters with O_CREAT; 0666 is usual (the umask applies). C makes it optional.
int open(const char ?path, int flags, unsigned int mode);
int creat(const char ?path, unsigned int mode);
