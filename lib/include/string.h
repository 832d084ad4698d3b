// <string.h> over bounded strings.
//
// A string is `const char ?`: it ends at its first zero byte or at its bounds, whichever comes
// first, so no function here can run past an object. Every `char *`, array and literal converts.
// Destinations are `char ?`; what does not fit throws Array_bounds, before anything is written.
// Results point into the argument (`'r` is its region)
// and are const when it is. Cost: linear in the bytes looked at.
#pragma once
#pragma toft source("sys/string.toft")
#include <stddef.h>

// Bytes: `void ?` views any memory that holds no pointers. Bounds are checked in bytes.
void ?'r memcpy(void ?'r dest, const void ?src, size_t n);
void ?'r memmove(void ?'r dest, const void ?src, size_t n);
void ?'r memset(void ?'r dest, int byte, size_t n);
int memcmp(const void ?a, const void ?b, size_t n);
// The position of the first `byte`, or n when there is none.
size_t memfind(const void ?s, int byte, size_t n);

size_t strlen(const char ?s);
size_t strnlen(const char ?s, size_t max);
char ?'r strcpy(char ?'r dest, const char ?src);
char ?'r strncpy(char ?'r dest, const char ?src, size_t n);
char ?'r strcat(char ?'r dest, const char ?src);
char ?'r strncat(char ?'r dest, const char ?src, size_t n);
int strcmp(const char ?a, const char ?b);
int strncmp(const char ?a, const char ?b, size_t n);
int strcasecmp(const char ?a, const char ?b);
int strncasecmp(const char ?a, const char ?b, size_t n);
const char ?'r strchr(const char ?'r s, int c) __attribute__((toft_same_const));
const char ?'r strrchr(const char ?'r s, int c) __attribute__((toft_same_const));
const char ?'r strstr(const char ?'r s, const char ?part) __attribute__((toft_same_const));
size_t strspn(const char ?s, const char ?accept);
size_t strcspn(const char ?s, const char ?reject);
const char ?'r strpbrk(const char ?'r s, const char ?accept) __attribute__((toft_same_const));
// A fresh zero-terminated copy in the heap.
char *@notnull strdup(const char ?s);
char *@notnull strndup(const char ?s, size_t n);
// The text of an error number.
char *@notnull strerror(int number);
