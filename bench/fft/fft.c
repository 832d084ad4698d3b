// A fast Fourier transform there and back, in place, radix 2.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.141592653589793

static void bit_reverse(int n, double re[], double im[]) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i];
            re[i] = re[j];
            re[j] = t;
            t = im[i];
            im[i] = im[j];
            im[j] = t;
        }
    }
}

static void fft(int n, double re[], double im[], const double cosine[], const double sine[],
                int sign) {
    bit_reverse(n, re, im);
    for (int len = 2; len <= n; len *= 2) {
        int half = len / 2;
        int step = n / len;
        for (int start = 0; start < n; start += len)
            for (int k = 0; k < half; k++) {
                double wr = cosine[k * step];
                double wi = sign * sine[k * step];
                int p = start + k;
                int q = p + half;
                double tr = re[q] * wr - im[q] * wi;
                double ti = re[q] * wi + im[q] * wr;
                re[q] = re[p] - tr;
                im[q] = im[p] - ti;
                re[p] += tr;
                im[p] += ti;
            }
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 36;
    int n = 1 << 17;
    double *re = malloc(n * sizeof(double));
    double *im = malloc(n * sizeof(double));
    double *cosine = malloc(n / 2 * sizeof(double));
    double *sine = malloc(n / 2 * sizeof(double));
    for (int i = 0; i < n / 2; i++) {
        cosine[i] = cos(2 * PI * i / n);
        sine[i] = sin(2 * PI * i / n);
    }
    for (int i = 0; i < n; i++) {
        re[i] = i % 17;
        im[i] = i % 5;
    }
    for (int round = 0; round < rounds; round++) {
        fft(n, re, im, cosine, sine, -1);
        fft(n, re, im, cosine, sine, 1);
        for (int i = 0; i < n; i++) {
            re[i] /= n;
            im[i] /= n;
        }
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += re[i] * (i % 3) + im[i];
    printf("%.3f\n", sum);
    free(re);
    free(im);
    free(cosine);
    free(sine);
    return 0;
}
