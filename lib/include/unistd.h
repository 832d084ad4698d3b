// <unistd.h>: descriptors, files, the process. Buffers are byte views; counts beyond
// their bounds throw Array_bounds.
#pragma once
#pragma toft source("sys/unistd.toft")
#include <stddef.h>

typedef long ssize_t;
typedef long off_t;
typedef int pid_t;

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

ssize_t read(int fd, void ?buffer, size_t count);
ssize_t write(int fd, const void ?buffer, size_t count);
extern "C" {
    int close(int fd);
    off_t lseek(int fd, off_t offset, int whence);
    int dup(int fd);
    int dup2(int from, int to);
    int pipe(int *@notnull{2} ends);
    int fsync(int fd);
    int ftruncate(int fd, off_t length);
    int isatty(int fd);
    pid_t getpid(void);
    pid_t getppid(void);
    unsigned int getuid(void);
    unsigned int sleep(unsigned int seconds);
    int usleep(unsigned int microseconds);
    [[noreturn]] void _exit(int status);
}
int unlink(const char ?path);
int rmdir(const char ?path);
int chdir(const char ?path);
int access(const char ?path, int mode);
// The current folder in a fresh string, or NULL.
char *getcwd_new(void);
