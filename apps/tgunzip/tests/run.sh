#!/bin/sh
# Builds tgunzip and compares it with gzip on real and on damaged files.
. "$(dirname "$0")/../../frame.sh"
build
gunzip="$work/tgunzip"

# What there is to compress: text, noise, zeros, nothing, a byte.
cat src/*.toft ../*/src/*.toft >"$work/text"
head -c 300000 /dev/urandom >"$work/noise"
head -c 3000000 /dev/zero >"$work/zeros"
: >"$work/empty"
printf x >"$work/byte"
cat "$work/text" "$work/noise" "$work/zeros" "$work/text" >"$work/mixed"

for level in 1 2 3 4 5 6 7 8 9; do
    for file in text noise zeros empty byte mixed; do
        gzip -c -$level "$work/$file" | "$gunzip" >"$work/out" && cmp -s "$work/$file" "$work/out"
        check "level $level, $file"
    done
done

i=0
while [ $i -lt 12 ]; do
    cat "$work/mixed"
    i=$((i + 1))
done >"$work/big"
gzip -c "$work/big" >"$work/big.gz"
"$gunzip" -c "$work/big.gz" | cmp -s - "$work/big"; check "$(wc -c <"$work/big") bytes"

# Members, headers.
{ gzip -c "$work/text"; gzip -c "$work/empty"; gzip -c "$work/byte"; } >"$work/three.gz"
cat "$work/text" "$work/byte" >"$work/three.expected"
"$gunzip" -c "$work/three.gz" | cmp -s - "$work/three.expected"; check "members one after another"
gzip -c <"$work/text" | "$gunzip" | cmp -s - "$work/text"; check "no name in the header"
# Extra field (abc), name (n), comment (c) and the header's checksum; then "hello".
printf '\037\213\010\036\0\0\0\0\0\003\003\0abcn\0c\0' >"$work/h"
body='\313\110\315\311\311\007\000\206\246\020\066\005\0\0\0'
{ cat "$work/h"; printf '\340\255'; printf "$body"; } >"$work/full.gz"
[ "$("$gunzip" -c "$work/full.gz")" = hello ]; check "every optional header field"
{ cat "$work/h"; printf '\340\254'; printf "$body"; } >"$work/hcrc.gz"
status 1 "$gunzip" -t "$work/hcrc.gz"; check "a wrong header checksum"

# Files.
gzip -c "$work/text" >"$work/a.gz"
(cd "$work" && "$gunzip" -k a.gz) && cmp -s "$work/a" "$work/text" && [ -f "$work/a.gz" ]; check "-k"
status 1 "$gunzip" "$work/a.gz" && grep -q "already exists" "$work/stderr"; check "nothing is overwritten"
status 0 "$gunzip" -f "$work/a.gz" && [ ! -f "$work/a.gz" ]; check "-f; the input is removed"
gzip -c "$work/text" >"$work/t.tgz"
status 0 "$gunzip" "$work/t.tgz" && cmp -s "$work/t.tar" "$work/text"; check ".tgz"
gzip -c "$work/text" >"$work/a.gz"
status 0 "$gunzip" -o "$work/o" "$work/a.gz" && cmp -s "$work/o" "$work/text" && [ -f "$work/a.gz" ]
check "-o"
chmod 600 "$work/a.gz"
rm -f "$work/a"
"$gunzip" -k "$work/a.gz" && [ "$(ls -l "$work/a" | cut -c1-10)" = -rw------- ]; check "the mode is kept"
status 0 "$gunzip" -t "$work/a.gz" && [ ! -s "$work/stdout" ]; check "-t"

# Damage.
status 1 "$gunzip" -t "$work/nowhere.gz" && grep -q "No such file" "$work/stderr"; check "no file"
mkdir "$work/folder.gz"
status 1 "$gunzip" "$work/folder.gz" && grep -q "is a directory" "$work/stderr"; check "a folder"
status 1 "$gunzip" "$work/text" && grep -q "unknown ending" "$work/stderr"; check "another ending"
status 1 "$gunzip" -t "$work/text" && grep -q "not in gzip format" "$work/stderr"; check "another format"
status 1 "$gunzip" -t "$work/empty"; check "an empty file"
status 1 "$gunzip" --unknown; check "an unknown option"
size=$(wc -c <"$work/a.gz")
bad=0
for cut in 1 2 9 10 11 15 20 100 1000 $((size - 9)) $((size - 8)) $((size - 5)) $((size - 1)); do
    head -c "$cut" "$work/a.gz" >"$work/cut.gz"
    status 1 "$gunzip" "$work/cut.gz" && [ ! -e "$work/cut" ] || bad=1
done
ls "$work" | grep -q tgunzip- && bad=1
[ $bad -eq 0 ]; check "cut short: an error, and no file is left"
{ head -c $((size - 8)) "$work/a.gz"; printf '\0\0\0\0'; tail -c 4 "$work/a.gz"; } >"$work/crc.gz"
status 1 "$gunzip" -t "$work/crc.gz" && grep -q "checksum" "$work/stderr"; check "a wrong checksum"
{ head -c $((size - 4)) "$work/a.gz"; printf '\0\0\0\0'; } >"$work/size.gz"
status 1 "$gunzip" -t "$work/size.gz" && grep -q "size" "$work/stderr"; check "a wrong size"
{ cat "$work/a.gz"; printf garbage; } >"$work/tail.gz"
status 2 "$gunzip" -t "$work/tail.gz" && grep -q "garbage" "$work/stderr"; check "garbage behind: a warning"
{ cat "$work/a.gz"; printf '\0\0\0\0\0'; } >"$work/tail.gz"
status 0 "$gunzip" -t "$work/tail.gz"; check "zeros behind"
# Each byte of the body changed in turn: an error or, rarely, the same size and sum. Never a crash.
bad=0
i=18
while [ $i -lt 218 ]; do
    { head -c $i "$work/a.gz"; printf '\125'; tail -c +$((i + 2)) "$work/a.gz"; } >"$work/flip.gz"
    "$gunzip" -t "$work/flip.gz" 2>/dev/null
    [ $? -le 2 ] || bad=1
    i=$((i + 1))
done
[ $bad -eq 0 ]; check "changed bytes never crash it"
if [ -w /dev/full ]; then
    "$gunzip" -c "$work/big.gz" >/dev/full 2>"$work/stderr"
    [ $? -eq 1 ] && grep -q "No space" "$work/stderr"; check "a full disk"
fi

finish
