// Sorting and searching arrays.
//
// An array is any `'a ?`: a C array, an allocated one, `Vec::items(&v)`, or the first n elements
// of something by `Vec::first`. The order is a function `less(a, b)`, which says whether a comes
// before b; ready ones are at the end.
//
// ```toft
// // runs: 1 3 4 5, 4 is at 2
// #include <stdio.h>
// #include <toft/sort.h>
//
// int main(void) {
//     int v[] = {4, 1, 5, 3};
//     Sort::sort(v, Sort::less_int);
//     printf("%d %d %d %d, 4 is at %zu\n", v[0], v[1], v[2], v[3],
//            Sort::lower_bound(v, 4, Sort::less_int));
//     return 0;
// }
// ```
//
// Whatever `less` answers, sorting ends and keeps all elements; if it is no order, neither is
// the result.
#pragma once
#pragma toft source("std/sort.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Sort {
    // Puts the elements into order, in place; equal ones in any order. O(n log n) calls at worst
    // (quicksort that turns into heapsort), no memory.
    void sort('a ?items, bool (@less)('a, 'a));
    // The same with an environment that `less` gets first.
    void sort_with('a ?items, bool (@less)('b, 'a, 'a), 'b env);
    // Equal elements stay in order (merge sort). O(n log n) calls, memory for n elements in an
    // arena that is gone afterwards.
    void stable('a ?items, bool (@less)('a, 'a));

    bool is_sorted('a ?items, bool (@less)('a, 'a));        // O(n)
    // In a sorted array: the place of the first element that is not less than x; of the first
    // that x is less than; numelts(items) if there is none. O(log n).
    size_t lower_bound('a ?items, 'a x, bool (@less)('a, 'a));
    size_t upper_bound('a ?items, 'a x, bool (@less)('a, 'a));
    // Whether x is in a sorted array. O(log n).
    bool contains('a ?items, 'a x, bool (@less)('a, 'a));

    bool less_int(int a, int b);
    bool less_long(long a, long b);
    bool less_unsigned(unsigned long a, unsigned long b);
    bool less_double(double a, double b);
    bool less_text(const char ?a, const char ?b);
    bool less_string(const char *a, const char *b);
}
