"""The entries of a tar stream from anywhere: regular files by plain names, and nothing that costs before it is checked.

The standard library reads whatever a header claims to have, extended headers of gigabytes and chains of thousands of
them, before it hands out an entry. A packed run of ours holds nothing but regular files, each with at most one extended
header for its name; so that is all that is read here. The formats: POSIX.1-2017, pax, "ustar Interchange Format" and
"pax Header Block".
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pacecar.archive import RunError

_BLOCK = tarfile.BLOCKSIZE
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
#: Ample for a path; ours says nothing else there.
_MOST_EXTENDED = 16 << 10
#: What an extended header may say beside the path; none of it is taken over.
_IGNORED = {"mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment", "charset", "hdrcharset", "linkpath"}

Read = Callable[[int], bytes]


class NoTape(ValueError):
    """Bytes that are no tar stream, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A regular file: its name as it stands there, unchecked, and the bytes that follow."""

    name: str
    size: int


def entries(read: Read) -> Iterator[Entry]:
    """The files of the stream that `read` reads, in order.

    Whoever takes an entry reads `entry.size` bytes from `read` before asking for the next.

    Raises:
        NoTape: when it is no tar stream, or ends too early.
        RunError: when it holds something else than regular files.
    """
    while (block := _exactly(read, _BLOCK)).count(0) < _BLOCK:
        header, name = _header(block), ""
        if header.type == tarfile.XHDTYPE:
            name = _extended(header, read)
            header = _header(_exactly(read, _BLOCK))
        entry = Entry(name=name or header.name, size=header.size)
        if header.type not in _FILES:
            raise RunError(f"The run holds {entry.name[:100]!r}, which is not a regular file.")
        yield entry
        _exactly(read, -entry.size % _BLOCK)


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError, IndexError, OverflowError) as error:
        raise NoTape("one of its headers is damaged") from error
    if header.size < 0:
        raise NoTape(f"{header.name[:100]!r} has a negative size")
    return header


def _extended(header: tarfile.TarInfo, read: Read) -> str:
    """The path that an extended header states, "" where it states none."""
    if header.size > _MOST_EXTENDED:
        raise RunError(f"The run holds an extended header of {header.size} bytes, which Pacecar never writes.")
    path = ""
    for key, value in _records(_exactly(read, header.size)):
        if key == "path":
            path = value
        elif key not in _IGNORED:
            # Sizes beside those of the header, sparse files, links: whatever it is, we never write it.
            raise RunError(f"The run holds an extended header about {key[:40]!r}, which Pacecar never writes.")
    _exactly(read, -header.size % _BLOCK)
    return path


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """Key and value of each record: its length, a blank, the key, an equals sign, the value, a line break."""
    at = 0
    while at < len(content) and content[at] != 0:
        blank = content.find(b" ", at, at + 8)
        digits = content[at:blank] if blank > 0 else b""
        length = int(digits) if digits.isdigit() else 0
        record = content[blank + 1 : at + length]
        key, equals, value = record[:-1].partition(b"=")
        if at + length <= blank + 2 or at + length > len(content) or record[-1:] != b"\n" or not equals:
            raise NoTape("an extended header is damaged")
        yield key.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        at += length


def _exactly(read: Read, size: int) -> bytes:
    found = read(size) if size else b""
    while len(found) < size and (more := read(size - len(found))):
        found += more
    if len(found) < size:
        raise NoTape("it ends too early")
    return found
