// Sets of anything that can be hashed, in any region; walked in the order of insertion.
//
// ```toft
// // runs: 3 1 2, 1 in both
// #include <stdio.h>
// #include <toft/set.h>
//
// int main(void) {
//     region<'r> h;
//     struct Set::set<long, 'r> a = Set::longs(h), b = Set::longs(h);
//     long some[] = {3, 1, 3, 2};
//     for (int i = 0; i < 4; i++) Set::add(&a, some[i]);
//     Set::add(&b, 2L);
//     for (size_t i = Set::first(&a); Set::has(&a, i); i = Set::next(&a, i))
//         printf(i < 2 ? "%ld " : "%ld, ", Set::at(&a, i));
//     Set::intersect(&a, &b);
//     printf("%zu in both\n", Set::count(&a));
//     return 0;
// }
// ```
//
// A set is a hash table with nothing as values: see <toft/hash.h> for its memory. For small
// numbers <toft/bits.h> is smaller and faster; for ordered walks there is <toft/map.h>.
#pragma once
#pragma toft source("std/set.toft")
#include <toft/hash.h>

namespace Set {
    struct set<'k, 'r::R> {
        struct Hash::table<'k, bool, 'r> keys;
    };

    struct set<'k, 'r> make(region_t<'r> h, unsigned long (@hash)('k), bool (@same)('k, 'k));
    struct set<long, 'r> longs(region_t<'r> h);
    struct set<const char ?'s, 'r> texts(region_t<'r> h);
    // All O(1) on average. `add` says whether the key is new, `remove` whether it was there.
    bool add(struct set<'k, 'r> @s, 'k key);
    bool contains(const struct set<'k> @s, 'k key);
    bool remove(struct set<'k> @s, 'k key);
    size_t count(const struct set<'k> @s);
    void clear(struct set<'k> @s);
    // A walk, as for hash tables.
    size_t first(const struct set<'k> @s);
    bool has(const struct set<'k> @s, size_t at);
    size_t next(const struct set<'k> @s, size_t at);
    'k at(const struct set<'k> @s, size_t at);
    // Changes a by b: union, intersection, difference. O(count of a, or of b for the union).
    void unite(struct set<'k, 'r> @a, const struct set<'k> @b);
    void intersect(struct set<'k> @a, const struct set<'k> @b);
    void subtract(struct set<'k> @a, const struct set<'k> @b);
    bool is_subset(const struct set<'k> @a, const struct set<'k> @b);
    bool equal(const struct set<'k> @a, const struct set<'k> @b);
}
