// The edit distance of words, with two rows of the table.
#include <stdio.h>
#include <stdlib.h>

#define MAX 256

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static int distance(const char *a, int n, const char *b, int m) {
    int before[MAX + 1], row[MAX + 1];
    for (int j = 0; j <= m; j++)
        before[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int cost = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = min3(before[j] + 1, row[j - 1] + 1, before[j - 1] + cost);
        }
        for (int j = 0; j <= m; j++)
            before[j] = row[j];
    }
    return before[m];
}

static void fill(char *word, int n, unsigned seed) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        word[i] = 'a' + (seed >> 16) % 6;
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 4000;
    char *a = malloc(MAX);
    char *b = malloc(MAX);
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        int n = MAX - round % 9;
        int m = MAX - round % 13;
        fill(a, n, round);
        fill(b, m, round * 7 + 1);
        sum = sum * 31 + distance(a, n, b, m);
    }
    printf("%u\n", sum);
    free(a);
    free(b);
    return 0;
}
