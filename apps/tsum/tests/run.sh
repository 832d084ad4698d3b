#!/bin/sh
# Builds tsum and compares it with sha256sum, sha1sum, md5sum and gzip.
. "$(dirname "$0")/../../frame.sh"
build
tsum="$work/tsum"

cat src/*.toft >"$work/text"
head -c 3000000 /dev/urandom >"$work/noise"
: >"$work/empty"
for n in 1 54 55 56 57 63 64 65 119 120 128; do head -c $n "$work/noise" >"$work/n$n"; done

for a in sha256 sha1 md5; do
    "$tsum" -a $a src/*.toft "$work"/n* "$work/empty" >"$work/got"
    ${a}sum src/*.toft "$work"/n* "$work/empty" | cmp -s - "$work/got"; check "$a"
    "$tsum" -a $a <"$work/noise" >"$work/got"; ${a}sum <"$work/noise" | cmp -s - "$work/got"
    check "$a of the standard input"
    (cd "$work" && ${a}sum text noise empty n* >"$a.list" && "$tsum" -c "$a.list" >got \
        && ${a}sum -c "$a.list" | cmp -s - got)
    check "$a -c"
    (cd "$work" && "$tsum" -a $a --tag text noise >"$a.tags" && ${a}sum --tag text noise | cmp -s - "$a.tags" \
        && "$tsum" -c "$a.tags" >/dev/null)
    check "$a --tag"
done
[ "$(printf 123456789 | "$tsum" -a crc32)" = "cbf43926  -" ]; check "crc32"
if command -v gzip >/dev/null; then
    sum=$("$tsum" -a crc32 "$work/noise" | cut -d' ' -f1)
    gzip -kc "$work/noise" >"$work/noise.gz"
    gzip -lv "$work/noise.gz" | grep -q "$sum"; check "crc32 as gzip -lv has it"
fi
[ "$("$tsum" "$work/n55")" = "$(sha256sum "$work/n55")" ]; check "sha256 is what is taken"

# Names that need escapes.
odd="$work/a
b\\c"
cp "$work/text" "$odd"
"$tsum" "$odd" >"$work/got"; sha256sum "$odd" | cmp -s - "$work/got"; check "a newline in a name"
status 0 "$tsum" -c "$work/got"; check "... and back"

# Lists with damage.
(cd "$work" && sha256sum text noise >list && sed 's/^./x/' list >junk && sed -e 's/^[0-8]/9/' -e t -e 's/^./0/' list >wrong)
cd "$work" || exit 1
status 1 "$tsum" -c wrong && grep -q "text: FAILED" stdout && grep -q "2 computed checksums did NOT match" stderr
check "wrong sums"
status 1 "$tsum" -c junk && grep -q "no properly formatted" stderr; check "not a list"
cat list junk >both
status 0 "$tsum" -c both && grep -q "2 lines are improperly formatted" stderr; check "lines that are none"
sed 's/text/gone/' list >missing
status 1 "$tsum" -c missing && grep -q "gone: FAILED open or read" stdout; check "a listed file is missing"
status 0 "$tsum" -c --quiet list && [ ! -s stdout ]; check "--quiet"
status 1 "$tsum" -c --status wrong && [ ! -s stdout ] && [ ! -s stderr ]; check "--status"
status 1 "$tsum" -c -a md5 list; check "-c -a of another algorithm"
tr a-f A-F <list | sed 's/tExt/text/;s/noisE/noise/' >upper
status 0 "$tsum" -c upper; check "capital digits"

status 1 "$tsum" nowhere text && grep -q "nowhere: No such file" stderr && grep -q "text$" stdout
check "a missing file: the others are summed"
mkdir folder
status 1 "$tsum" folder && grep -q "Is a directory" stderr; check "a folder"
status 1 "$tsum" -a sha3 text; check "an unknown algorithm"
status 1 "$tsum" --wrong text; check "an unknown option"
status 0 "$tsum" -- text; check "--"

finish
