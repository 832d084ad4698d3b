/* hello.c - the smallest program: it must not pay for what it does not use. */
#include "toft.h"
#include <stdio.h>

static int t_main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    puts("hello");
    return 0;
}

#ifndef SIGNALS
#define SIGNALS toft_signals_init
#endif
TOFT_PROGRAM(t_main, 0, 0, 0, SIGNALS)
