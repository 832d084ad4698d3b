// Buffered input and output over file descriptors.
//
// `In` and `Out` are plain structs with a buffer in any region: no lock, no hidden state. A
// failed call leaves its error number in `error`; later ones do nothing.
//
// ```toft
// // runs: hello 42, 0x2a
// #include <toft/io.h>
//
// int main(void) {
//     struct Out::out<'H> out = Out::open(heap_region, 1);
//     Out::put(&out, "hello ");
//     Out::put_long(&out, 42);
//     Out::put(&out, ", 0x");
//     Out::put_unsigned(&out, 42, 16);
//     Out::put_char(&out, '\n');
//     return Out::flush(&out) ? 0 : 1;
// }
// ```
//
// Lines are read into a string buffer:
//
// ```toft
// // runs: 2 lines, the longer has 5 bytes
// #include <stdio.h>
// #include <toft/io.h>
//
// int main(void) {
//     region<'r> h;
//     struct In::in<'r> in = In::text(h, "one\nthree\n");
//     struct Str::buf<'r> line = Str::make(h);
//     size_t lines = 0, longest = 0;
//     while (In::line(&in, &line)) {
//         lines++;
//         if (line.length > longest) longest = line.length;
//     }
//     printf("%zu lines, the longer has %zu bytes\n", lines, longest);
//     return 0;
// }
// ```
//
// A byte costs a comparison and a store; the system is called once for a full buffer.
#pragma once
#pragma toft source("std/io.toft")
#include <stddef.h>
#include <stdbool.h>
#include <toft/str.h>

namespace In {
    struct in<'r::R> {
        int fd;                 // -1: nothing follows the buffer
        int error;              // of the read that failed, or 0
        const char ?'r ready;   // the bytes in the buffer
        size_t at;              // how many of them were taken
        char ?'r buffer;
    };

    // A buffer of 64 KiB before a descriptor, which stays the caller's.
    struct in<'r> open(region_t<'r> h, int fd);
    // Reads from a string; no copy is made. O(length).
    struct in<'r> text(region_t<'r> h, const char ?'r s);
    // The next byte, taken or left there; -1 at the end and after an error. O(1).
    int get(struct in @in);
    int peek(struct in @in);
    // The next line without its end into `line`, whose contents it replaces; false when there is
    // none. A last line need not have an end. O(its length).
    bool line(struct in @in, struct Str::buf @line);
    // Everything up to the byte `end`, which is taken, too.
    bool until(struct in @in, int end, struct Str::buf @text);
    // At most n bytes into `to`; how many. O(n).
    size_t read(struct in @in, char ?to, size_t n);
    // Takes blanks and line ends; then a word, a number. False if there is none. O(length).
    void skip_blanks(struct in @in);
    bool word(struct in @in, struct Str::buf @word);
    bool number(struct in @in, long @value);
    bool at_end(struct in @in);

    // All bytes of a descriptor, of a file; NULL if it cannot be read: errno says why. O(length).
    char ?'r all(region_t<'r> h, int fd);
    char ?'r file(region_t<'r> h, const char ?name);
}

namespace Out {
    struct out<'r::R> {
        int fd;
        int error;              // of the write that failed, or 0
        char ?'r buffer;
        size_t used;
    };

    // A buffer of 64 KiB before a descriptor, which stays the caller's. Flush it at the end.
    struct out<'r> open(region_t<'r> h, int fd);
    void put_char(struct out @o, int c);
    void put(struct out @o, const char ?s);
    void put_bytes(struct out @o, const char ?s, size_t n);
    void put_times(struct out @o, int c, size_t n);
    void put_long(struct out @o, long n);
    void put_unsigned(struct out @o, unsigned long n, int base);
    // With `digits` significant digits, as printf's %g.
    void put_double(struct out @o, double x, int digits);
    // Writes what is in the buffer; false if this or an earlier write has failed.
    bool flush(struct out @o);

    // Makes a file of these bytes; false if it cannot be written.
    bool file(const char ?name, const char ?bytes);
}
