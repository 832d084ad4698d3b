// The words of a text, counted in a chained hash table and sorted by how often they come.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384

struct word {
    char *text;
    size_t length;
    unsigned hash;
    int count;
    struct word *next;
};

static struct word *table[BUCKETS];

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static struct word *find(const char *text, size_t n, unsigned hash) {
    struct word *w = table[hash % BUCKETS];
    while (w != NULL && (w->hash != hash || w->length != n || memcmp(w->text, text, n) != 0))
        w = w->next;
    return w;
}

static void count_word(const char *text, size_t n) {
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    struct word *w = find(text, n, hash);
    if (w == NULL) {
        w = malloc(sizeof(struct word));
        w->text = malloc(n + 1);
        memcpy(w->text, text, n);
        w->text[n] = 0;
        w->length = n;
        w->hash = hash;
        w->count = 0;
        w->next = table[hash % BUCKETS];
        table[hash % BUCKETS] = w;
    }
    w->count++;
}

static void count_words(const char *text, size_t n) {
    size_t i = 0;
    while (i < n) {
        while (i < n && !is_letter(text[i])) i++;
        size_t start = i;
        while (i < n && is_letter(text[i])) i++;
        if (i > start) count_word(text + start, i - start);
    }
}

static int comes_before(const struct word *a, const struct word *b) {
    if (a->count != b->count) return a->count > b->count;
    return strcmp(a->text, b->text) < 0;
}

static void sort(struct word **words, int n) {
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < n; i++) {
            struct word *w = words[i];
            int j = i;
            while (j >= gap && comes_before(w, words[j - gap])) {
                words[j] = words[j - gap];
                j -= gap;
            }
            words[j] = w;
        }
    }
}

static size_t make_text(char *text, size_t room) {
    unsigned seed = 1;
    size_t n = 0;
    while (n + 32 < room) {
        seed = seed * 1664525 + 1013904223;
        unsigned spread = seed >> 28;
        unsigned word = (seed >> 8) % (1u << spread);
        int length = 2 + word % 9;
        for (int i = 0; i < length; i++) {
            text[n++] = 'a' + word % 26;
            word = word * 7 + 11;
        }
        text[n++] = seed % 13 == 0 ? '\n' : ' ';
    }
    return n;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 45;
    size_t room = 4000000;
    char *text = malloc(room);
    size_t n = make_text(text, room);
    for (int round = 0; round < rounds; round++)
        count_words(text, n);
    struct word **words = malloc(200000 * sizeof(struct word *));
    int used = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct word *w = table[i]; w != NULL; w = w->next)
            words[used++] = w;
    sort(words, used);
    for (int i = 0; i < 5; i++)
        printf("%d %s\n", words[i]->count, words[i]->text);
    printf("%d words\n", used);
    free(words);
    free(text);
    return 0;
}
