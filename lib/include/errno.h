// <errno.h>: errno is a function call behind a macro, read and set through Toft's runtime glue.
#pragma once
#pragma toft source("sys/errno.toft")
#include <linux/errno.h>

// Numbers beyond those of <linux/errno.h>.
#ifndef ENOTSUP
#define ENOTSUP EOPNOTSUPP
#endif

extern "C" int toft_errno(void);
extern "C" void toft_set_errno(int value);
// Readable as in C; to set it, call toft_set_errno.
#define errno (toft_errno())
