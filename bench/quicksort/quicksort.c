// Quicksort of ints, with insertion sort for short runs.
#include <stdio.h>
#include <stdlib.h>

static void insertion_sort(int a[], int lo, int hi) {
    for (int i = lo + 1; i <= hi; i++) {
        int value = a[i];
        int j = i - 1;
        while (j >= lo && a[j] > value) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = value;
    }
}

static void quicksort(int a[], int lo, int hi) {
    while (hi - lo > 16) {
        int pivot = a[lo + (hi - lo) / 2];
        int i = lo, j = hi;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int t = a[i];
                a[i] = a[j];
                a[j] = t;
                i++;
                j--;
            }
        }
        if (j - lo < hi - i) {
            quicksort(a, lo, j);
            lo = i;
        } else {
            quicksort(a, i, hi);
            hi = j;
        }
    }
    insertion_sort(a, lo, hi);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    int n = 1000000;
    int *a = malloc(n * sizeof(int));
    unsigned seed = 42, sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            a[i] = seed >> 8;
        }
        quicksort(a, 0, n - 1);
        for (int i = 1; i < n; i++)
            if (a[i - 1] > a[i])
                return 1;
        for (int i = 0; i < n; i += 1000)
            sum = sum * 31 + a[i];
    }
    printf("%u\n", sum);
    free(a);
    return 0;
}
