// <stdbool.h>: the words are keywords, as in C23.
#pragma once
#define __bool_true_false_are_defined 1
