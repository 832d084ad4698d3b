// Heapsort of doubles.
#include <stdio.h>
#include <stdlib.h>

static void sift_down(double a[], int root, int n) {
    double value = a[root];
    for (;;) {
        int child = 2 * root + 1;
        if (child >= n)
            break;
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (value >= a[child])
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = value;
}

static void heapsort_doubles(double a[], int n) {
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(a, i, n);
    for (int last = n - 1; last > 0; last--) {
        double top = a[0];
        a[0] = a[last];
        a[last] = top;
        sift_down(a, 0, last);
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 12;
    int n = 300000;
    double *a = malloc(n * sizeof(double));
    unsigned seed = 42;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            a[i] = (seed >> 8) / 16777216.0;
        }
        heapsort_doubles(a, n);
        for (int i = 1; i < n; i++)
            if (a[i - 1] > a[i])
                return 1;
        sum += a[n / 3] + a[n - 1];
    }
    printf("%.9f\n", sum);
    free(a);
    return 0;
}
