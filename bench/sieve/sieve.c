// The sieve of Eratosthenes. Prints how many primes there are below n, and the last.
#include <stdio.h>
#include <stdlib.h>

static int sieve(int n, unsigned char composite[], int *last) {
    int count = 0;
    for (int i = 0; i < n; i++)
        composite[i] = 0;
    for (int i = 2; i < n; i++) {
        if (composite[i])
            continue;
        count++;
        *last = i;
        if (i <= n / i)
            for (int j = i * i; j < n; j += i)
                composite[j] = 1;
    }
    return count;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    int n = 4000000;
    unsigned char *composite = malloc(n);
    int count = 0, last = 0;
    for (int round = 0; round < rounds; round++)
        count += sieve(n - round, composite, &last);
    printf("%d %d\n", count, last);
    free(composite);
    return 0;
}
