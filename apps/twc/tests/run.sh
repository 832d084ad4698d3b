#!/bin/sh
# Runs the built command on texts, against a pipeline and against Python. TOFT names the
# compiler's command.
set -u
here=$(cd "$(dirname "$0")" && pwd)
toft=${TOFT:-$here/../../../target/release/toft}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
export LC_ALL=C

report() { # name, status
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "FAILED $1"; failed=1; fi
}
same() { # name, file, file
    cmp -s "$2" "$3"
    report "$1" $?
    cmp -s "$2" "$3" || diff "$2" "$3" | head -8
}

(cd "$here/.." && "$toft" test) >"$tmp/unit" 2>&1
report "test blocks" $?
grep -v ' ok$' "$tmp/unit" | grep '^test ' | grep -v '^test result: ok'
(cd "$here/.." && "$toft" build --release -o "$tmp/twc") || { report build 1; exit 1; }
twc=$tmp/twc

python3 - "$tmp" <<'P'
import random, sys
rng = random.Random(1)
words = ["".join(rng.choice("abcdefghijklmnopqrstuvwxyzABCDEF") for _ in range(rng.randrange(1, 12)))
         for _ in range(20000)]
with open(sys.argv[1] + "/text", "w") as file:
    for _ in range(600000):
        file.write(words[int(rng.paretovariate(0.5)) % 20000] + rng.choice([" ", " ", ", ", ".\n", "\n\n", " 12 "]))
alphabet = "aAzZ\u00e4\u00c4\u00df\u0416\u0436\u0391\u03b1\u4e2d\U0001d400\u0301\u0130"
with open(sys.argv[1] + "/unicode", "wb") as file:
    for _ in range(40000):
        word = "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 4)))
        file.write(word.encode() + rng.choice([b" ", b"\xe2\x80\x94", b"1", b"\n", b"\xff", b"\xc3", b"\xed\xa0\x80"]))
P
tr -cs A-Za-z '\n' <"$tmp/text" | grep . | sort | uniq -c | sort -k1,1nr -k2 >"$tmp/want"
"$twc" "$tmp/text" >"$tmp/got"
same "the same as tr | sort | uniq" "$tmp/want" "$tmp/got"
"$twc" -n 50 <"$tmp/text" >"$tmp/got"
head -50 "$tmp/want" >"$tmp/want50"
same "-n, standard input" "$tmp/want50" "$tmp/got"
tr A-Z a-z <"$tmp/text" | tr -cs a-z '\n' | grep ... | sort | uniq -c | sort -k1,1nr -k2 >"$tmp/want"
"$twc" -i -l 3 "$tmp/text" >"$tmp/got"
same "-i -l" "$tmp/want" "$tmp/got"
cat "$tmp/text" "$tmp/text" | "$twc" >"$tmp/want"
"$twc" "$tmp/text" - <"$tmp/text" >"$tmp/got"
same "two files" "$tmp/want" "$tmp/got"

python3 - "$tmp" <<'P'
import collections, sys, unicodedata
text = open(sys.argv[1] + "/unicode", "rb").read().decode("utf-8", "replace")
for name, fold in (("plain", False), ("folded", True)):
    counts, word = collections.Counter(), ""
    for c in text + " ":
        if unicodedata.category(c)[0] in "LM":
            low = c.lower()
            word += low if fold and len(low) == 1 else c
        elif word:
            counts[word.encode()] += 1
            word = ""
    with open(sys.argv[1] + "/want." + name, "wb") as file:
        for word, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            file.write(b"%7d %s\n" % (n, word))
P
"$twc" "$tmp/unicode" >"$tmp/got"
same "the same as Python on Unicode" "$tmp/want.plain" "$tmp/got"
"$twc" -i "$tmp/unicode" >"$tmp/got"
same "the same as Python on Unicode, -i" "$tmp/want.folded" "$tmp/got"

: | "$twc" >"$tmp/got" && [ ! -s "$tmp/got" ]
report "empty input" $?
printf 'b a b' >"$tmp/short"
"$twc" "$tmp/none" "$tmp/short" >"$tmp/got" 2>"$tmp/err"
[ $? -eq 1 ] && grep -q "none: No such file" "$tmp/err" && [ "$(wc -l <"$tmp/got")" -eq 2 ]
report "a missing file" $?
"$twc" "$tmp" >/dev/null 2>&1
[ $? -eq 1 ]
report "a folder" $?
"$twc" "$tmp/text" >/dev/full 2>/dev/null
[ $? -eq 1 ]
report "full disk" $?
"$twc" -x >/dev/null 2>&1
[ $? -eq 2 ]
report "unknown option" $?
"$twc" -n many "$tmp/short" >/dev/null 2>&1
[ $? -eq 2 ]
report "-n without a number" $?
exit $failed
