#!/bin/sh
# Builds tgrep and compares it with grep -E, line by line and by exit status.
. "$(dirname "$0")/../../frame.sh"
export LC_ALL=C
build
tgrep="$work/tgrep"

cp src/*.toft src/*.h "$work"
cd "$work" || exit 1
cat *.toft *.h >corpus
printf 'no newline at the end' >>corpus
printf 'a\nb\n\nab\nAB\nfoo_bar foo-bar\n\n  x  \n' >small
: >empty

kind=-E
# same ARGUMENTS: both give the same output and the same exit status.
same() {
    grep $kind "$@" >want 2>/dev/null
    want=$?
    "$tgrep" "$@" >got 2>stderr
    got=$?
    cmp -s want got && [ $want -eq $got ]
}

while IFS= read -r pattern; do
    bad=0
    for flags in -n -c -on -vn -in -wn -xn -l -inw -vc -ion -m2; do
        same $flags -e "$pattern" corpus small empty || { bad=1; echo "    grep $flags -e '$pattern'"; }
    done
    [ $bad -eq 0 ]; check "pattern $pattern"
done <<'PATTERNS'
struct
^static
;$
^$
^
$
.
.*
a
int|char|void
[a-z]+_[a-z]+
[^a-z ]+
[[:upper:]]{2,}
[[:digit:]]+
[]{}]
[^]a-z]
\(.*\)
\[[a-z]+\]
(a|b)*c
(foo|foo_bar)
if \(.*\) \{$
^ +return
(^| )int
x?y?z?
([a-z])+[(]
\bnode\b
\Bode
\<set
_t\>
\w+\s*=\s*\w+
\W\W\W
[a-c-]+
a{2}
s{2}
(ab?){1,3}
o{0,2}p
[[:space:]]{8,}[^[:space:]]
"([^"\\]|\\.)*"
//.*[.]$
==|!=|<=|>=
()
a||b
x*
(a*)*
(a*)+$
((a|b)|(c|d))+
foo.bar
-
\.
\\
PATTERNS

bad=0
kind=
for word in 'p->at' '[' 'a.b' 'char ?' '' '*' '\' '$' 'NULL'; do
    for flags in -F -Fi -Fw -Fx -Fc -Fv -Fon; do
        same $flags -e "$word" corpus small || { bad=1; echo "    grep $flags -e '$word'"; }
    done
done
[ $bad -eq 0 ]; check "plain text (-F)"
kind=-E
same -e foo -e 'ba[rz]' corpus small; check "several patterns"
same 'one
static' corpus; check "a pattern of two lines"
same -h static *.toft && same -H static corpus && same -L static *.toft small; check "-h -H -L"
same -l static *.toft *.h && same -c static *.toft; check "-l -c"
same -q static corpus && same -q zebra corpus; check "-q"
same static nowhere corpus && grep -q "nowhere: No such file" stderr; check "a missing file"
same -s static nowhere corpus && [ ! -s stderr ]; check "-s"
grep -E static <corpus >want
"$tgrep" static <corpus | cmp -s - want && "$tgrep" -H static - <corpus | grep -q '^(standard input):'; check "the standard input"

mkdir -p tree/one tree/two/three
cp parse.toft tree/one; cp dfa.toft tree/two/three; cp regex.h tree
ln -s ../one tree/two/link
grep -rEn 'static|struct' tree | sort >want
"$tgrep" -rn 'static|struct' tree | sort >got; cmp -s want got; check "-r"
status 2 "$tgrep" static tree && grep -q "Is a directory" stderr; check "a folder without -r"

# Binary files.
printf 'text\000\nfind me\n' >binary
"$tgrep" find binary >got && [ "$(cat got)" = "Binary file binary matches" ]; check "a binary file"
grep -a find binary >want; "$tgrep" -a find binary | cmp -s - want; check "-a"
"$tgrep" -c find binary | grep -qx 1; check "-c on a binary file"
head -c 200000 /dev/urandom >noise
for pattern in a '[x-z]{3}' '^a' 'q$' '\xff'; do
    grep -aEc "$pattern" noise >want; "$tgrep" -ac "$pattern" noise | cmp -s - want
    check "noise, $pattern"
done

# Lines longer than the buffer.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "word%d ", i; print ""; print "end" }' >long
same -o 'word59[0-9]{3} ' long && same -c end long && same -v word long; check "a line of half a megabyte"

# Patterns that back-tracking matchers never finish.
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "a"; print "" }' >as
bad=0
for pattern in '(a*)*b' '(a|aa)+$' '(a|a)*(a|a)*(a|a)*b' '(.*)(.*)(.*)(.*)(.*)x' '((a+)+)+b' '(a?){50}a{50}b'; do
    timeout 20 "$tgrep" -c "$pattern" as >got
    [ $? -le 1 ] || { bad=1; echo "    $pattern"; }
done
[ $bad -eq 0 ]; check "linear time"

# What is refused.
bad=0
for pattern in '(' 'a(b' '[' '[a' '[z-a]' 'a{3,1}' 'a{5000}' '(((a{900}){900}){900})' '\' '[[:none:]]' '(a)\1'; do
    status 2 "$tgrep" -e "$pattern" small || { bad=1; echo "    $pattern"; }
done
[ $bad -eq 0 ]; check "malformed patterns"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "("; }' >deep
status 2 "$tgrep" -e "$(cat deep)" small; check "deep nesting"
status 2 timeout 20 "$tgrep" -e '(((((){1000}){1000}){1000}){1000}){1000}x{900}{900}{900}' small
check "huge repetition"
status 2 "$tgrep" --wrong a small; check "an unknown option"
status 2 "$tgrep"; check "no pattern"
if [ -w /dev/full ]; then
    "$tgrep" a corpus >/dev/full 2>stderr
    [ $? -eq 2 ] && grep -q "write error" stderr; check "a full disk"
fi

finish
