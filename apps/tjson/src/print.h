// Printing values.
#pragma once
#include "json.h"
#include "out.h"

struct style {
    bool compact; // no space at all
    int indent;   // spaces a level
};

// Prints the value at `node` with a newline behind it. Scalars keep the text they have.
void print_value(struct out @o, const struct json @j, size_t node, const struct style @style);
