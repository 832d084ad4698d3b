// <time.h>: the calendar and the clocks that need no pointers into C. Structures are Toft's own;
// the conversions are computed here (UTC) or by the host through numbers (local time).
#pragma once
#pragma toft source("sys/time.toft")
#include <stddef.h>

typedef long time_t;
typedef long clock_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
};

#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define TIME_UTC 1

extern "C" clock_t clock(void);
time_t time(time_t *out);
int clock_gettime(int clock, struct timespec @out);
int nanosleep(const struct timespec @request, struct timespec *rest);
static inline double difftime(time_t a, time_t b) { return (double)(a - b); }
// A fresh object each time, unlike C's shared one.
struct tm @gmtime(const time_t @t);
struct tm @localtime(const time_t @t);
// UTC; fields out of range are normalised.
time_t timegm(struct tm @tm);
size_t strftime(char ?buffer, size_t max, const char *format, const struct tm @tm);
