# What the tests of the programs share: PROGRAM/tests/run.sh reads this first, then builds.
# TOFT is the compiler, FLAGS are its options (--release). $app is the program's folder and
# the working one, $work a folder that is gone afterwards.
app=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$app" || exit 1
toft=${TOFT:-../../target/release/toft}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
passed=0
failed=0

report() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
    fi
}

check() { # NAME: by the status of the command before
    report "$1" $?
}

status() { # STATUS COMMAND...: the command's exit status is STATUS
    want=$1
    shift
    "$@" >"$work/stdout" 2>"$work/stderr"
    [ $? -eq "$want" ]
}

build() { # the program, into $work
    "$toft" build ${FLAGS:---release} -o "$work/$(basename "$app")"
    report "build" $?
    [ "$failed" -eq 0 ] || exit 1
}

test_blocks() {
    "$toft" test >"$work/unit" 2>&1
    report "test blocks" $?
    grep -v ' ok$' "$work/unit" | grep '^test ' | grep -v '^test result: ok'
}

finish() { # the last line of a script
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
