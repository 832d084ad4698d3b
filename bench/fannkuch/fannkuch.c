// Pancake flips over all permutations of 1..n. Prints the checksum and the most flips.
#include <stdio.h>
#include <stdlib.h>

#define MAX 16

static int max_flips;

static int fannkuch(int n) {
    int perm[MAX], perm1[MAX], count[MAX];
    int checksum = 0, index = 0, r = n;
    for (int i = 0; i < n; i++)
        perm1[i] = i;
    for (;;) {
        for (; r != 1; r--)
            count[r - 1] = r;
        for (int i = 0; i < n; i++)
            perm[i] = perm1[i];
        int flips = 0;
        int k;
        while ((k = perm[0]) != 0) {
            int half = (k + 1) >> 1;
            for (int i = 0; i < half; i++) {
                int swap = perm[i];
                perm[i] = perm[k - i];
                perm[k - i] = swap;
            }
            flips++;
        }
        if (flips > max_flips)
            max_flips = flips;
        checksum += index % 2 == 0 ? flips : -flips;
        for (;;) {
            if (r == n)
                return checksum;
            int first = perm1[0];
            for (int i = 0; i < r; i++)
                perm1[i] = perm1[i + 1];
            perm1[r] = first;
            count[r]--;
            if (count[r] > 0)
                break;
            r++;
        }
        index++;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    if (n < 1 || n > MAX)
        return 1;
    int checksum = fannkuch(n);
    printf("%d\nPfannkuchen(%d) = %d\n", checksum, n, max_flips);
    return 0;
}
