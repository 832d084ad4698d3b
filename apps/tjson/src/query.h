// Paths into a value: `.key`, `."any key"`, `[3]`, `[-1]`, `["any key"]`, `[]`.
#pragma once
#include "json.h"

enum step_kind { MEMBER, ELEMENT, EVERY };

struct step {
    enum step_kind kind;
    struct bytes key; // of MEMBER
    long index;       // of ELEMENT; below 0 from the end
    size_t end;       // where the step ends in the path
};

struct path {
    struct step ?steps;
    size_t count;
};

// Throws Bad_path.
struct path @parse_path(const char ?path);

// The nodes that a path leads to.
struct found {
    size_t ?nodes;
    size_t count;
};
// Throws Bad_path with the end of the step that leads nowhere.
struct found @follow(const struct json @j, const struct path @path);
