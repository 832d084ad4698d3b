int c_counter;
void c_tick(void) { c_counter++; }
