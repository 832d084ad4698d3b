// Queues: a ring that grows at both ends, a heap by priority, and a queue that owns.
//
// ```toft
// // runs: 1 2 3
// #include <stdio.h>
// #include <toft/queue.h>
//
// int main(void) {
//     region<'r> h;
//     struct Queue::queue<int, 'r> q = Queue::make(h);
//     Queue::put(&q, 2);
//     Queue::put(&q, 3);
//     Queue::put_front(&q, 1);
//     while (Queue::length(&q) > 1) printf("%d ", Queue::take(&q));
//     printf("%d\n", Queue::take(&q));
//     return 0;
// }
// ```
//
// By priority:
//
// ```toft
// // runs: 2 5 7 9
// #include <stdio.h>
// #include <toft/queue.h>
// #include <toft/sort.h>
//
// int main(void) {
//     struct Queue::priority<int, 'H> q = Queue::by(heap_region, Sort::less_int);
//     int some[] = {7, 2, 9, 5};
//     for (int i = 0; i < 4; i++) Queue::add(&q, some[i]);
//     for (int i = 0; i < 4; i++) printf(i < 3 ? "%d " : "%d\n", Queue::take_least(&q));
//     return 0;
// }
// ```
//
// Tracked elements are moved through a queue that owns them:
//
// ```toft
// // runs: 1 2
// #include <stdio.h>
// #include <toft/queue.h>
//
// static void drop(int *\U p) consume(1) { free(p); }
//
// int main(void) {
//     struct Queue::own<int *\U> *@notnull \U q = Queue::make_own();
//     for (int i = 1; i <= 3; i++) Queue::own_put(q, qnew(unique_qual) i);
//     int *\U a = Queue::own_take(q);
//     int *\U b = Queue::own_take(q);
//     printf("%d %d\n", *a, *b);
//     free(a);
//     free(b);
//     Queue::drop(q, drop);
//     return 0;
// }
// ```
//
// Taking from an empty queue throws `Array_bounds`.
#pragma once
#pragma toft source("std/queue.toft")
#include <stddef.h>
#include <stdbool.h>
#include <toft/list.h>
#include <toft/vec.h>

namespace Queue {
    struct queue<'a, 'r::R> {
        'a ?'r ring;        // a power of two of places
        size_t head;        // the place of the first element
        size_t length;
        region_t<'r> h;
    };

    // An empty queue; nothing is allocated. O(1).
    struct queue<'a, 'r> make(region_t<'r> h);
    size_t length(const struct queue<'a> @q);
    bool is_empty(const struct queue<'a> @q);
    // At the end, at the front. O(1) on average, O(n) when it grows.
    void put(struct queue<'a, 'r> @q, 'a x);
    void put_front(struct queue<'a, 'r> @q, 'a x);
    // The first, the last one, taken out or looked at. O(1).
    'a take(struct queue<'a> @q);
    'a take_back(struct queue<'a> @q);
    'a front(const struct queue<'a> @q);
    'a back(const struct queue<'a> @q);
    // The element at i, counted from the front. O(1).
    'a get(const struct queue<'a> @q, size_t i);
    void clear(struct queue<'a> @q);

    // A binary heap: the least element comes first.
    struct priority<'a, 'r::R> {
        struct Vec::vec<'a, 'r> heap;
        bool (@less)('a, 'a);
    };

    struct priority<'a, 'r> by(region_t<'r> h, bool (@less)('a, 'a));
    size_t waiting(const struct priority<'a> @q);
    void add(struct priority<'a, 'r> @q, 'a x);      // O(log n)
    'a least(const struct priority<'a> @q);          // O(1)
    'a take_least(struct priority<'a> @q);           // O(log n)

    // First in, first out, for elements of every type; cells in the heap, freed when taken.
    struct own<'a\T> {
        List::owned<'a, 'H> out;     // the next ones
        List::owned<'a, 'H> in;      // later ones, the last first
    };

    struct own<'a\T> *@notnull \U make_own(void);
    void own_put(struct own<'a\T> *@notnull \U q, 'a\T x) consume(2);      // O(1)
    'a\T own_take(struct own<'a\T> *@notnull \U q);                        // O(1) on average
    bool own_is_empty(struct own<'a\T> *@notnull \U q);
    // Gives the queue up; f takes over what is still in it. O(n).
    void drop(struct own<'a\T> *@notnull \U q, void (@f)('a\T x) consume(1)) consume(1);
}
