#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A folder as .tar.xz and Python packages as wheels, the same bytes each time: order, times, owners and modes are fixed.

usage: pack.py FOLDER FILE.tar.xz      the time of every file is SOURCE_DATE_EPOCH
"""

import base64
import gzip
import hashlib
import io
import itertools
import lzma
import os
import pathlib
import sys
import tarfile
import time
import zipfile

# A copy of the compiler in a wheel and the one beside the driver are one for the packer, if both fit its window.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 192 << 20}]


def epoch():
    value = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not value.isdecimal():
        sys.exit("pack.py: SOURCE_DATE_EPOCH must be the seconds of the last change, such as `git log -1 --format=%ct` gives")
    return int(value)


def entry(path, name, when):
    info = tarfile.TarInfo(name)
    info.mtime = when
    if path.is_symlink():
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
    elif path.is_dir():
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    else:
        info.size, info.mode = path.stat().st_size, 0o755 if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else 0o644
    return info


def tar_bytes(folder, when):
    """The folder under its own name; what is in it sorted by name."""
    folder = pathlib.Path(folder)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [folder, *sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix())]:
            info = entry(path, path.relative_to(folder.parent).as_posix(), when)
            if info.isreg():
                with open(path, "rb") as file:
                    tar.addfile(info, file)
            else:
                tar.addfile(info)
    return stream.getvalue()


def pack(folder, output, when=None):
    data = tar_bytes(folder, epoch() if when is None else when)
    pathlib.Path(output).write_bytes(lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=FILTERS))


def pack_gzip(folder, output, when):
    """As npm wants it."""
    with open(output, "wb") as file, gzip.GzipFile("", "wb", 9, file, when) as stream:
        stream.write(tar_bytes(folder, when))


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_wheel(output, name, version, tag, files, metadata, when=None):
    """A wheel whose files are stored, not deflated: the archive around it packs them once. files: {path in the wheel: bytes}.
    The tag of a wheel for several Pythons has a dot between them: cp39.cp311-cp39.cp311-PLATFORM."""
    info = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = metadata.encode()
    tags = "".join(f"Tag: {'-'.join(one)}\n" for one in itertools.product(*(part.split(".") for part in tag.split("-"))))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\n{tags}".encode()
    names = sorted(files, key=lambda n: (n.startswith(info), n))
    record = "".join(record_line(n, files[n]) for n in names) + f"{info}/RECORD,,\n"
    date = time.gmtime(max(epoch() if when is None else when, 315532800))[:6]  # a zip's times begin in 1980
    with zipfile.ZipFile(output, "w") as wheel:
        for n, data in [*((n, files[n]) for n in names), (f"{info}/RECORD", record.encode())]:
            member = zipfile.ZipInfo(n, date)
            member.create_system, member.external_attr = 3, (0o100755 if n.endswith(".so") else 0o100644) << 16
            wheel.writestr(member, data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack(sys.argv[1], sys.argv[2])
