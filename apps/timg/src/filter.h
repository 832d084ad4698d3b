// Separable linear filters: each sample of the result is a weighted sum of neighbours.
#pragma once
#include "image.h"

// For each of `count` results: the first neighbour, how many there are, and their weights, which
// sum up to 1, at weights[i * most].
struct taps {
    size_t count;
    size_t most;
    size_t ?first;
    size_t ?used;
    float ?weights;
};

// For `count` results of at most `most` neighbours. Throws Bad_request when that is too much.
struct taps @taps_new(size_t count, size_t most);
// Adds a weight for neighbour `place`; the places of one result come in order. A place outside
// 0 to size - 1 counts as the nearest inside.
void taps_add(struct taps @t, size_t result, long place, size_t size, double weight);
// Colours are weighted with their alpha, so that what can't be seen has no colour to give.
struct image @filtered_by(const struct image @m, const struct taps @across,
                          const struct taps @down);
