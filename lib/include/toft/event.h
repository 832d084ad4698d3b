// Event loops: callbacks for file descriptors that are ready and for times that have come.
//
// A callback is a function with an environment of its own type, a word (mostly a pointer); the
// loop does not know the type. The environment lives at least as long as the loop's region `'r`.
//
// ```toft
// // runs: ping 1, ping 2, ping 3, done
// #include <stdio.h>
// #include <toft/event.h>
//
// struct pinger<'r> { struct Event::loop<'r> @'r loop; long timer; int count; };
//
// static void ping(struct pinger @p, int unused) {
//     (void)unused;
//     printf("ping %d, ", ++p->count);
//     if (p->count == 3) Event::off(p->loop, p->timer);
// }
//
// int main(void) {
//     struct Event::loop<'H> @'H loop = new Event::make(heap_region);
//     struct pinger<'H> @'H p = new (struct pinger<'H>){loop, 0, 0};
//     p->timer = Event::every(loop, 1, ping, p);
//     Event::run(loop);
//     printf("done\n");
//     return 0;
// }
// ```
//
// A loop ends when nothing is left to wait for. Callbacks may add and take away watches and
// timers, their own ones, too. A callback that throws leaves `run` with its exception; the loop
// can be run again. Nothing is allocated for a round once the loop has reached its size.
#pragma once
#pragma toft source("std/event.toft")
#include <poll.h>
#include <toft/hash.h>
#include <toft/map.h>
#include <toft/vec.h>

namespace Event {
    // What a descriptor is watched for, and what the callback is told. What failed or was closed
    // counts as ready.
    enum { READ = POLLIN, WRITE = POLLOUT, CLOSED = POLLHUP, FAILED = POLLERR };

    struct callback<'r::R> { <'e::B> void (@run)('e, int); 'e env; };

    struct watch<'r::R> {
        int fd;
        int events;
        struct callback<'r> callback;
    };

    struct moment {
        long time;
        long id;
    };

    struct timer<'r::R> {
        long every;                     // 0: once
        struct callback<'r> callback;
    };

    struct loop<'r::R> {
        region_t<'r> h;
        struct Hash::table<long, struct watch<'r>, 'r> watches;
        struct Map::map<struct moment, struct timer<'r>, 'r> timers;
        struct Hash::table<long, long, 'r> times;       // when the timer of an id comes
        struct Vec::vec<struct pollfd, 'r> polled;
        struct Vec::vec<long, 'r> ids;
        long last;
        bool stopped;
    };

    struct loop<'r> make(region_t<'r> h);
    // Calls f(env, what is ready) whenever fd is ready for one of `events`. The result names the
    // watch. O(1) on average.
    long on(struct loop<'r> @l, int fd, int events, void (@f)('e, int), 'e::B env : 'e > 'r);
    // Calls f(env, 0) in so many milliseconds, once; again and again. O(log timers).
    long after(struct loop<'r> @l, long milliseconds, void (@f)('e, int), 'e::B env : 'e > 'r);
    long every(struct loop<'r> @l, long milliseconds, void (@f)('e, int), 'e::B env : 'e > 'r);
    // Takes a watch or a timer away; false if it has gone already. O(log timers).
    bool off(struct loop<'r> @l, long id);
    // How many watches and timers there are.
    size_t waiting(const struct loop<'r> @l);
    // Waits once and calls what is ready. Waits at most so many milliseconds (-1: for ever).
    // O(watches + log timers for each that is due).
    void step(struct loop<'r> @l, long milliseconds);
    // Steps until nothing is left or `stop` was called.
    void run(struct loop<'r> @l);
    void stop(struct loop<'r> @l);
}
