#include <string.h>
int c_add(int a, int b) { return a + b; }
double c_scale(double x, float by) { return x * by; }
unsigned long c_length(const char *s) { return strlen(s); }
char c_upper(char c) { return c - 32; }
long long c_wide(unsigned char a, short b, long long c) { return a + b + c; }
