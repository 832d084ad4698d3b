// Finding a word in a text: the naive way, Knuth-Morris-Pratt, Boyer-Moore-Horspool.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORD 64

static int naive(const char *text, int n, const char *word, int m) {
    int count = 0;
    for (int i = 0; i + m <= n; i++) {
        int j = 0;
        while (j < m && text[i + j] == word[j])
            j++;
        if (j == m)
            count++;
    }
    return count;
}

static int knuth_morris_pratt(const char *text, int n, const char *word, int m) {
    int fail[MAX_WORD + 1];
    fail[0] = -1;
    for (int i = 0, k = -1; i < m; i++) {
        while (k >= 0 && word[k] != word[i])
            k = fail[k];
        k++;
        fail[i + 1] = k;
    }
    int count = 0;
    for (int i = 0, k = 0; i < n; i++) {
        while (k >= 0 && word[k] != text[i])
            k = fail[k];
        k++;
        if (k == m) {
            count++;
            k = fail[k];
        }
    }
    return count;
}

static int horspool(const char *text, int n, const char *word, int m) {
    int skip[256];
    for (int i = 0; i < 256; i++)
        skip[i] = m;
    for (int i = 0; i < m - 1; i++)
        skip[(unsigned char)word[i]] = m - 1 - i;
    int count = 0;
    for (int i = 0; i + m <= n;) {
        int j = m - 1;
        while (j >= 0 && text[i + j] == word[j])
            j--;
        if (j < 0)
            count++;
        i += skip[(unsigned char)text[i + m - 1]];
    }
    return count;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 30;
    int n = 2000000;
    const char *words[4] = {"acab", "abacabad", "bbbbbb", "dabadcabbac"};
    char *text = malloc(n + 1);
    unsigned seed = 42;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        text[i] = 'a' + (seed >> 16) % 4;
    }
    text[n] = '\0';
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        const char *word = words[round % 4];
        int m = strlen(word);
        int a = naive(text, n, word, m);
        int b = knuth_morris_pratt(text, n, word, m);
        int c = horspool(text, n, word, m);
        if (a != b || a != c)
            return 1;
        sum = sum * 31 + a;
    }
    printf("%u\n", sum);
    free(text);
    return 0;
}
