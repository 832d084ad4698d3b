int c_seven(void) { return 7; }
