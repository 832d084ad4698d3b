// Searching files and folders.
#pragma once
#include "regex.h"

struct options {
    bool invert;
    bool count;
    bool numbers;
    bool names;
    bool list;
    bool list_without;
    bool only_matching;
    bool quiet;
    bool no_messages;
    bool text;
    bool limited;
    long max;
};

struct matcher {
    struct dfa @search;
    struct dfa @longest;
};

struct result {
    bool found;
    bool failed;
};

// A file, or - for the standard input.
void search_named(const struct options @opt, const struct matcher @m, const char ?name,
                  struct result @total);
// A folder with all that is below it, or a file.
void search_folder(const struct options @opt, const struct matcher @m, const char ?path,
                   struct result @total);
