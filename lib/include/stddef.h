// <stddef.h>: C11 7.19.
#pragma once

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
typedef struct { long long __toft_a; long double __toft_b; } max_align_t;

#define NULL nullptr
#define offsetof(type, member) __builtin_offsetof(type, member)
