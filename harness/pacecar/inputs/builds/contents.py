"""What a build consists of, a jar or a folder: the names of its files, what tells them apart, and their bytes.

A jar may hold other jars, as those of Spring Boot do. Everything is read in portions or within budgets: a build may be
gigabytes, and may have been made by anybody.
"""

from __future__ import annotations

import contextlib
import functools
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from pacecar.inputs.builds.libraries import files_below, libraries_of
from pacecar.system.foreign import files, jars
from pacecar.system.foreign.jars import NoJar

_LARGEST_INNER_BYTES = 256 << 20
#: Of all archives inside one together.
_MOST_INNER_BYTES = 1 << 30
_MOST_ENTRIES = 200_000
_PORTION = 1 << 20

Checksums = dict[str, int]


class Contents(Protocol):
    """The files of a jar or folder, by their paths in it."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, in the order in which they lie there."""

    @property
    def checksums(self) -> Checksums:
        """CRC-32 of each, of a folder only of what is a jar or a class; a jar's directory may lie."""

    @property
    def around(self) -> tuple[bytes, bytes]:
        """What stands before the first of them, such as a script that starts a jar, and behind the last; of a folder
        nothing.
        """

    def size_of(self, name: str) -> int:
        """The bytes of one, unpacked; a jar's directory may lie."""

    def bytes_of(self, name: str) -> bytes:
        """One of them, if it is not too large: else none."""

    def packed(self, name: str) -> Iterator[bytes]:
        """One of them in portions, as it is stored; the first portion says how."""

    def unpacked(self, name: str) -> Iterator[bytes]:
        """One of them in portions, each as long as can be."""


class Jar:
    """A jar, by its directory."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = _MOST_INNER_BYTES
        self.names = tuple(archive.namelist())
        self.checksums = {info.filename: info.CRC for info in archive.infolist()}

    @property
    def around(self) -> tuple[bytes, bytes]:
        """See `Contents`."""
        return jars.preamble(self._archive), self._archive.comment

    def size_of(self, name: str) -> int:
        """See `Contents`."""
        return self._archive.getinfo(name).file_size

    def bytes_of(self, name: str) -> bytes:
        """See `Contents`."""
        found = jars.content(self._archive, name, most=min(_LARGEST_INNER_BYTES, self._left)) or b""
        self._left -= len(found)
        return found

    def packed(self, name: str) -> Iterator[bytes]:
        """See `Contents`."""
        return jars.packed(self._archive, name, portion=_PORTION)

    def unpacked(self, name: str) -> Iterator[bytes]:
        """See `Contents`."""
        return jars.unpacked(self._archive, name, portion=_PORTION)


class Folder:
    """A folder, and what lies below it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.names = tuple(path.relative_to(folder).as_posix() for path in files_below(folder))
        self.around = (b"", b"")
        if len(self.names) > _MOST_ENTRIES:
            raise NoJar(f"more than {_MOST_ENTRIES} files")

    @functools.cached_property
    def checksums(self) -> Checksums:
        """See `Contents`."""
        told = [name for name in self.names if name.endswith((".jar", ".class")) and (self._folder / name).is_file()]
        return {name: self._crc(name) for name in told}

    def size_of(self, name: str) -> int:
        """See `Contents`."""
        return (self._folder / name).lstat().st_size

    def bytes_of(self, name: str) -> bytes:
        """See `Contents`."""
        try:
            return files.content(self._folder / name, most=_LARGEST_INNER_BYTES)
        except files.Unfit:
            return b""

    def packed(self, name: str) -> Iterator[bytes]:
        """See `Contents`."""
        return self.unpacked(name)

    def unpacked(self, name: str) -> Iterator[bytes]:
        """See `Contents`: a link is the path that it leads to."""
        path = self._folder / name
        if path.is_symlink():
            yield b"link " + os.fsencode(path.readlink())
            return
        with files.opened(path, most=jars.MOST_BYTES) as file:
            while portion := file.read(_PORTION):
                yield portion

    def _crc(self, name: str) -> int:
        return functools.reduce(lambda crc, portion: zlib.crc32(portion, crc), self.unpacked(name), 0)


@contextlib.contextmanager
def opened(built: Path | bytes) -> Iterator[Contents]:
    """What the build at a path, or the jar in memory, consists of.

    Raises:
        NoJar: when it is no archive that can be read; also when that is found while it is read.
        OSError: when a file cannot be read.
    """
    if isinstance(built, Path) and built.is_dir():
        yield Folder(built)
    elif isinstance(built, Path) and libraries_of(built):
        yield Folder(built.parent)
    else:
        with jars.opened(built) as archive:
            yield Jar(archive)
