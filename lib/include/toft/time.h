// Time: clocks, dates, their text. All times are numbers of nanoseconds or seconds.
//
// ```toft
// // runs: 2024-02-29T12:30:00Z is a day 4, 1709209800
// #include <stdio.h>
// #include <toft/time.h>
//
// int main(void) {
//     long at = 0;
//     if (!Time::parse("2024-02-29T12:30:00Z", &at)) return 1;
//     struct Time::date d = Time::date_of(at);
//     region<'r> h;
//     printf("%s is a day %d, %ld\n", Time::text(h, at), d.weekday, Time::seconds_of(d));
//     return 0;
// }
// ```
//
// How long something takes:
//
// ```toft
// // runs: slept
// #include <stdio.h>
// #include <toft/time.h>
//
// int main(void) {
//     long start = Time::now();
//     Time::sleep(2 * Time::MILLISECOND);
//     if (Time::now() - start >= 2 * Time::MILLISECOND) printf("slept\n");
//     return 0;
// }
// ```
#pragma once
#pragma toft source("std/time.toft")
#include <stdbool.h>
#include <toft/str.h>

namespace Time {
    // In nanoseconds.
    enum { MICROSECOND = 1000, MILLISECOND = 1000000, SECOND = 1000000000 };

    // Nanoseconds of a clock that only goes forward; since 1970; of work done by this program.
    long now(void);
    long wall(void);
    long used(void);
    // Waits at least so many nanoseconds.
    void sleep(long nanoseconds);

    // A moment in UTC.
    struct date {
        int year, month, day;           // month and day from 1
        int hour, minute, second;
        int weekday;                    // from 0, Sunday
    };

    // From seconds since 1970 and back; the fields may be out of range: the 0th of March is the
    // last of February. O(1).
    struct date date_of(long seconds);
    long seconds_of(struct date d);
    bool is_leap(long year);
    int days_of_month(long year, int month);
    // "2024-02-29T12:30:00Z"; years from 0 to 9999. O(1).
    char ?'r text(region_t<'r> h, long seconds);
    // The same read; also without the time, with a blank for the T, with an offset like +02:00.
    bool parse(const char ?text, long @seconds);
    // A span as people say it: "1.5 ms", "2 h 5 min". O(1).
    char ?'r span(region_t<'r> h, long nanoseconds);
}
