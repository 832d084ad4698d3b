// <stdlib.h>. malloc, calloc, realloc and free are known to the compiler (see the prelude).
#pragma once
#pragma toft source("sys/stdlib.toft")
#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;

[[noreturn]] void exit(int status);
[[noreturn]] void _Exit(int status);
[[noreturn]] void abort(void);
// Functions run at exit, last registered first. At most 32; then a value other than 0.
int atexit(void (@run)(void));

int abs(int n);
long labs(long n);
long long llabs(long long n);
div_t div(int a, int b);
ldiv_t ldiv(long a, long b);

// Numbers from text. What does not fit is clamped, and errno set to ERANGE. `end` (may be
// NULL) is told where the number ends.
int atoi(const char ?s);
long atol(const char ?s);
long long atoll(const char ?s);
double atof(const char ?s);
long strtol(const char ?'r s, const char ?'r *end, int base);
unsigned long strtoul(const char ?'r s, const char ?'r *end, int base);
long long strtoll(const char ?'r s, const char ?'r *end, int base);
unsigned long long strtoull(const char ?'r s, const char ?'r *end, int base);
double strtod(const char ?'r s, const char ?'r *end);

// A repeatable sequence; the same everywhere.
void srand(unsigned int seed);
int rand(void);

// A fresh copy of the value, or NULL.
char *getenv(const char ?name);
int setenv(const char ?name, const char ?value, int overwrite);
int system(const char ?command);

// Sorts n elements of `base` in place. `size` must be sizeof an element. Introsort: at most
// O(n log n) comparisons, not stable, no allocation.
void qsort<'a>('a ?base, size_t n, size_t size, int (@compare)(const 'a @, const 'a @));
// The index of an element that compares equal, or n. Binary search in sorted elements.
size_t bsearch_index<'a>(const 'a @key, const 'a ?base, size_t n,
                         int (@compare)(const 'a @, const 'a @));
