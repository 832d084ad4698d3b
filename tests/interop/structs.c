struct point { int x, y; };
struct line { struct point a, b; double width; };
struct point c_make(int x, int y) { struct point p = { x, y }; return p; }
int c_norm(struct point p) { return p.x * p.x + p.y * p.y; }
void c_move(struct point *p, int dx) { p->x += dx; }
double c_width(const struct line *l) { return l->width * l->a.x; }
