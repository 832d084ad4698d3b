// Hash tables: from keys to values, in any region; walked in the order of insertion.
//
// The entries lie in an array in the order they came, beside a table of places that is searched
// by open addressing. Which keys are the same, and what their hashes are, is said by two
// functions when a table is made; numbers and strings have ready ones.
//
// ```toft
// // runs: the 2\nquick 1\nfox 1
// #include <stdio.h>
// #include <toft/hash.h>
// #include <toft/str.h>
//
// int main(void) {
//     region<'r> h;
//     struct Hash::table<const char ?'r, int, 'r> counts = Hash::texts(h);
//     struct Vec::vec<const char ?'H, 'r> words = Str::words(h, "the quick the fox");
//     for (size_t i = 0; i < words.length; i++) {
//         const char ?word = Vec::get(&words, i);
//         Hash::put(&counts, word, Hash::get_or(&counts, word, 0) + 1);
//     }
//     for (size_t i = Hash::first(&counts); Hash::has(&counts, i); i = Hash::next(&counts, i))
//         printf("%s %d\n", Hash::key_at(&counts, i), Hash::value_at(&counts, i));
//     return 0;
// }
// ```
//
// With keys of one's own:
//
// ```toft
// // runs: 5
// #include <stdio.h>
// #include <toft/hash.h>
//
// struct square { short x, y; };
// static unsigned long hash(struct square s) { return Hash::mix((unsigned long)s.x << 16 | s.y); }
// static bool same(struct square a, struct square b) { return a.x == b.x && a.y == b.y; }
//
// int main(void) {
//     struct Hash::table<struct square, int, 'H> board = Hash::make(heap_region, hash, same);
//     Hash::put(&board, (struct square){1, 2}, 5);
//     printf("%d\n", Hash::get(&board, (struct square){1, 2}));
//     return 0;
// }
// ```
//
// Costs are on average, for hashes that differ in their low bits. Memory: an entry and at most
// two numbers of four bytes for each key.
#pragma once
#pragma toft source("std/hash.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Hash {
    struct entry<'k, 'v> {
        unsigned long hash;
        bool live;
        'k key;
        'v value;
    };

    struct table<'k, 'v, 'r::R> {
        unsigned ?'r slots;                       // 0: free; else an entry's place and one
        struct entry<'k, 'v> ?'r entries;
        size_t used;                              // entries that were ever filled since the last growth
        size_t count;                             // keys
        unsigned long (@hash)('k);
        bool (@same)('k, 'k);
        region_t<'r> h;
    };

    // An empty table; nothing is allocated. O(1).
    struct table<'k, 'v, 'r> make(region_t<'r> h, unsigned long (@hash)('k), bool (@same)('k, 'k));
    // Keyed by numbers, by strings (which must stay as they are).
    struct table<long, 'v, 'r> longs(region_t<'r> h);
    struct table<const char ?'s, 'v, 'r> texts(region_t<'r> h);

    // Sets the value of a key. True if the key is new. O(1).
    bool put(struct table<'k, 'v, 'r> @t, 'k key, 'v value);
    bool contains(const struct table<'k, 'v> @t, 'k key);
    // The value of a key: if there is none, Match_Exception, or `otherwise`. O(1).
    'v get(const struct table<'k, 'v> @t, 'k key);
    'v get_or(const struct table<'k, 'v> @t, 'k key, 'v otherwise);
    // A pointer to the value of a key, NULL if there is none. After the table has grown it points
    // to where the value was. O(1).
    'v *'r find(const struct table<'k, 'v, 'r> @t, 'k key);
    // Takes a key out; false if it was not there. O(1).
    bool remove(struct table<'k, 'v> @t, 'k key);
    void clear(struct table<'k, 'v> @t);
    size_t count(const struct table<'k, 'v> @t);

    // A walk over all keys as they came in (see the example). What is put during a walk may be
    // met or not; what is removed is not met. O(1) for each step, on average.
    size_t first(const struct table<'k, 'v> @t);
    bool has(const struct table<'k, 'v> @t, size_t at);
    size_t next(const struct table<'k, 'v> @t, size_t at);
    'k key_at(const struct table<'k, 'v> @t, size_t at);
    'v value_at(const struct table<'k, 'v> @t, size_t at);
    // Calls f(env, key, value) for each.
    void each(const struct table<'k, 'v> @t, void (@f)('e, 'k, 'v), 'e env);

    // Hashes for keys of one's own: spreads a number over all bits; of bytes; of two hashes.
    unsigned long mix(unsigned long n);
    unsigned long bytes(const char ?s);
    unsigned long both(unsigned long a, unsigned long b);
    unsigned long of_long(long n);
    unsigned long of_text(const char ?s);
    bool same_long(long a, long b);
    bool same_text(const char ?a, const char ?b);
}
