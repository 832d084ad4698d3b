// Vectors: arrays that grow, in any region.
//
// A `struct Vec::vec<'a,'r>` is three words by value: its elements lie in region `'r`, where its
// handle allocates. When the room is used up the elements move to an array of twice the size;
// the old one stays until its region ends (an arena), or the collector finds it (the heap). A
// copy of the struct is a second vector over the same elements, until one of both grows.
//
// ```toft
// // runs: 10 elements, 81 last, 285 in all
// #include <stdio.h>
// #include <toft/vec.h>
//
// int main(void) {
//     struct Vec::vec<int, 'H> squares = Vec::make(heap_region);
//     for (int i = 0; i < 10; i++) Vec::push(&squares, i * i);
//     int all = 0;
//     for (size_t i = 0; i < squares.length; i++) all += Vec::get(&squares, i);
//     printf("%zu elements, %d last, %d in all\n", squares.length, Vec::last(&squares), all);
//     return 0;
// }
// ```
//
// In an arena, and changed in place through `Vec::at`:
//
// ```toft
// // runs: 3.5 4
// #include <stdio.h>
// #include <toft/vec.h>
//
// struct point { double x, y; };
//
// int main(void) {
//     region<'r> h;
//     struct Vec::vec<struct point, 'r> path = Vec::make(h);
//     Vec::push(&path, (struct point){1, 2});
//     Vec::push(&path, (struct point){3, 4});
//     Vec::at(&path, 1)->x += 0.5;
//     printf("%g %g\n", Vec::get(&path, 1).x, Vec::get(&path, 1).y);
//     return 0;
// }
// ```
//
// An index that is too large throws `Array_bounds`; so do `pop` and `last` of an empty vector.
#pragma once
#pragma toft source("std/vec.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Vec {
    struct vec<'a, 'r::R> {
        'a ?'r items;      // room for numelts(items)
        size_t length;     // elements in use
        region_t<'r> h;
    };

    // An empty vector; nothing is allocated. O(1).
    struct vec<'a, 'r> make(region_t<'r> h);
    // The same with room for n elements; `filler` is any value. O(n).
    struct vec<'a, 'r> with_room(region_t<'r> h, size_t n, 'a filler);
    // Copies of all elements of an array. O(n).
    struct vec<'a, 'r> from(region_t<'r> h, 'a ?items);
    // A vector of its own with the same elements. O(n).
    struct vec<'a, 'r> copy(region_t<'r> h, const struct vec<'a> @v);

    // Adds x at the end. O(1) on average, O(n) when it grows.
    void push(struct vec<'a, 'r> @v, 'a x);
    // Takes the last element off. O(1).
    'a pop(struct vec<'a> @v);
    // The element at i, its replacement, the last one. O(1).
    'a get(const struct vec<'a> @v, size_t i);
    void set(struct vec<'a> @v, size_t i, 'a x);
    'a last(const struct vec<'a> @v);
    // A pointer to the element at i. After the vector has grown it points to where the element
    // was: memory that is still there, but is no longer the vector's. O(1).
    'a *@notnull 'r at(const struct vec<'a, 'r> @v, size_t i);
    bool is_empty(const struct vec<'a> @v);
    // The elements as an array of length elements: for loops, sorting, I/O. O(1).
    'a ?'r items(const struct vec<'a, 'r> @v);
    // The first n elements of any array; n is at most numelts(p). O(1).
    'a ?'r first('a ?'r p, size_t n);

    // Puts x before the element at i (i = length: at the end). O(n - i).
    void insert(struct vec<'a, 'r> @v, size_t i, 'a x);
    // Takes the element at i out; later ones move up. O(n - i).
    'a remove(struct vec<'a> @v, size_t i);
    // Takes the element at i out; the last one takes its place. O(1).
    'a swap_remove(struct vec<'a> @v, size_t i);
    // Leaves the first n elements. O(1).
    void truncate(struct vec<'a> @v, size_t n);
    void clear(struct vec<'a> @v);
    // Adds copies of all elements of another vector. O(length of the other).
    void append(struct vec<'a, 'r> @v, const struct vec<'a> @other);
    // The elements in opposite order. O(n).
    void reverse(struct vec<'a> @v);

    // Calls f(env, x) for each element x, first to last.
    void each(const struct vec<'a> @v, void (@f)('b, 'a), 'b env);
    // What f makes of each element. O(n) calls.
    struct vec<'b, 's> map(region_t<'s> h, const struct vec<'a> @v, 'b (@f)('c, 'a), 'c env);
    // The elements for which f(env, x) holds. O(n) calls.
    struct vec<'a, 's> filter(region_t<'s> h, const struct vec<'a> @v, bool (@f)('b, 'a), 'b env);
    // The place of the first element for which f(env, x) holds, or v->length. O(n) calls.
    size_t find(const struct vec<'a> @v, bool (@f)('b, 'a), 'b env);
}
