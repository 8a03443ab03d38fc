"""Zip files, such as jars, whose directory is looked at before it is read.

The standard library makes an object of every entry that the directory holds, however many, and its readers raise a
dozen kinds of exceptions for damaged ones. Here a directory is counted first, and whatever is wrong is `NoJar`.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from pacecar.system.foreign import files

#: Bytes of a jar, of its directory, and how many entries that may have.
MOST_BYTES = 2 << 30
_MOST_DIRECTORY = 64 << 20
MOST_ENTRIES = 200_000
_END, _END_64, _AT_64, _ENTRY = b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\1\2"
_END_BYTES, _END_64_BYTES, _AT_64_BYTES, _ENTRY_BYTES = 22, 56, 20, 46
_LONGEST_COMMENT = 1 << 16
_LOCAL, _LOCAL_BYTES = b"PK\3\4", 30
_ENCRYPTED = 1
_LONGEST_PREAMBLE = 1 << 20
_FAILURES = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
)


class NoJar(Exception):
    """A file that is no zip file, or one that no build makes; the message says why."""


@contextlib.contextmanager
def opened(jar: Path | bytes) -> Iterator[zipfile.ZipFile]:
    """The jar at a path, or in memory, for reading.

    Raises:
        NoJar: when it is none, too large, or is found damaged while it is read inside.
        OSError: when the file cannot be read.
    """
    with contextlib.ExitStack() as stack:
        file: BinaryIO = (
            io.BytesIO(jar) if isinstance(jar, bytes) else stack.enter_context(files.opened(jar, most=MOST_BYTES))
        )
        try:
            _check_directory(file)
            yield stack.enter_context(zipfile.ZipFile(file))
        except _FAILURES as error:
            raise NoJar(str(error) or type(error).__name__) from error


def content(jar: zipfile.ZipFile, name: str, *, most: int) -> bytes | None:
    """The bytes of one entry; None when it has more than `most`. Raises NoJar when it is damaged."""
    try:
        with jar.open(name) as entry:
            found = entry.read(most + 1)
    except (*_FAILURES, OSError) as error:  # an OSError: an offset below zero
        raise NoJar(str(error) or type(error).__name__) from error
    return found if len(found) <= most else None


def packed(jar: zipfile.ZipFile, name: str, *, portion: int) -> Iterator[bytes]:
    """One entry as it is stored, in portions; the first says by which method. Raises NoJar when it is damaged."""
    info = jar.getinfo(name)
    yield f"{info.compress_type} {info.flag_bits & _ENCRYPTED}".encode()
    file, left = _file(jar), info.compress_size
    file.seek(info.header_offset)
    header = file.read(_LOCAL_BYTES)
    if header[:4] != _LOCAL or len(header) < _LOCAL_BYTES:
        raise NoJar(f"no entry where its directory has {name[:100]!r}")
    at = info.header_offset + _LOCAL_BYTES + sum(struct.unpack("<HH", header[26:30]))
    while left:
        file.seek(at)  # somebody may have read another entry since
        found = file.read(min(portion, left))
        if not found:
            raise NoJar(f"the end within {name[:100]!r}")
        at, left = at + len(found), left - len(found)
        yield found


def unpacked(jar: zipfile.ZipFile, name: str, *, portion: int) -> Iterator[bytes]:
    """The bytes of one entry in portions, all but the last of the same length. Raises NoJar when it is damaged."""
    try:
        with jar.open(name) as entry:
            while found := entry.read(portion):
                yield found
    except (*_FAILURES, OSError) as error:
        raise NoJar(str(error) or type(error).__name__) from error


def preamble(jar: zipfile.ZipFile) -> bytes:
    """What stands before the first entry. Raises NoJar when it is more than any script."""
    length = min((info.header_offset for info in jar.infolist()), default=0)
    if not 0 <= length <= _LONGEST_PREAMBLE:
        raise NoJar(f"{length} bytes before its first entry")
    file = _file(jar)
    file.seek(0)
    return file.read(length)


def _file(jar: zipfile.ZipFile) -> IO[bytes]:
    if jar.fp is None:
        raise NoJar("it is closed")
    return jar.fp


def _check_directory(file: BinaryIO) -> None:
    """Count the entries as the standard library will."""
    size = file.seek(0, io.SEEK_END)
    at = max(0, size - _END_BYTES - _LONGEST_COMMENT)
    file.seek(at)
    tail = file.read()
    found = len(tail) - _END_BYTES if tail[-_END_BYTES:][:4] == _END else tail.rfind(_END)
    end = tail[max(found, 0) : max(found, 0) + _END_BYTES]
    if found < 0 or len(end) < _END_BYTES:
        raise NoJar("File is not a zip file")
    length = int.from_bytes(end[12:16], "little")
    before = at + found
    file.seek(max(0, before - _AT_64_BYTES))
    if before >= _AT_64_BYTES + _END_64_BYTES and file.read(4) == _AT_64:
        before -= _AT_64_BYTES + _END_64_BYTES
        file.seek(before)
        end_64 = file.read(_END_64_BYTES)
        if end_64[:4] == _END_64:
            length = int.from_bytes(end_64[40:48], "little")
    if length > min(before, _MOST_DIRECTORY):
        raise NoJar(f"its directory claims {length} bytes")
    file.seek(before - length)
    directory, entries, at = file.read(length), 0, 0
    while directory[at : at + 4] == _ENTRY:
        entries += 1
        at += _ENTRY_BYTES + sum(struct.unpack("<HHH", directory[at + 28 : at + 34].ljust(6, b"\0")))
    if entries > MOST_ENTRIES:
        raise NoJar(f"more than {MOST_ENTRIES} entries")
    file.seek(0)
