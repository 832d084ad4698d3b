#!/bin/sh
# Runs the built command on files. Needs python3. TOFT names the compiler's command.
set -u
. "$(dirname "$0")/../../frame.sh"

# expect NAME STATUS STDOUT STDERR ARGS...: the exact status and texts; stdin from $work/in
expect() {
    name=$1 status=$2 out=$3 err=$4
    shift 4
    (cd "$work" && ./tjson "$@" <in >got.out 2>got.err)
    got=$?
    printf '%b' "$out" >"$work/want.out"
    printf '%b' "$err" >"$work/want.err"
    if [ $got -eq "$status" ] && cmp -s "$work/got.out" "$work/want.out" &&
        cmp -s "$work/got.err" "$work/want.err"; then
        report "$name" 0
    else
        report "$name" 1
        echo "  status $got, stdout:"
        head -c 400 "$work/got.out"
        echo "  stderr:"
        head -c 400 "$work/got.err"
    fi
}
input() { printf '%b' "$1" >"$work/in"; }

test_blocks
build

input '{"a":[1,2.50,{"b":"x\\\\n"}],"e":[],"o":{}}'
expect "fmt" 0 '{\n  "a": [\n    1,\n    2.50,\n    {\n      "b": "x\\\\n"\n    }\n  ],\n  "e": [],\n  "o": {}\n}\n' '' fmt
expect "fmt --compact" 0 '{"a":[1,2.50,{"b":"x\\\\n"}],"e":[],"o":{}}\n' '' fmt --compact -
expect "get element" 0 '2.50\n' '' get '.a[1]'
expect "get every" 0 '1\n2.50\n{"b":"x\\\\n"}\n' '' get --compact '.a[]'
expect "get --raw" 0 'x\\n\n' '' get --raw '.a[-1]."b"'
expect "get nothing there" 1 '' 'tjson: path .a[7]: there is no such element\n' get '.a[7].b'
expect "get bad path" 1 '' 'tjson: path .a[: an index, a key in quotes or ] is needed here\n' get '.a[x]'
expect "check stdin" 0 '' '' check
expect "fmt to a file" 0 '' '' fmt --indent 0 -o new.json
printf '{\n"a": [\n1,\n2.50,\n{\n"b": "x\\\\n"\n}\n],\n"e": [],\n"o": {}\n}\n' | cmp -s - "$work/new.json"
report "file written" $?

input '{\n  "name": "\0303\0244\0303\0266", "n": 01\n}\n'
expect "line and column" 1 '' '(standard input):2:23: a number must not begin with a zero\n' check
expect "nothing printed for bad input" 1 '' '(standard input):2:23: a number must not begin with a zero\n' fmt
expect "nothing written for bad input" 1 '' '(standard input):2:23: a number must not begin with a zero\n' fmt -o none.json
[ ! -e "$work/none.json" ]
report "no file for bad input" $?
printf '[1,2]' >"$work/good.json"
printf '[1,2' >"$work/cut.json"
expect "check files" 1 '' 'cut.json:1:5: the text ends inside an array\n' check good.json cut.json
expect "missing file" 2 '' 'tjson: missing.json: No such file or directory\n' check missing.json good.json
(cd "$work" && ./tjson fmt -o no/such/dir good.json) 2>/dev/null
[ $? -eq 2 ]
report "unwritable output" $?
(cd "$work" && ./tjson fmt good.json >/dev/full) 2>/dev/null
[ $? -eq 2 ]
report "full disk" $?
(cd "$work" && ./tjson frobnicate) >/dev/null 2>&1
[ $? -eq 2 ]
report "unknown command" $?

python3 -c 'print("[" * 10000 + "]" * 10000)' >"$work/in"
expect "10000 levels" 0 '' '' check
"$work/tjson" fmt --indent 1 <"$work/in" | "$work/tjson" fmt --compact | cmp -s - "$work/in"
report "10000 levels printed and read again" $?
python3 -c 'print("[" * 100000)' >"$work/in"
expect "too deep" 1 '' '(standard input):1:10001: nested deeper than 10000 levels\n' check

python3 "$app/tests/compare.py" "$work/tjson" "$work"
report "the same verdicts and values as Python" $?
finish
