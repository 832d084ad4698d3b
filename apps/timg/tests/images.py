"""Makes PNG and PNM images of every kind, has timg convert them, and checks every sample; damages
files and expects them refused. Arguments: timg, a folder. Only the standard library is used."""
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import zlib

timg, folder = sys.argv[1], os.path.join(sys.argv[2], "images")
os.mkdir(folder)
rng = random.Random(2083)
failed = 0
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def path(name):
    return os.path.join(folder, name)


def report(name, good):
    global failed
    print(("ok " if good else "FAILED ") + name)
    failed += not good


def run(*args):
    done = subprocess.run([timg, *args], capture_output=True, timeout=60)
    return done.returncode, done.stderr.decode(errors="replace")


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def paeth(a, b, c):
    return min((a, b, c), key=lambda v: abs(a + b - c - v))


def guess(kind, row, above, i, step):
    left = row[i - step] if i >= step else 0
    corner = above[i - step] if i >= step else 0
    return (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]


def pack(values, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", v) for v in values)
    bits = "".join(format(v, f"0{depth}b") for v in values)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(rows, depth, channels):
    step = max(1, depth * channels // 8)
    out, above = b"", None
    for values in rows:
        row = pack(values, depth)
        above = above or bytes(len(row))
        kind = rng.randrange(5)
        out += bytes([kind]) + bytes((row[i] - guess(kind, row, above, i, step)) % 256 for i in range(len(row)))
        above = row
    return out


def make_png(width, height, colour, depth, interlaced, pixels, extra=b"", pieces=1, level=9, strategy=0):
    """pixels[y][x] is a tuple of samples."""
    raw = b""
    for x0, y0, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        rows = [[s for p in row[x0::dx] for s in p] for row in pixels[y0::dy]]
        if rows and rows[0]:
            raw += filtered(rows, depth, CHANNELS[colour])
    packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
    data = packer.compress(raw) + packer.flush()
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(pieces - 1))
    parts = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
            + extra + b"".join(chunk(b"IDAT", p) for p in parts) + chunk(b"tEXt", b"a\0b") + chunk(b"IEND", b""))


def read_png(data):
    """What timg writes: no palette, not interlaced. (width, height, depth, samples a pixel, rows)"""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, idat = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + content) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        at += n + 12
        if kind == b"IHDR":
            width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", content)
        if kind == b"IDAT":
            idat += content
    raw, channels = zlib.decompress(idat), CHANNELS[colour]
    n, step, rows, above = width * channels * depth // 8, channels * depth // 8, [], None
    above = bytes(n)
    assert len(raw) == height * (n + 1)
    for y in range(height):
        kind, row = raw[y * (n + 1)], bytearray(raw[y * (n + 1) + 1:(y + 1) * (n + 1)])
        for i in range(n):
            row[i] = (row[i] + guess(kind, row, above, i, step)) % 256
        above = row
        values = row if depth == 8 else struct.unpack(f">{n // 2}H", bytes(row))
        rows.append([tuple(values[x * channels:(x + 1) * channels]) for x in range(width)])
    return width, height, depth, channels, rows


def read_pnm(data):
    lines = data.split(b"\n", 3)
    width, height = map(int, lines[1].split())
    channels, depth = (1 if lines[0] == b"P5" else 3), 8 if lines[2] == b"255" else 16
    values = lines[3] if depth == 8 else struct.unpack(f">{len(lines[3]) // 2}H", lines[3])
    assert len(values) == width * height * channels
    return width, height, depth, channels, [
        [tuple(values[(y * width + x) * channels:(y * width + x + 1) * channels]) for x in range(width)]
        for y in range(height)]


def convert(data, ending, *steps, source="in"):
    """The image that comes out, or the message."""
    name, out = path(source), path("out." + ending)
    if os.path.exists(out):
        os.remove(out)
    with open(name, "wb") as file:
        file.write(data)
    status, message = run("convert", name, out, *steps)
    if status:
        assert not os.path.exists(out), "a file is left behind"
        return status, message
    with open(out, "rb") as file:
        return (read_png if ending == "png" else read_pnm)(file.read())


def random_rows(width, height, channels, top):
    smooth = rng.random() < 0.5
    return [[tuple((x * 3 + y * 5 + c) * top // 200 % (top + 1) if smooth else rng.randrange(top + 1)
                   for c in range(channels)) for x in range(width)] for y in range(height)]


def all_kinds():
    for colour in DEPTHS:
        for depth, interlaced in itertools.product(DEPTHS[colour], (0, 1)):
            good, where = True, ""
            for width, height in [(1, 1), (7, 5), (33, 17), (2, 9), (60, 3)]:
                for clear in (False, True):
                    good &= one_kind(colour, depth, interlaced, width, height, clear)
            report(f"PNG of colour type {colour}, {depth} bits{', interlaced' if interlaced else ''}", good)


