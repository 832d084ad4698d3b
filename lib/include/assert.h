// <assert.h>: a failed assertion throws Assert, with the text of the condition.
#undef assert
#ifdef NDEBUG
#define assert(cond) ((void)0)
#else
#define assert(cond) @assert(cond)
#endif
