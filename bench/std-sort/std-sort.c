// Sort, stable sort and binary search as a C++ library has them: the comparison is known.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000000 };

static inline bool less(int a, int b) { return a < b; }

static void insertion(int *v, size_t low, size_t high) {
    for (size_t i = low + 1; i < high; i++) {
        int x = v[i];
        size_t k = i;
        while (k > low && less(x, v[k - 1])) {
            v[k] = v[k - 1];
            k--;
        }
        v[k] = x;
    }
}

static int median(int x, int y, int z) {
    if (less(y, x)) {
        if (less(z, y)) return y;
        return less(z, x) ? z : x;
    }
    if (less(z, x)) return x;
    return less(z, y) ? z : y;
}

static void heapsort_range(int *v, size_t low, size_t high) {
    size_t n = high - low;
    for (size_t round = n / 2 + n; round > 1; round--) {
        size_t at = 0, end = n;
        if (round > n) {
            at = round - n - 1;
        } else {
            end = round - 1;
            int x = v[low];
            v[low] = v[low + end];
            v[low + end] = x;
        }
        int x = v[low + at];
        for (size_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && less(v[low + child], v[low + child + 1])) child++;
            if (!less(x, v[low + child])) break;
            v[low + at] = v[low + child];
        }
        v[low + at] = x;
    }
}

static void quick(int *v, size_t low, size_t high, int depth) {
    while (high - low > 16) {
        if (depth-- == 0) {
            heapsort_range(v, low, high);
            return;
        }
        int pivot = median(v[low], v[low + (high - low) / 2], v[high - 1]);
        size_t i = low, k = high;
        while (true) {
            while (less(v[i], pivot)) i++;
            while (less(pivot, v[k - 1])) k--;
            if (i + 1 >= k) break;
            k--;
            int x = v[i];
            v[i] = v[k];
            v[k] = x;
            i++;
        }
        if (i - low < high - i) {
            quick(v, low, i, depth);
            low = i;
        } else {
            quick(v, i, high, depth);
            high = i;
        }
    }
    if (high > low) insertion(v, low, high);
}

static void merge(int *from, int *to, size_t low, size_t high) {
    if (high - low <= 8) {
        insertion(to, low, high);
        return;
    }
    size_t middle = low + (high - low) / 2;
    merge(to, from, low, middle);
    merge(to, from, middle, high);
    size_t i = low, k = middle;
    for (size_t at = low; at < high; at++) {
        bool second = i >= middle || (k < high && less(from[k], from[i]));
        to[at] = second ? from[k++] : from[i++];
    }
}

static void stable(int *v, size_t n) {
    int *spare = malloc(n * sizeof *spare);
    if (!spare) abort();
    memcpy(spare, v, n * sizeof *spare);
    merge(spare, v, 0, n);
    free(spare);
}

static size_t lower_bound(const int *v, size_t n, int x) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (less(v[middle], x)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void fill(int *v, unsigned seed) {
    for (size_t i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        v[i] = (int)(seed >> 4);
    }
}

int main(void) {
    int *v = calloc(N, sizeof(int));
    if (!v) return 1;
    unsigned long sum = 0;
    for (unsigned k = 0; k < 5; k++) {
        fill(v, k);
        quick(v, 0, N, 44);
        for (size_t i = 0; i < N; i += 1000) sum = sum * 31 + (unsigned long)v[i];
    }
    for (unsigned k = 0; k < 3; k++) {
        fill(v, k);
        stable(v, N);
        for (size_t i = 0; i < N; i += 1000) sum = sum * 31 + (unsigned long)v[i];
    }
    for (int k = 0; k < 2000000; k++) sum += lower_bound(v, N, k * 97);
    printf("%lu\n", sum);
    free(v);
    return 0;
}