def one_kind(colour, depth, interlaced, width, height, clear):
    top = (1 << depth) - 1
    out_top = 65535 if depth == 16 else 255
    extra = b""
    if colour == 3:
        count = min(1 << depth, rng.randrange(1, 257))
        palette = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(count)]
        alphas = [rng.randrange(256) for _ in range(rng.randrange(count + 1))]
        extra = chunk(b"PLTE", b"".join(map(bytes, palette)))
        if clear:
            extra += chunk(b"tRNS", bytes(alphas))
        rows = random_rows(width, height, 1, count - 1)
        alphas += [255] * (count - len(alphas))
        want = [[palette[i] + ((alphas[i],) if clear else ()) for (i,) in row] for row in rows]
    else:
        rows = random_rows(width, height, CHANNELS[colour], top)
        want = [[tuple(v * out_top // top for v in p) for p in row] for row in rows]
        if clear and colour in (0, 2):
            key = rows[0][0]
            extra = chunk(b"tRNS", b"".join(struct.pack(">H", v) for v in key))
            want = [[w + (0 if p == key else out_top,) for w, p in zip(*pair)] for pair in zip(want, rows)]
    data = make_png(width, height, colour, depth, interlaced, rows, extra, rng.randrange(1, 5),
                    rng.choice([0, 1, 6, 9]), rng.choice([0, zlib.Z_HUFFMAN_ONLY, zlib.Z_FIXED, zlib.Z_RLE]))
    got = convert(data, "png")
    expected = (width, height, 16 if depth == 16 else 8, len(want[0][0]), want)
    if got != expected:
        print("  ", colour, depth, interlaced, width, height, clear, str(got)[:300], str(expected)[:300])
    pnm = convert(data, "ppm")
    n = len(want[0][0])
    colours = [[(p[:3] if n > 2 else p[:1] * 3) for p in row] for row in want]
    return got == expected and pnm == (width, height, expected[2], 3, colours)


def pnm_kinds():
    good = True
    for top, channels in itertools.product((1, 15, 100, 255, 256, 1000, 65535), (1, 3)):
        rows = random_rows(13, 6, channels, top)
        flat = [v for row in rows for p in row for v in p]
        raw = bytes(flat) if top < 256 else b"".join(struct.pack(">H", v) for v in flat)
        data = b"P%d\n# made for a test\n13 6 %d\n" % (5 if channels == 1 else 6, top) + raw
        out = 255 if top < 256 else 65535
        want = [[tuple((v * out + top // 2) // top for v in p) for p in row] for row in rows]
        expected = (13, 6, 8 if out == 255 else 16, channels, want)
        good &= convert(data, "png") == expected
        good &= convert(data, "pgm" if channels == 1 else "ppm") == expected
    report("PGM and PPM", good)


def blend(rows, channels, weights_across, weights_down, top):
    """weights[i] is a list of (place, weight). Colours count as much as they can be seen."""
    alpha = channels % 2 == 0
    out = []
    for down in weights_down:
        line = []
        for across in weights_across:
            sums = [0.0] * channels
            for y, wy in down:
                for x, wx in across:
                    p, w = rows[y][x], wx * wy
                    for c in range(channels):
                        last = alpha and c < channels - 1
                        sums[c] += w * p[c] * (p[-1] / top if last else 1)
            if alpha:
                sums[:-1] = [s * top / sums[-1] if sums[-1] > 0 else 0 for s in sums[:-1]]
            line.append(tuple(sums))
        out.append(line)
    return out


def area(a, b):
    return [[(k, (min((k + 1) * b, (i + 1) * a) - max(k * b, i * a)) / a)
             for k in range(i * a // b, ((i + 1) * a + b - 1) // b)] for i in range(b)]


def bilinear(a, b):
    out = []
    for i in range(b):
        at = (i + 0.5) * a / b - 0.5
        low = math.floor(at)
        out.append([(min(max(low + k, 0), a - 1), w) for k, w in ((0, 1 - (at - low)), (1, at - low))])
    return out


def around(n, weights):
    r, total = len(weights) // 2, sum(weights)
    return [[(min(max(i + d, 0), n - 1), weights[r + d] / total) for d in range(-r, r + 1)] for i in range(n)]


def close(got, want):
    return all(abs(g - w) <= 0.51 + 0.0001 * w for a, b in zip(got, want) for p, q in zip(a, b) for g, w in zip(p, q))


def filters():
    for colour, depth in ((0, 8), (2, 8), (4, 8), (6, 8), (2, 16), (6, 16)):
        channels, top = CHANNELS[colour], (1 << depth) - 1
        rows = random_rows(19, 11, channels, top)
        data = make_png(19, 11, colour, depth, 0, rows)
        for name, method in (("area", area), ("bilinear", bilinear)):
            good = True
            for width, height in ((19, 11), (7, 5), (40, 23), (1, 1), (3, 30)):
                got = convert(data, "png", "resize", f"{width}x{height}", name)
                want = blend(rows, channels, method(19, width), method(11, height), top)
                good &= got[:4] == (width, height, depth, channels) and close(got[4], want)
            report(f"resize {name}, {channels} channels, {depth} bits", good)
        good = True
        for width, height in ((19, 11), (7, 5), (40, 23), (1, 1)):
            got = convert(data, "png", "resize", f"{width}x{height}", "nearest")
            good &= got[4] == [[rows[(2 * y + 1) * 11 // (2 * height)][(2 * x + 1) * 19 // (2 * width)]
                                for x in range(width)] for y in range(height)]
        report(f"resize nearest, {channels} channels, {depth} bits", good)
        for step, value, weights in (
                ("blur", "1.5", [math.exp(-d * d / 4.5) for d in range(-5, 6)]),
                ("blur", "6", [math.exp(-d * d / 72) for d in range(-18, 19)]),
                ("box", "2", [1] * 5), ("box", "0", [1]), ("box", "30", [1] * 61)):
            got = convert(data, "png", step, value)
            want = blend(rows, channels, around(19, weights), around(11, weights), top)
            report(f"{step} {value}, {channels} channels, {depth} bits", close(got[4], want))


def simple_steps():
    rows = random_rows(9, 6, 4, 255)
    data = make_png(9, 6, 6, 8, 1, rows)
    report("flip horizontal", convert(data, "png", "flip", "horizontal")[4] == [r[::-1] for r in rows])
    report("flip vertical", convert(data, "png", "flip", "vertical")[4] == rows[::-1])
    report("crop", convert(data, "png", "crop", "3x2+5+4")[4] == [r[5:8] for r in rows[4:6]])
    grey = [[((r * 19595 + g * 38470 + b * 7471 + 32768) >> 16, a) for r, g, b, a in row] for row in rows]
    report("grey", convert(data, "png", "grey")[3:] == (2, grey))
    report("grey to PGM", convert(data, "pgm", "grey")[3:] == (1, [[p[:1] for p in r] for r in grey]))
    report("depth 16", convert(data, "png", "depth", "16")[2:] == (16, 4, [[tuple(v * 257 for v in p) for p in r] for r in rows]))
    report("depth 16, depth 8", convert(data, "png", "depth", "16", "depth", "8")[4] == rows)
    report("steps in order", convert(data, "png", "crop", "3x2+5+4", "flip", "vertical", "resize", "6x4", "nearest")[4]
           == [[p for p in r[5:8] for _ in "12"] for r in (rows[5], rows[5], rows[4], rows[4])])
    for name, steps, status in (("crop outside", ("crop", "3x2+7+0"), 1), ("colours to PGM", (), 1),
                                ("resize to nothing", ("resize", "0x5"), 1), ("blur of nothing", ("blur", "0"), 1),
                                ("blur of NaN", ("blur", "nan"), 1), ("an unknown step", ("turn", "90"), 2),
                                ("a step cut off", ("crop",), 2), ("depth 9", ("depth", "9"), 1)):
        got = convert(data, "pgm" if name == "colours to PGM" else "png", *steps)
        report(f"refused: {name}", got[0] == status and len(got) == 2 and got[1].startswith("timg: "))
    big = random_rows(300, 200, 3, 255)
    report("a larger image", convert(make_png(300, 200, 2, 8, 0, big, pieces=7), "png")[4] == big)
    wave = [[(int(127 + 120 * math.sin(x / 9) * math.cos(y / 13)), x * y % 251, (x + y) % 256 * (x > 90)) for x in range(300)]
            for y in range(200)]
    report("a larger smooth image", convert(make_png(300, 200, 2, 8, 0, wave, pieces=7), "png")[4] == wave)
    with open(path("out.png"), "rb") as file:
        data = file.read()
    raw, at, packed = b"", 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += n + 12
    report("packed about as well as zlib does", len(packed) < 1.05 * len(zlib.compress(zlib.decompress(packed))))


def malformed():
    rows = random_rows(7, 5, 1, 3)
    ihdr = lambda *f: b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *f))
    idat = lambda raw: chunk(b"IDAT", zlib.compress(raw))
    end = chunk(b"IEND", b"")
    row = idat(bytes([0, 1, 2, 3]))
    plain = ihdr(3, 1, 8, 0, 0, 0, 0)
    palette = chunk(b"PLTE", b"abcdef")
    files = {
        "an empty file": b"", "text": b"hello world", "only a mark": b"\x89PNG\r\n\x1a\n",
        "no pixels": ihdr(0, 1, 8, 0, 0, 0, 0) + row + end,
        "a huge image": ihdr(0x7fffffff, 0x7fffffff, 8, 0, 0, 0, 0) + row + end,
        "a bomb": ihdr(10000, 10000, 16, 6, 0, 0, 0) + row + end,
        "3 bits": ihdr(3, 1, 3, 0, 0, 0, 0) + row + end,
        "16-bit palette": ihdr(3, 1, 16, 3, 0, 0, 0) + palette + row + end,
        "colour type 5": ihdr(3, 1, 8, 5, 0, 0, 0) + row + end,
        "compression 1": ihdr(3, 1, 8, 0, 1, 0, 0) + row + end,
        "filter method 1": ihdr(3, 1, 8, 0, 0, 1, 0) + row + end,
        "interlace 2": ihdr(3, 1, 8, 0, 0, 0, 2) + row + end,
        "no IDAT": plain + end, "no IEND": plain + row,
        "filter type 5": plain + idat(bytes([5, 1, 2, 3])) + end,
        "too little data": plain + idat(bytes([0, 1, 2])) + end,
        "too much data": plain + idat(bytes([0, 1, 2, 3, 4])) + end,
        "two IHDR": plain + plain[8:] + row + end,
        "IDAT before IHDR": plain[:8] + row + plain[8:] + end,
        "unknown critical chunk": plain + chunk(b"ABCD", b"") + row + end,
        "IDAT apart": plain + chunk(b"IDAT", zlib.compress(bytes(4))[:5]) + chunk(b"tIME", b"1234567")
        + chunk(b"IDAT", zlib.compress(bytes(4))[5:]) + end,
        "no palette": ihdr(3, 1, 8, 3, 0, 0, 0) + row + end,
        "beyond the palette": ihdr(3, 1, 8, 3, 0, 0, 0) + palette + row + end,
        "a palette of 4 bytes": ihdr(3, 1, 8, 3, 0, 0, 0) + chunk(b"PLTE", b"abcd") + row + end,
        "a palette too large": ihdr(3, 1, 1, 3, 0, 0, 0) + chunk(b"PLTE", b"abcdefghi") + idat(b"\0\0") + end,
        "a palette in grey": plain + palette + row + end,
        "a palette behind the data": ihdr(1, 1, 8, 2, 0, 0, 0) + row + palette + end,
        "too much tRNS": ihdr(3, 1, 8, 3, 0, 0, 0) + palette + chunk(b"tRNS", b"abc") + row + end,
        "tRNS with alpha": ihdr(1, 1, 8, 4, 0, 0, 0) + chunk(b"tRNS", b"ab") + idat(b"\0\0\0") + end,
        "bytes behind the end": plain + row + end + b"x",
        "a wrong CRC": plain + row[:-1] + bytes([row[-1] ^ 1]) + end,
        "a wrong Adler sum": plain + chunk(b"IDAT", zlib.compress(bytes(4))[:-1] + b"x") + end,
        "PPM cut off": b"P6 2 1 255\nabcde", "PGM sample too large": b"P5 1 1 9\nx",
        "PPM huge": b"P6 3000000000 3000000000 255\nx", "PGM of nothing": b"P5 0 1 255\n",
        "plain PGM": b"P2 1 1 255\n0\n", "PGM of letters": b"P5 a b 255\nx",
    }
    for name, data in files.items():
        got = convert(data, "png")
        report(f"refused: {name}", got[0] == 1 and len(got) == 2 and "uncaught" not in got[1] and got[1].count("\n") == 1)
    good = True
    data = make_png(7, 5, 3, 2, 1, rows, chunk(b"PLTE", bytes(range(12))) + chunk(b"tRNS", b"\1\2"))
    for n in range(0, len(data), 3):
        got = convert(data[:n], "png")
        good &= got[0] == 1 and len(got) == 2
    report("every third cut", good)
    # Damage below the checksums: random deflate data and headers with right CRCs.
    bad = 0
    for _ in range(300):
        raw = filtered([[s for p in r for s in p] for r in random_rows(7, 5, 3, 255)], 8, 3)
        packed = bytearray(zlib.compress(raw, rng.choice([0, 1, 9])))
        for _ in range(rng.randrange(1, 4)):
            packed[rng.randrange(len(packed))] = rng.randrange(256)
        got = convert(ihdr(7, 5, 8, 2, 0, 0, 0) + chunk(b"IDAT", bytes(packed)) + end, "png")
        bad += len(got) == 2 and (got[0] != 1 or "uncaught" in got[1])
        bad += len(got) != 2 and zlib.decompress(bytes(packed)) is None
    report("300 damaged streams", bad == 0)


all_kinds()
pnm_kinds()
filters()
simple_steps()
malformed()
sys.exit(1 if failed else 0)
