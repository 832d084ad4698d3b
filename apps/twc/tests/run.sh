#!/bin/sh
# Runs the built command on texts, against a pipeline and against Python. TOFT names the
# compiler's command.
set -u
. "$(dirname "$0")/../../frame.sh"
export LC_ALL=C

same() { # name, file, file
    cmp -s "$2" "$3"
    report "$1" $?
    cmp -s "$2" "$3" || diff "$2" "$3" | head -8
}

test_blocks
build
twc=$work/twc

python3 - "$work" <<'P'
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
tr -cs A-Za-z '\n' <"$work/text" | grep . | sort | uniq -c | sort -k1,1nr -k2 >"$work/want"
"$twc" "$work/text" >"$work/got"
same "the same as tr | sort | uniq" "$work/want" "$work/got"
"$twc" -n 50 <"$work/text" >"$work/got"
head -50 "$work/want" >"$work/want50"
same "-n, standard input" "$work/want50" "$work/got"
tr A-Z a-z <"$work/text" | tr -cs a-z '\n' | grep ... | sort | uniq -c | sort -k1,1nr -k2 >"$work/want"
"$twc" -i -l 3 "$work/text" >"$work/got"
same "-i -l" "$work/want" "$work/got"
cat "$work/text" "$work/text" | "$twc" >"$work/want"
"$twc" "$work/text" - <"$work/text" >"$work/got"
same "two files" "$work/want" "$work/got"

python3 - "$work" <<'P'
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
"$twc" "$work/unicode" >"$work/got"
same "the same as Python on Unicode" "$work/want.plain" "$work/got"
"$twc" -i "$work/unicode" >"$work/got"
same "the same as Python on Unicode, -i" "$work/want.folded" "$work/got"

: | "$twc" >"$work/got" && [ ! -s "$work/got" ]
report "empty input" $?
printf 'b a b' >"$work/short"
"$twc" "$work/none" "$work/short" >"$work/got" 2>"$work/err"
[ $? -eq 1 ] && grep -q "none: No such file" "$work/err" && [ "$(wc -l <"$work/got")" -eq 2 ]
report "a missing file" $?
"$twc" "$work" >/dev/null 2>&1
[ $? -eq 1 ]
report "a folder" $?
"$twc" "$work/text" >/dev/full 2>/dev/null
[ $? -eq 1 ]
report "full disk" $?
"$twc" -x >/dev/null 2>&1
[ $? -eq 2 ]
report "unknown option" $?
"$twc" -n many "$work/short" >/dev/null 2>&1
[ $? -eq 2 ]
report "-n without a number" $?
finish
