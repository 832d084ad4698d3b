// Strings: views into text, buffers that grow, numbers from and to text.
//
// A string is `const char ?`: it ends at its first zero byte or at its bounds. A *view* is a part
// of another string, without a copy: `Str::part`, `Str::trim`, `Str::split` give views that live
// as long as the text they point into.
//
// ```toft
// // runs: <name> <Ada Lovelace>
// #include <stdio.h>
// #include <string.h>
// #include <toft/str.h>
//
// int main(void) {
//     const char ?line = " name =  Ada Lovelace ";
//     size_t at = Str::find(line, '=');
//     const char ?key = Str::trim(Str::part(line, 0, at));
//     const char ?value = Str::trim(Str::from(line, at + 1));
//     printf("<%s> <%s>\n", key, value);
//     return 0;
// }
// ```
//
// A *buffer* collects text in any region; `Str::text` is what it holds so far:
//
// ```toft
// // runs: 1, 2, 3 in 0x1f
// #include <stdio.h>
// #include <toft/str.h>
//
// int main(void) {
//     region<'r> h;
//     struct Str::buf<'r> b = Str::make(h);
//     for (int i = 1; i <= 3; i++) {
//         if (i > 1) Str::put(&b, ", ");
//         Str::put_long(&b, i);
//     }
//     Str::put(&b, " in 0x");
//     Str::put_unsigned(&b, 31, 16);
//     printf("%s\n", Str::text(&b));
//     return 0;
// }
// ```
//
// A *unique buffer* owns its memory and gives it back at once: when it grows, and when it is
// dropped. Its text can be taken out of it as a unique pointer.
//
// ```toft
// // runs: owned 7
// #include <stdio.h>
// #include <toft/str.h>
//
// int main(void) {
//     struct Str::own *@notnull \U b = Str::make_own();
//     Str::own_put(b, "owned ");
//     Str::own_put_char(b, '7');
//     char ?@notnull \U text = Str::take(b);
//     printf("%s\n", text);
//     free(text);
//     return 0;
// }
// ```
#pragma once
#pragma toft source("std/str.toft")
#include <stddef.h>
#include <stdbool.h>
#include <toft/vec.h>

namespace Str {
    // Views. Indexes beyond the end throw Array_bounds; all are O(1) unless said otherwise,
    // after the length of the string is known (O(n) up to its zero byte).

    // n bytes of s, starting at `start`; everything from `start` on.
    const char ?'r part(const char ?'r s, size_t start, size_t n);
    const char ?'r from(const char ?'r s, size_t start);
    // Without blanks at both ends. O(n).
    const char ?'r trim(const char ?'r s);
    // The place of the first c, of the last c, of the first `what`; strlen(s) if there is none.
    // O(n); with `what` O(n * its length) at worst.
    size_t find(const char ?s, int c);
    size_t find_last(const char ?s, int c);
    size_t find_text(const char ?s, const char ?what);
    bool starts_with(const char ?s, const char ?start);
    bool ends_with(const char ?s, const char ?end);
    bool equal(const char ?a, const char ?b);
    bool equal_ignoring_case(const char ?a, const char ?b);
    // The parts between the separators, as views; always one more than there are separators. O(n).
    struct Vec::vec<const char ?'s, 'r> split(region_t<'r> h, const char ?'s s, int separator);
    // The words between blanks, as views; none is empty. O(n).
    struct Vec::vec<const char ?'s, 'r> words(region_t<'r> h, const char ?'s s);

    // Copies in a region. O(n).
    char ?'r copy(region_t<'r> h, const char ?s);
    char ?'r join(region_t<'r> h, const char ?a, const char ?b);
    char ?'r replace(region_t<'r> h, const char ?s, const char ?what, const char ?by);
    char ?'r lower(region_t<'r> h, const char ?s);
    char ?'r upper(region_t<'r> h, const char ?s);

    // The number that the whole of s is; false if it is none, or too large. O(n).
    bool to_long(const char ?s, long @value);
    bool to_unsigned(const char ?s, int base, unsigned long @value);
    bool to_double(const char ?s, double @value);

    // Buffers.
    struct buf<'r::R> {
        char ?'r text;     // room for numelts(text) bytes
        size_t length;     // bytes in use
        region_t<'r> h;
    };

    struct buf<'r> make(region_t<'r> h);
    // What the buffer holds, as a view; the next growth leaves it behind, unchanged. O(1).
    const char ?'r text(const struct buf<'r> @b);
    // Add at the end: a byte, a string, n bytes of any kind, numbers. O(what is added), on average.
    void put_char(struct buf @b, int c);
    void put(struct buf @b, const char ?s);
    void put_bytes(struct buf @b, const char ?s, size_t n);
    void put_times(struct buf @b, int c, size_t n);
    void put_long(struct buf @b, long n);
    void put_unsigned(struct buf @b, unsigned long n, int base);
    // With `digits` significant digits, as printf's %g.
    void put_double(struct buf @b, double x, int digits);
    void clear(struct buf @b);
    // Leaves the first n bytes. O(1).
    void cut(struct buf @b, size_t n);

    // Unique buffers, in the heap.
    struct own {
        char ?@notnull \U text;
        size_t length;
    };

    struct own *@notnull \U make_own(void);
    void own_put_char(struct own *@notnull \U b, int c);
    void own_put(struct own *@notnull \U b, const char ?s);
    void own_put_bytes(struct own *@notnull \U b, const char ?s, size_t n);
    // Gives up the buffer, keeps its text (of exactly its length). O(n).
    char ?@notnull \U take(struct own *@notnull \U b) __attribute__((consume(1)));
    // Gives everything back. O(1).
    void drop(struct own *@notnull \U b) __attribute__((consume(1)));
}
