// The spectral norm of an infinite matrix, by the power method.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double eval_a(int i, int j) {
    return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

static void times_u(int n, const double u[], double au[]) {
    for (int i = 0; i < n; i++) {
        au[i] = 0;
        for (int j = 0; j < n; j++)
            au[i] += eval_a(i, j) * u[j];
    }
}

static void times_transposed_u(int n, const double u[], double au[]) {
    for (int i = 0; i < n; i++) {
        au[i] = 0;
        for (int j = 0; j < n; j++)
            au[i] += eval_a(j, i) * u[j];
    }
}

static void times_both(int n, const double u[], double out[], double v[]) {
    times_u(n, u, v);
    times_transposed_u(n, v, out);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3300;
    double *u = malloc(n * sizeof(double));
    double *v = malloc(n * sizeof(double));
    double *t = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        u[i] = 1;
    for (int i = 0; i < 10; i++) {
        times_both(n, u, v, t);
        times_both(n, v, u, t);
    }
    double vbv = 0, vv = 0;
    for (int i = 0; i < n; i++) {
        vbv += u[i] * v[i];
        vv += v[i] * v[i];
    }
    printf("%.9f\n", sqrt(vbv / vv));
    free(u);
    free(v);
    free(t);
    return 0;
}
