// How many ways there are to place n queens on an n by n board.
#include <stdio.h>
#include <stdlib.h>

#define MAX 16

struct board {
    int n;
    int queen[MAX];
    char column[MAX];
    char up[2 * MAX];
    char down[2 * MAX];
};

static int place(struct board *b, int row) {
    if (row == b->n)
        return 1;
    int count = 0;
    for (int x = 0; x < b->n; x++) {
        if (b->column[x] || b->up[row + x] || b->down[row - x + MAX])
            continue;
        b->queen[row] = x;
        b->column[x] = b->up[row + x] = b->down[row - x + MAX] = 1;
        count += place(b, row + 1);
        b->column[x] = b->up[row + x] = b->down[row - x + MAX] = 0;
    }
    return count;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 13;
    if (n < 1 || n > MAX)
        return 1;
    struct board b = {0};
    b.n = n;
    printf("%d\n", place(&b, 0));
    return 0;
}
