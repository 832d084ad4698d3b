// The product of two matrices, twice: as flat arrays of double and as int m[N][N].
#include <stdio.h>
#include <stdlib.h>

#define N 320

static int left[N][N], right[N][N], product[N][N];

static void multiply_flat(int n, const double a[], const double b[], double c[]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

static void multiply_square(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 24;
    double *a = malloc(N * N * sizeof(double));
    double *b = malloc(N * N * sizeof(double));
    double *c = malloc(N * N * sizeof(double));
    double trace = 0;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                a[i * N + j] = (i + j + round) % 7;
                b[i * N + j] = (i * j) % 5;
                left[i][j] = (i ^ j) + round;
                right[i][j] = i - j;
            }
        multiply_flat(N, a, b, c);
        multiply_square();
        for (int i = 0; i < N; i++) {
            trace += c[i * N + i];
            sum = sum * 31 + product[i][N - 1 - i];
        }
    }
    printf("%.1f %u\n", trace, sum);
    free(a);
    free(b);
    free(c);
    return 0;
}
