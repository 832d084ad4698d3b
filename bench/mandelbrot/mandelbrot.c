// The Mandelbrot set as a bitmap, one bit a point. Prints a checksum of the bitmap.
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 50

static void draw(int n, unsigned char rows[]) {
    int stride = (n + 7) / 8;
    for (int y = 0; y < n; y++) {
        double ci = 2.0 * y / n - 1.0;
        unsigned bits = 0;
        for (int x = 0; x < n; x++) {
            double cr = 2.0 * x / n - 1.5;
            double zr = 0, zi = 0, tr = 0, ti = 0;
            int i = 0;
            while (i < LIMIT && tr + ti <= 4.0) {
                zi = 2.0 * zr * zi + ci;
                zr = tr - ti + cr;
                tr = zr * zr;
                ti = zi * zi;
                i++;
            }
            bits = bits << 1 | (tr + ti <= 4.0);
            if (x % 8 == 7) {
                rows[y * stride + x / 8] = bits;
                bits = 0;
            } else if (x == n - 1) {
                rows[y * stride + x / 8] = bits << (7 - x % 8);
            }
        }
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    size_t size = (size_t)n * ((n + 7) / 8);
    unsigned char *rows = malloc(size);
    draw(n, rows);
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + rows[i];
    printf("%u\n", sum);
    free(rows);
    return 0;
}
