// Command lines: options, their values, and other words.
//
// A program asks about one word after the other. Letters may stand together (`-xvf file`), a
// value may follow directly or as the next word (`-n5`, `-n 5`, `--lines=5`, `--lines 5`), and
// after `--` everything is a plain word.
//
// ```toft
// // runs: 3 lines of notes
// #include <stdio.h>
// #include <toft/args.h>
//
// static int run(char ? ?'H words) {
//     bool quiet = false;
//     long lines = 10;
//     const char ?name = "-";
//     struct Args::args<'H> a = Args::of(words);
//     while (Args::next(&a)) {
//         if (Args::flag(&a, 'q', "quiet")) quiet = true;
//         else if (Args::number(&a, 'n', "lines", &lines)) continue;
//         else if (Args::word(&a, &name)) continue;
//         else Args::refuse(&a);
//     }
//     if (Args::problem(&a)) {
//         fprintf(stderr, "head: %s\n", Args::problem(&a));
//         return 2;
//     }
//     if (!quiet) printf("%ld lines of %s\n", lines, name);
//     return 0;
// }
//
// int main(void) {
//     // In a program: `int main(int argc, char ? ?argv)` and `Args::of(argv + 1)`.
//     char ? ?words = new {"-n3", "notes"};
//     return run(words);
// }
// ```
//
// Every function takes time in proportion to the word it looks at; nothing is allocated but the
// text of a problem.
#pragma once
#pragma toft source("std/args.toft")
#include <stddef.h>
#include <stdbool.h>

namespace Args {
    struct args<'r::R> {
        char ?'H ?'r words;        // what is still to be read
        int kind;                  // of the current item
        const char ?'H name;       // its long name, or the word
        const char ?'H value;      // what stands after `=`, or NULL
        char letter;               // its letter
        const char ?'H cluster;    // letters and values behind it
        bool plain;                // `--` was met
        bool taken;                // the current item was asked for
        const char ?'H problem;
    };

    // The words of a command line without the program's name: `Args::of(argv + 1)`. It ends at
    // the first null pointer or at the array's end.
    struct args<'r> of(char ?'H ?'r words);
    // Goes on to the next item; false at the end, or after a problem. An item that nobody asked
    // for is a problem.
    bool next(struct args @a);
    // Whether the item is this option, which takes no value. A letter of 0, a name of NULL: the
    // option has none.
    bool flag(struct args @a, char letter, const char ?name);
    // Whether it is this option; its value. If there is none, that is a problem.
    bool option(struct args @a, char letter, const char ?name, const char ?'H @value);
    // The same for a value that is a whole number.
    bool number(struct args @a, char letter, const char ?name, long @value);
    // Whether it is a plain word.
    bool word(struct args @a, const char ?'H @word);
    // Says that the current item is unknown.
    void refuse(struct args @a);
    // What was wrong with the command line, or NULL: "unknown option `--colour`".
    const char ?'H problem(const struct args @a);
}
