// Linked lists, in any region, with cells that are shared or owned.
//
// `List::shared<'a,'r>` is an ordinary list: any number of pointers lead into it, and it lives as
// long as its region. `List::owned<'a\T,'r>` has unique cells: whoever holds it owns all of them,
// takes elements out by moving them, and frees each cell at once. Its elements may be tracked
// themselves. NULL is the empty list of both.
//
// ```toft
// // runs: 1 4 9, 14 in all
// #include <stdio.h>
// #include <toft/list.h>
//
// static int square(int unused, int x) { return unused + x * x; }
// static int plus(int unused, int sum, int x) { return unused + sum + x; }
//
// int main(void) {
//     region<'r> h;
//     int three[] = {1, 2, 3};
//     List::shared<int, 'r> l = List::map(h, List::from(h, three), square, 0);
//     for (List::shared<int> p = l; p; p = p->tail) printf(p->tail ? "%d " : "%d", p->head);
//     printf(", %d in all\n", List::fold(l, plus, 0, 0));
//     return 0;
// }
// ```
//
// A list that owns its elements:
//
// ```toft
// // runs: 3\n2\n1
// #include <stdio.h>
// #include <toft/list.h>
//
// static void show(int *\U p) consume(1) {
//     printf("%d\n", *p);
//     free(p);
// }
//
// int main(void) {
//     List::owned<int *\U, 'H> l = NULL;
//     for (int i = 1; i <= 3; i++) l = List::push(heap_region, qnew(unique_qual) i, l);
//     List::drop(heap_region, l, show);
//     return 0;
// }
// ```
#pragma once
#pragma toft source("std/list.toft")
#include <stddef.h>
#include <stdbool.h>

namespace List {
    struct cell<'a\T, 'q::Q, 'r::R> {
        'a head;
        struct cell<'a, 'q, 'r> *'q 'r tail;
    };
    typedef struct cell<'a, \A, 'r> *'r shared<'a, 'r::R>;
    typedef struct cell<'a\T, \U, 'r> *\U'r owned<'a\T, 'r::R>;

    // One more cell, with the aliasability of the handle: alias_qual, unique_qual, refcnt_qual.
    // O(1).
    struct cell<'a\T, 'q, 'r> *'q 'r cons(region_t<'r> h, aqual_t<'q> q, 'a\T x,
                                          struct cell<'a, 'q, 'r> *'q 'r l) consume(3) consume(4);

    // Shared lists.

    // x in front of l. O(1).
    shared<'a, 'r> add(region_t<'r> h, 'a x, shared<'a, 'r> l);
    // The elements of an array in order. O(n).
    shared<'a, 'r> from(region_t<'r> h, 'a ?items);
    size_t length(shared<'a> l);                            // O(n)
    // The element at i, from 0; Array_bounds if there is none. O(i).
    'a nth(shared<'a> l, size_t i);
    // Copies: in opposite order; a and then b, whose cells are shared; the same cells afresh. O(n).
    shared<'a, 'r> reversed(region_t<'r> h, shared<'a> l);
    shared<'a, 'r> append(region_t<'r> h, shared<'a> a, shared<'a, 'r> b);
    shared<'a, 'r> copy(region_t<'r> h, shared<'a> l);
    // Turns the cells themselves around; gives the new first one. O(n), no memory.
    shared<'a, 'r> turn(shared<'a, 'r> l);
    // What f(env, x) makes of each x; those x for which it holds. O(n) calls.
    shared<'b, 'r> map(region_t<'r> h, shared<'a> l, 'b (@f)('c, 'a), 'c env);
    shared<'a, 'r> filter(region_t<'r> h, shared<'a> l, bool (@f)('c, 'a), 'c env);
    void each(shared<'a> l, void (@f)('c, 'a), 'c env);
    // f(env, … f(env, f(env, first, x0), x1) …, xn). O(n) calls.
    'b fold(shared<'a> l, 'b (@f)('c, 'b, 'a), 'c env, 'b first);
    // The first cell whose element f(env, x) holds for, or NULL. O(n) calls.
    shared<'a, 'r> find(shared<'a, 'r> l, bool (@f)('c, 'a), 'c env);
    // Puts the cells into order, by changing their tails; equal elements stay in order. Gives the
    // new first one. O(n log n) calls of `less`, no memory.
    shared<'a, 'r> sort(shared<'a, 'r> l, bool (@less)('a, 'a));

    // Owned lists. What takes a list and gives one takes it over: `l = List::push(h, x, l)`.
    // Cells come from 'H or a reap.

    // x in front of l; both are taken over. O(1).
    owned<'a\T, 'r> push(region_t<'r> h, 'a\T x, owned<'a, 'r> l) consume(2) consume(3);
    // The first element and the others: `let List::popped{x, rest} = List::pop(h, l);`. The cell is
    // freed. Array_bounds if there is none. O(1).
    struct popped<'a\T, 'r::R> {
        'a head;
        owned<'a, 'r> rest;
    };
    struct popped<'a\T, 'r> pop(region_t<'r> h, owned<'a, 'r> l : single('r)) consume(2);
    // The cells in opposite order. O(n), no memory.
    owned<'a\T, 'r> own_turn(owned<'a, 'r> l) consume(1);
    // The cells of a and then those of b. O(length of a), no memory.
    owned<'a\T, 'r> own_append(owned<'a, 'r> a, owned<'a, 'r> b) consume(1) consume(2);
    // How many; O(n), and as much stack, unless the C compiler makes it a loop.
    size_t own_length(owned<'a\T, 'r> l);
    // Calls f(env, x) for each element; the list stays. Cost as own_length.
    void own_each(owned<'a, 'r> l, void (@f)('c, 'a), 'c env);
    // Frees all cells; hands each element to f, which takes it over. O(n).
    void drop(region_t<'r> h, owned<'a\T, 'r> l, void (@f)('a\T x) consume(1) : single('r)) consume(2);
    // Frees all cells of a list whose elements need no freeing. O(n).
    void release(region_t<'r> h, owned<'a, 'r> l : single('r)) consume(2);
}
