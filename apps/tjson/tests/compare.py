"""Random texts and damaged ones: tjson must accept what Python's json module accepts (read
strictly), refuse the rest, and print values that are equal. Arguments: tjson, a folder."""
import json
import os
import random
import re
import subprocess
import sys

tjson, folder = sys.argv[1], os.path.join(sys.argv[2], "compare")
os.mkdir(folder)
rng = random.Random(8259)


def value(depth):
    kind = rng.randrange(8 if depth < 5 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-(10**rng.randrange(1, 20)), 10**20)
    if kind == 2:
        return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-30, 30)
    if kind < 6:
        letters = 'abc "\\\n\t\x01/\u00e4\u20ac\U0001f600\ud7ff'
        return "".join(rng.choice(letters) for _ in range(rng.randrange(8)))
    if kind == 6:
        return [value(depth + 1) for _ in range(rng.randrange(6))]
    return {str(rng.randrange(50)): value(depth + 1) for _ in range(rng.randrange(6))}


def damaged(data):
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(4)
        piece = rng.choice([b",", b"]", b"}", b'"', b"0", b"-", b".", b"e", b"\\u", b"\\ud83d",
                            b"\x80", b"\xff", b"\xed\xa0\x80", b"\x00", b"\x0c", b"tru", b" "])
        if what == 0:
            data = data[:at] + piece + data[at:]
        elif what == 1:
            data = data[:at] + data[at + 1:]
        elif what == 2:
            data = data[:at] + piece + data[at + 1:]
        else:
            data = data[:at]
    return data


def refuse(text):
    raise ValueError(text)


def strict(data):
    """The value, or None in a list when the text is not JSON."""
    try:
        text = data.decode("utf-8", "strict")
        result = json.loads(text, parse_constant=refuse)
        json.dumps(result, ensure_ascii=False).encode("utf-8", "strict")  # lone surrogates
        # Of keys that come twice Python keeps the last: look at all of them.
        json.loads(text, object_pairs_hook=lambda pairs: [
            (k.encode("utf-8", "strict"), str(v).encode("utf-8", "strict")) for k, v in pairs])
        return [result]
    except (ValueError, RecursionError):
        return []


cases = []
for number in range(1500):
    plain = value(0)
    data = json.dumps(plain, ensure_ascii=rng.random() < 0.5,
                      indent=rng.choice([None, 1, 4])).encode()
    if number % 3:
        data = damaged(data)
    name = os.path.join(folder, f"{number}.json")
    with open(name, "wb") as file:
        file.write(data)
    cases.append((name, data, strict(data)))

run = subprocess.run([tjson, "check"] + [c[0] for c in cases], capture_output=True)
errors = run.stderr.decode().splitlines()
refused = {line.split(":")[0] for line in errors}
wrong = 0
for line in errors:
    if not re.fullmatch(r"[^:]+:\d+:\d+: .+", line):
        print("  odd message:", line)
        wrong += 1
for name, data, expected in cases:
    if (name in refused) != (not expected):
        print("  another verdict:", data[:200], "accepted" if expected else "refused", "by Python")
        wrong += 1
good = [c for c in cases if c[2]][:150]
for name, data, expected in good:
    for style in (["--compact"], ["--indent", "3"]):
        out = subprocess.run([tjson, "fmt", *style, name], capture_output=True).stdout
        if json.loads(out) != expected[0]:
            print("  another value:", data[:200], out[:200])
            wrong += 1
print(f"  {len(cases)} texts, {len(refused)} refused, {len(good)} printed")
sys.exit(1 if wrong or run.returncode != 1 else 0)
