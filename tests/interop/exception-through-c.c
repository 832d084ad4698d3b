int c_apply(int (*f)(int), int n) { return f(n) * 10; }
