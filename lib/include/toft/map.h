// Ordered maps: from keys to values, in the order of the keys; a balanced tree in any region.
//
// ```toft
// // runs: apple 3\nfig 1\npear 2
// #include <stdio.h>
// #include <toft/map.h>
// #include <toft/sort.h>
//
// int main(void) {
//     region<'r> h;
//     struct Map::map<const char ?'H, int, 'r> m = Map::make(h, Sort::less_text);
//     Map::put(&m, "fig", 1);
//     Map::put(&m, "pear", 2);
//     Map::put(&m, "apple", 3);
//     for (struct Map::node<const char ?'H, int, 'r> *n = Map::first(&m); n; n = Map::after(&m, n->key))
//         printf("%s %d\n", n->key, n->value);
//     return 0;
// }
// ```
//
// Nodes that were taken out serve the next keys.
#pragma once
#pragma toft source("std/map.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Map {
    // To be read; the value may be changed.
    struct node<'k, 'v, 'r::R> {
        'k key;
        'v value;
        struct node<'k, 'v, 'r> *'r left;
        struct node<'k, 'v, 'r> *'r right;
        int height;
    };

    struct map<'k, 'v, 'r::R> {
        struct node<'k, 'v, 'r> *'r root;
        struct node<'k, 'v, 'r> *'r spare;     // nodes for later, by `left`
        size_t count;
        bool (@less)('k, 'k);
        region_t<'r> h;
    };

    // An empty map; `less` is the order of its keys. O(1).
    struct map<'k, 'v, 'r> make(region_t<'r> h, bool (@less)('k, 'k));
    size_t count(const struct map<'k, 'v> @m);
    // Sets the value of a key. True if the key is new. O(log n).
    bool put(struct map<'k, 'v, 'r> @m, 'k key, 'v value);
    // The node of a key, NULL if there is none. O(log n).
    struct node<'k, 'v, 'r> *'r find(const struct map<'k, 'v, 'r> @m, 'k key);
    bool contains(const struct map<'k, 'v> @m, 'k key);
    // The value of a key: if there is none, Match_Exception, or `otherwise`. O(log n).
    'v get(const struct map<'k, 'v> @m, 'k key);
    'v get_or(const struct map<'k, 'v> @m, 'k key, 'v otherwise);
    // Takes a key out; false if it was not there. O(log n).
    bool remove(struct map<'k, 'v> @m, 'k key);
    void clear(struct map<'k, 'v> @m);      // O(1); the nodes are left to the region

    // The nodes with the least key, the greatest; the least that is after `key`, that is not
    // before it; the greatest that is before it. NULL if there is none. O(log n).
    struct node<'k, 'v, 'r> *'r first(const struct map<'k, 'v, 'r> @m);
    struct node<'k, 'v, 'r> *'r last(const struct map<'k, 'v, 'r> @m);
    struct node<'k, 'v, 'r> *'r after(const struct map<'k, 'v, 'r> @m, 'k key);
    struct node<'k, 'v, 'r> *'r from(const struct map<'k, 'v, 'r> @m, 'k key);
    struct node<'k, 'v, 'r> *'r before(const struct map<'k, 'v, 'r> @m, 'k key);
    // Calls f(env, key, value) for each, in order. O(n).
    void each(const struct map<'k, 'v> @m, void (@f)('e, 'k, 'v), 'e env);
}
