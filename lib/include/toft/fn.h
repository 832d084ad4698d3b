// Closures: functions with an environment, whose type is hidden.
//
// A `struct Fn::fn<'a,'b,'r>` takes an 'a and gives a 'b; `'r` says how long its environment
// lives. It is two words, and a call of it is one call through a pointer. Environments are of one
// word: a number, or a pointer to whatever is needed.
//
// ```toft
// // runs: 11 20 22
// #include <stdio.h>
// #include <toft/fn.h>
//
// static int add(int *p, int n) { return *p + n; }
// static int twice(int n) { return 2 * n; }
//
// int main(void) {
//     int one = 1;
//     struct Fn::fn<int, int> inc = Fn::make(add, &one);
//     struct Fn::fn<int, int> doubled = Fn::of(twice);
//     printf("%d %d ", Fn::call(inc, 10), Fn::call(doubled, 10));
//     region<'r> h;
//     printf("%d\n", Fn::call(Fn::then(h, inc, doubled), 10));
//     return 0;
// }
// ```
//
// A `Fn::once` owns its environment, and is used up by its call:
//
// ```toft
// // runs: 41
// #include <stdio.h>
// #include <toft/fn.h>
//
// static int finish(int *\U p, int n) consume(1) {
//     int sum = *p + n;
//     free(p);
//     return sum;
// }
//
// int main(void) {
//     struct Fn::once<int, int> f = {finish, qnew(unique_qual) 40};
//     printf("%d\n", Fn::finish(f, 1));
//     return 0;
// }
// ```
#pragma once
#pragma toft source("std/fn.toft")

namespace Fn {
    struct fn<'a, 'b, 'r::R> { <'e::B> 'b (@run)('e, 'a); 'e env; };

    // From a function and its environment. O(1), no memory.
    struct fn<'a, 'b, 'r> make('b (@run)('e, 'a), 'e::B env : 'e > 'r);
    // From a function that needs none. O(1), no memory.
    struct fn<'a, 'b, 'r> of('b (@run)('a) : 'a > 'r, 'b > 'r);
    'b call(struct fn<'a, 'b> f, 'a x);
    // g after f, in one closure. O(1), one object.
    struct fn<'a, 'c, 'r> then(region_t<'r> h, struct fn<'a, 'b, 's> f, struct fn<'b, 'c, 't> g
                                : 's > 'r, 't > 'r, 'a > 'r, 'b > 'r, 'c > 'r);

    // To be called once: the environment, of any type, goes over to the function.
    struct once<'a, 'b> { <'e\T> 'b (@run)('e, 'a) consume(1); 'e env; };
    'b finish(struct once<'a, 'b> f, 'a x) consume(1);
}
