#!/bin/sh
# Runs the built command on images that images.py makes. Needs python3. TOFT names the compiler's
# command.
set -u
. "$(dirname "$0")/../../frame.sh"

test_blocks
build

python3 "$app/tests/images.py" "$work/timg" "$work" || failed=$((failed + 1))

cd "$work" || exit 1
printf 'P5 2 2 255\nabcd' >small.pgm
./timg info small.pgm >got && printf 'small.pgm: PGM, 2 x 2, 8 bits, grey\n' | cmp -s - got
report "info" $?
./timg info small.pgm none.png small.pgm >got 2>err
[ $? -eq 1 ] && [ "$(wc -l <got)" -eq 2 ] && grep -q 'none.png: open: No such file' err
report "info, a missing file" $?
./timg convert - out.pgm <small.pgm && printf 'P5\n2 2\n255\nabcd' | cmp -s - out.pgm
report "standard input" $?
./timg convert small.pgm no/such/folder/out.png 2>err
[ $? -eq 1 ]
report "unwritable output" $?
./timg convert small.pgm out.gif 2>err
[ $? -eq 2 ]
report "unknown format of the output" $?
./timg convert small.pgm 2>err
[ $? -eq 2 ]
report "too few arguments" $?
./timg info small.pgm >/dev/full 2>err
[ $? -eq 1 ]
report "full disk" $?
[ "$(find . -name '*.timg-*' | wc -l)" -eq 0 ]
report "nothing left behind" $?
finish
