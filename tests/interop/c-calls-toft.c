int toft_square(int n);
double toft_half(double d);
void toft_say(const char *text);
int c_run(int n) {
    toft_say("from C");
    return toft_square(n) + (int)toft_half(10);
}
