// Base64, there and back.
#include <stdio.h>
#include <stdlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static signed char values[256];

static void make_values(void) {
    for (int i = 0; i < 256; i++)
        values[i] = -1;
    for (int i = 0; i < 64; i++)
        values[(unsigned char)digits[i]] = i;
}

static int encode(const unsigned char *in, int n, char *out) {
    int i = 0, j = 0;
    for (; i + 2 < n; i += 3) {
        unsigned w = (unsigned)in[i] << 16 | in[i + 1] << 8 | in[i + 2];
        out[j++] = digits[w >> 18 & 63];
        out[j++] = digits[w >> 12 & 63];
        out[j++] = digits[w >> 6 & 63];
        out[j++] = digits[w & 63];
    }
    if (i < n) {
        unsigned w = (unsigned)in[i] << 16 | (i + 1 < n ? in[i + 1] << 8 : 0);
        out[j++] = digits[w >> 18 & 63];
        out[j++] = digits[w >> 12 & 63];
        out[j++] = i + 1 < n ? digits[w >> 6 & 63] : '=';
        out[j++] = '=';
    }
    return j;
}

// The length of what was written, or -1 for a text that is not base64.
static int decode(const char *in, int n, unsigned char *out) {
    int j = 0;
    unsigned w = 0;
    int bits = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] == '=')
            break;
        int value = values[(unsigned char)in[i]];
        if (value < 0)
            return -1;
        w = w << 6 | value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[j++] = w >> bits & 255;
        }
    }
    return j;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 280;
    int size = 1000000;
    unsigned char *data = malloc(size);
    char *text = malloc(size / 3 * 4 + 8);
    unsigned char *back = malloc(size + 8);
    make_values();
    unsigned sum = 0;
    for (int i = 0; i < size; i++)
        data[i] = i * 7 + (i >> 8);
    for (int round = 0; round < rounds; round++) {
        int n = size - round % 3;
        int length = encode(data, n, text);
        if (decode(text, length, back) != n)
            return 1;
        sum = sum * 31 + text[round * 100] + back[round * 1000];
    }
    printf("%u\n", sum);
    free(data);
    free(text);
    free(back);
    return 0;
}
