// Bit sets: sets of numbers below a limit, one bit each.
//
// ```toft
// // runs: 2 3 5 7 11 13 17 19, 8 primes
// #include <stdio.h>
// #include <toft/bits.h>
//
// int main(void) {
//     region<'r> h;
//     struct Bits::set<'r> primes = Bits::make(h, 20);
//     Bits::fill(&primes);
//     Bits::remove(&primes, 0);
//     Bits::remove(&primes, 1);
//     for (size_t p = 2; p < 20; p++)
//         for (size_t n = p * p; n < 20; n += p) Bits::remove(&primes, n);
//     for (size_t p = Bits::first(&primes); p < 20; p = Bits::next(&primes, p))
//         printf(p < 19 ? "%zu " : "%zu, ", p);
//     printf("%zu primes\n", Bits::count(&primes));
//     return 0;
// }
// ```
//
// A number that is not below the limit throws `Array_bounds`.
#pragma once
#pragma toft source("std/bits.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Bits {
    struct set<'r::R> {
        unsigned long ?'r words;
        size_t limit;
    };

    // The empty set of numbers below n. O(n / 64).
    struct set<'r> make(region_t<'r> h, size_t n);
    struct set<'r> copy(region_t<'r> h, const struct set @s);
    // One number: O(1).
    bool has(const struct set @s, size_t i);
    void add(struct set @s, size_t i);
    void remove(struct set @s, size_t i);
    void flip(struct set @s, size_t i);
    // The whole set: O(limit / 64).
    void clear(struct set @s);
    void fill(struct set @s);
    size_t count(const struct set @s);
    bool is_empty(const struct set @s);
    bool equal(const struct set @a, const struct set @b);
    bool is_subset(const struct set @a, const struct set @b);
    // Changes a by b, which has the same limit: union, intersection, difference, one of both.
    void unite(struct set @a, const struct set @b);
    void intersect(struct set @a, const struct set @b);
    void subtract(struct set @a, const struct set @b);
    void differ(struct set @a, const struct set @b);
    // The least number in the set, the next after i; the limit if there is none.
    // O(1) for each word that is looked at.
    size_t first(const struct set @s);
    size_t next(const struct set @s, size_t i);

    // Of one word: how many bits are set; the place of the lowest (64 if none), of the highest
    // (64 if none).
    int ones(unsigned long word);
    int lowest(unsigned long word);
    int highest(unsigned long word);
}
