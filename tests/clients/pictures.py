# SPDX-License-Identifier: MIT
"""Pictures of clients: PNG files in and out, PPM files in, and how far two of them differ. Rows are bytes: red, green and blue of each pixel."""
import struct
import zlib


def write_png(path, rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    raw = b"".join(b"\0" + row for row in rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def unfilter(kind, row, above, step):
    """One row of a PNG file, in place; `step`: bytes of a pixel."""
    for i, value in enumerate(row):
        left, up, corner = row[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
        if kind == 1:
            value += left
        elif kind == 2:
            value += up
        elif kind == 3:
            value += (left + up) // 2
        else:
            near = left + up - corner
            value += min((abs(near - left), 0, left), (abs(near - up), 1, up), (abs(near - corner), 2, corner))[2]
        row[i] = value & 255


def read_png(path):
    """Of 8 bits a channel, with or without alpha, not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colors, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + size])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    if bits != 8 or colors not in (2, 6) or interlaced:
        raise ValueError(f"{path}: a PNG file of another kind")
    step = 3 if colors == 2 else 4
    raw, rows, above = zlib.decompress(packed), [], bytes(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        row = bytearray(raw[start + 1:start + 1 + width * step])
        if raw[start]:
            unfilter(raw[start], row, above, step)
        above = row
        rgb = bytearray(width * 3)
        for c in range(3):
            rgb[c::3] = row[c::step]
        rows.append(bytes(rgb))
    return rows


def read_ppm(path):
    with open(path, "rb") as file:
        kind, size, most, data = file.read().split(b"\n", 3)
    width, height = map(int, size.split())
    if kind != b"P6" or most != b"255" or len(data) != width * height * 3:
        raise ValueError(f"{path}: no whole picture")
    return [data[y * width * 3:(y + 1) * width * 3] for y in range(height)]


def difference(a, b, tolerance=24):
    """Share of the values that are further apart; 1 where the sizes differ."""
    a, b = b"".join(a), b"".join(b)
    if len(a) != len(b) or not a:
        return 1.0
    return sum(1 for x, y in zip(a, b) if abs(x - y) > tolerance) / len(a)


def colors(rows):
    """How many different ones there are."""
    return len({row[x:x + 3] for row in rows for x in range(0, len(row), 3)})
