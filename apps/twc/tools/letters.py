"""Writes src/letters.toft: which code points belong to words (general categories L and M), and
the simple lower-case mappings. Run in apps/twc: python3 tools/letters.py >src/letters.toft"""
import sys
import unicodedata


def ranges():
    found = []
    for code in range(0x80, 0x110000):
        if unicodedata.category(chr(code))[0] in "LM":
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return found


def mappings():
    """[first, last, stride, difference]"""
    found = []
    for code in range(0x80, 0x110000):
        lower = chr(code).lower()
        if len(lower) != 1 or ord(lower) == code:
            continue
        difference = ord(lower) - code
        if found and found[-1][3] == difference:
            last = found[-1]
            step = code - last[1]
            if step <= 2 and (last[0] == last[1] or last[2] == step):
                last[1], last[2] = code, step
                continue
        found.append([code, code, 1, difference])
    return found


def rows(items):
    line = "   "
    for item in items:
        word = " { " + ", ".join(item) + " },"
        if len(line) + len(word) > 98:
            print(line)
            line = "   "
        line += word
    print(line)


letters, lower = ranges(), mappings()
print(f"""// Letters and marks of Unicode {unicodedata.unidata_version}, and their lower-case forms. Made by
// tools/letters.py.
#include "letters.h"

struct span {{ unsigned first, last; }};
struct mapping {{ unsigned first, last, stride; int difference; }};

static const struct span spans[{len(letters)}] = {{""")
rows([[hex(a), hex(b)] for a, b in letters])
print(f"""}};

static const struct mapping mappings[{len(lower)}] = {{""")
rows([[hex(a), hex(b), str(s), str(d)] for a, b, s, d in lower])
sys.stdout.write(f"""}};

bool is_letter_beyond_ascii(unsigned code) {{
    int low = 0, high = {len(letters)};
    while (low < high) {{
        int middle = (low + high) / 2;
        if (spans[middle].last < code) low = middle + 1;
        else high = middle;
    }}
    return low < {len(letters)} && spans[low].first <= code;
}}

unsigned lower_beyond_ascii(unsigned code) {{
    int low = 0, high = {len(lower)};
    while (low < high) {{
        int middle = (low + high) / 2;
        if (mappings[middle].last < code) low = middle + 1;
        else high = middle;
    }}
    if (low == {len(lower)} || mappings[low].first > code) return code;
    if ((code - mappings[low].first) % mappings[low].stride != 0) return code;
    return code + mappings[low].difference;
}}

test "letters" {{
    @assert(is_letter(U'z') && is_letter(U'A') && !is_letter(U'1') && !is_letter(U'_'));
    @assert(is_letter(0xe4) && is_letter(0xaa) && is_letter(0x3b1) && is_letter(0x4e2d));
    @assert(!is_letter(0xd7) && !is_letter(0xa0) && !is_letter(0x2014) && !is_letter(0x1f600));
    @assert(!is_letter(0x10ffff) && is_letter(0xe01ef) && !is_letter(0xe01f0));
}}

test "lower case" {{
    @assert(lower(U'Q') == U'q' && lower(U'q') == U'q' && lower(0xc4) == 0xe4);
    @assert(lower(0xd7) == 0xd7 && lower(0x100) == 0x101 && lower(0x101) == 0x101);
    @assert(lower(0x391) == 0x3b1 && lower(0x416) == 0x436 && lower(0x10ffff) == 0x10ffff);
}}
""")
