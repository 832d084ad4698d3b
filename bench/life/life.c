// Conway's game of life on a torus.
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 512
#define HEIGHT 512

typedef unsigned char grid[HEIGHT][WIDTH];

static grid now, next;

static int neighbours(int x, int y) {
    int count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                count += now[(y + dy + HEIGHT) % HEIGHT][(x + dx + WIDTH) % WIDTH];
    return count;
}

static void step(void) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int n = neighbours(x, y);
            next[y][x] = n == 3 || (n == 2 && now[y][x]);
        }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            now[y][x] = next[y][x];
}

int main(int argc, char **argv) {
    int generations = argc > 1 ? atoi(argv[1]) : 200;
    unsigned seed = 42;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            seed = seed * 1103515245u + 12345u;
            now[y][x] = (seed >> 16) & 1;
        }
    for (int i = 0; i < generations; i++)
        step();
    unsigned sum = 0, alive = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            sum = sum * 31 + now[y][x];
            alive += now[y][x];
        }
    printf("%u %u\n", alive, sum);
    return 0;
}
