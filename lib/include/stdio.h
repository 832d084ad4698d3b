// <stdio.h>. A FILE is opaque, aliasable and safe after fclose: every use then fails with
// EBADF. Formats are checked at compile time against the arguments; `%s` takes any
// string. Buffers are `char ?`; a call never writes past them.
#pragma once
#pragma toft source("sys/stdio.toft")
#include <stddef.h>
#include <stdarg.h>

#define EOF (-1)
#define BUFSIZ 8192
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define FILENAME_MAX 4096

typedef struct toft_FILE FILE;

extern FILE @const stdin;
extern FILE @const stdout;
extern FILE @const stderr;

FILE *fopen(const char ?path, const char ?mode);
FILE *fdopen(int fd, const char ?mode);
int fclose(FILE @file);
int fflush(FILE *file);
int feof(FILE @file);
int ferror(FILE @file);
void clearerr(FILE @file);
int fileno(FILE @file);
int fseek(FILE @file, long offset, int whence);
long ftell(FILE @file);
void rewind(FILE @file);

int fgetc(FILE @file);
int fputc(int c, FILE @file);
int ungetc(int c, FILE @file);
#define getc(file) fgetc(file)
#define putc(c, file) fputc(c, file)
extern "C" int getchar(void);
extern "C" int putchar(int c);

// At most size - 1 characters, up to and with the newline, then a zero. NULL at the end.
char ?'r fgets(char ?'r buffer, int size, FILE @file);
int fputs(const char ?s, FILE @file);
int puts(const char ?s);
// Whole elements read or written; buffers are viewed as bytes.
size_t fread(void ?buffer, size_t size, size_t count, FILE @file);
size_t fwrite(const void ?buffer, size_t size, size_t count, FILE @file);

extern "C" int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern "C" int fprintf(FILE @file, const char *format, ...)
    __attribute__((format(printf, 2, 3))) __asm__("toft_fprintf");
// At most `size` bytes, terminated; size beyond the buffer's bounds throws Array_bounds.
extern "C" int snprintf(char ?buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4))) __asm__("toft_snprintf");
// What does not fit throws Array_bounds.
extern "C" int sprintf(char ?buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3))) __asm__("toft_sprintf");
extern "C" int scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
extern "C" int fscanf(FILE @file, const char *format, ...)
    __attribute__((format(scanf, 2, 3))) __asm__("toft_fscanf");
extern "C" int sscanf(const char ?text, const char *format, ...)
    __attribute__((format(scanf, 2, 3))) __asm__("toft_sscanf");

int remove(const char ?path);
int rename(const char ?from, const char ?to);
void perror(const char ?prefix);
FILE *tmpfile(void);
int setvbuf(FILE @file, void *unused, int mode, size_t size);
