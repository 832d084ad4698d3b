// A JSON text is made, read into a tree, and the tree summed up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { JSON_NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT };

struct value {
    enum kind kind;
    double number;
    char *key;
    char *text;
    struct value *first;
    struct value *next;
};

struct writer {
    char *text;
    size_t at;
    unsigned seed;
};

struct reader {
    const char *text;
    size_t at;
};

static unsigned pick(struct writer *w, unsigned below) {
    w->seed = w->seed * 1664525 + 1013904223;
    return (w->seed >> 16) % below;
}

static void put(struct writer *w, const char *s) {
    size_t n = strlen(s);
    memcpy(w->text + w->at, s, n);
    w->at += n;
}

static void put_number(struct writer *w) {
    char digits[32];
    unsigned whole = pick(w, 10000);
    snprintf(digits, sizeof digits, "%u.%u", whole, pick(w, 100));
    put(w, digits);
}

static void write_value(struct writer *w, int depth) {
    int kind = depth == 0 ? ARRAY : depth > 4 ? pick(w, 4) : 2 + pick(w, 4);
    int n = depth == 0 ? 2000 : pick(w, 8);
    switch (kind) {
    case JSON_NULL: put(w, "null"); break;
    case BOOLEAN: put(w, pick(w, 2) ? "true" : "false"); break;
    case NUMBER: put_number(w); break;
    case STRING: put(w, "\"some text \\\"here\\\" \\n and there\""); break;
    case ARRAY:
        put(w, "[ ");
        for (int i = 0; i < n; i++) {
            if (i > 0) put(w, ", ");
            write_value(w, depth + 1);
        }
        put(w, " ]");
        break;
    case OBJECT:
        put(w, "{ ");
        for (int i = 0; i < n; i++) {
            put(w, i > 0 ? ", \"member" : "\"member");
            put_number(w);
            put(w, "\": ");
            write_value(w, depth + 1);
        }
        put(w, " }");
        break;
    }
}

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static char next(struct reader *r) {
    while (r->text[r->at] == ' ' || r->text[r->at] == '\n') r->at++;
    return r->text[r->at];
}

static char *read_string(struct reader *r) {
    const char *text = r->text;
    size_t start = ++r->at;
    while (text[r->at] != '"') r->at += text[r->at] == '\\' ? 2 : 1;
    char *result = malloc(r->at - start + 1);
    size_t used = 0;
    for (size_t i = start; i < r->at; i++) {
        if (text[i] != '\\') {
            result[used++] = text[i];
        } else {
            i++;
            result[used++] = text[i] == 'n' ? '\n' : text[i];
        }
    }
    result[used] = 0;
    r->at++;
    return result;
}

static double read_number(struct reader *r) {
    const char *text = r->text;
    size_t at = r->at;
    double value = 0, scale = 1;
    int sign = 1;
    if (text[at] == '-') {
        sign = -1;
        at++;
    }
    while (text[at] >= '0' && text[at] <= '9') value = value * 10 + (text[at++] - '0');
    if (text[at] == '.') {
        at++;
        while (text[at] >= '0' && text[at] <= '9') {
            scale /= 10;
            value += scale * (text[at++] - '0');
        }
    }
    r->at = at;
    return sign * value;
}

static struct value *read_value(struct reader *r) {
    struct value *v = malloc(sizeof(struct value));
    struct value *last = NULL;
    char c = next(r);
    v->number = 0;
    v->key = NULL;
    v->text = NULL;
    v->first = NULL;
    v->next = NULL;
    if (c == '"') {
        v->kind = STRING;
        v->text = read_string(r);
    } else if (c == '{' || c == '[') {
        v->kind = c == '{' ? OBJECT : ARRAY;
        char close = c == '{' ? '}' : ']';
        r->at++;
        if (next(r) == close) {
            r->at++;
            return v;
        }
        for (;;) {
            char *key = NULL;
            if (c == '{') {
                if (next(r) != '"') fail("a key is needed");
                key = read_string(r);
                if (next(r) != ':') fail("a colon is needed");
                r->at++;
            }
            struct value *item = read_value(r);
            item->key = key;
            if (last == NULL) v->first = item;
            else last->next = item;
            last = item;
            char end = next(r);
            r->at++;
            if (end == close) break;
            if (end != ',') fail("a comma is needed");
        }
    } else if (c == 't' || c == 'f') {
        v->kind = BOOLEAN;
        v->number = c == 't';
        r->at += c == 't' ? 4 : 5;
    } else if (c == 'n') {
        v->kind = JSON_NULL;
        r->at += 4;
    } else {
        v->kind = NUMBER;
        v->number = read_number(r);
    }
    return v;
}

static double sum(const struct value *v) {
    double result = v->number;
    if (v->key != NULL) result += strlen(v->key);
    if (v->text != NULL) result += strlen(v->text);
    for (const struct value *item = v->first; item != NULL; item = item->next)
        result += sum(item);
    return result;
}

static void drop(struct value *v) {
    while (v != NULL) {
        struct value *next = v->next;
        drop(v->first);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 70;
    struct writer w = { malloc(8000000), 0, 1 };
    write_value(&w, 0);
    w.text[w.at] = 0;
    double total = 0;
    for (int round = 0; round < rounds; round++) {
        struct reader r = { w.text, 0 };
        struct value *v = read_value(&r);
        total += sum(v);
        drop(v);
    }
    printf("%zu %.3f\n", w.at, total);
    free(w.text);
    return 0;
}
