"""A run as one file: a tar archive, compressed by Zstandard, that any other tool can open.

Packing the same run twice gives the same bytes. What is unpacked may come from anywhere: only regular files with plain
names below the run's own folder are written, and no more of them, and no larger, than a run could have.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pacecar.archive import RunError, tape
from pacecar.system.disk import room_for

_MAX_FILES = 100_000
_MAX_FOLDERS = 20_000
_MAX_BYTES = 8 * 1024**3
#: Unpacked bytes: so many, and so many for each packed one. Logs, the most repetitive of what a run holds, stay below.
_SLACK_BYTES = 256 << 20
_MAX_RATIO = 100
_MAX_DEPTH = 16
_MAX_NAME = 200
_MAX_PATH = 500
_CHUNK = 1 << 20


def pack(folder: Path, file: Path) -> None:
    """Write the regular files of the run in `folder` into the new file `file`; hidden ones and links stay out.

    Raises:
        NoRoom: when there is no room.
        RunError: when a file cannot be read or is changed meanwhile, or the run holds what `unpack` refuses.
    """
    import pyarrow as pa  # a quarter of a second, for those who pack alone

    with room_for(file):
        try:
            with (
                pa.output_stream(str(file), compression="zstd") as stream,
                tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
            ):
                written = _Written(left=_MAX_BYTES)
                for path in _files(folder):
                    entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                    entry.size = path.stat().st_size
                    written.admit(tape.Entry(name=entry.name, size=entry.size))
                    with path.open("rb") as content:
                        archive.addfile(entry, content)
        except (tarfile.TarError, pa.ArrowException) as error:
            raise RunError(f"{folder} cannot be packed: {error}.") from error
        if _MAX_BYTES - written.left > _most_unpacked(file.stat().st_size):
            raise RunError(f"{folder} cannot be packed: it repeats itself more than any that Pacecar writes.")


def unpack(file: Path, folder: Path) -> None:
    """Write what the packed run `file` holds into the new folder `folder`.

    Raises:
        RunError: when it is no packed run, or holds what no run has.
        NoRoom: when there is no room.
    """
    import pyarrow as pa  # a quarter of a second, for those who pack alone

    with room_for(folder):
        folder.mkdir()
        try:
            with pa.input_stream(str(file), compression="zstd") as stream:
                _unpack(stream.read, folder, most=_most_unpacked(file.stat().st_size))
        except (pa.ArrowException, ValueError, EOFError) as error:
            raise RunError(f"{file.name} is not a packed run: {_first_line(error)}.") from error
        except OSError as error:
            # Arrow tells of damaged data by the errors of files, without a number.
            if error.errno is None:
                raise RunError(f"{file.name} is not a packed run: {_first_line(error)}.") from error
            raise


def _most_unpacked(packed: int) -> int:
    return min(_MAX_BYTES, _SLACK_BYTES + _MAX_RATIO * packed)


def _unpack(read: tape.Read, folder: Path, *, most: int) -> None:
    written = _Written(left=most)
    for entry in tape.entries(read):
        parts = written.admit(entry)
        path = folder.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as out:
                _copy(read, out, entry)
        except (FileExistsError, NotADirectoryError) as error:
            raise RunError(f"The run holds {entry.name[:100]!r} twice.") from error


def _copy(read: tape.Read, out: IO[bytes], entry: tape.Entry) -> None:
    left = entry.size
    while left:
        chunk = read(min(left, _CHUNK))
        if not chunk:
            raise tape.NoTape(f"it ends inside {entry.name[:100]!r}")
        left -= out.write(chunk)


@dataclass(kw_only=True)
class _Written:
    """What was unpacked so far, against what a run can hold.

    Attributes:
        left: bytes that may still come.
        files: how many there were.
        names: digests of the names as a file system sees them that knows no case and one form of each letter.
        folders: paths of the folders.
    """

    left: int
    files: int = 0
    names: set[bytes] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def admit(self, entry: tape.Entry) -> list[str]:
        """The parts of the path of `entry`, which is counted. Raises RunError when no run holds such a file."""
        shown = repr(entry.name[:100])
        parts = entry.name.split("/")
        if len(parts) > _MAX_DEPTH or len(entry.name) > _MAX_PATH or not all(map(_is_plain, parts)):
            raise RunError(f"The run holds {shown}, which is not a file name of a run.")
        self.folders.add("/".join(parts[:-1]))
        self.files += 1
        self.left -= entry.size
        if self.files > _MAX_FILES or len(self.folders) > _MAX_FOLDERS or self.left < 0:
            raise RunError(f"The run is larger than any that Pacecar writes: see {shown}.")
        name = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", entry.name).casefold())
        digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
        if digest in self.names:
            raise RunError(f"The run holds {shown} twice.")
        self.names.add(digest)
        return parts


def _is_plain(part: str) -> bool:
    # A name with a dot before it is somebody's work in progress, and `..` leads out. Not UTF-8: not printable.
    return part.isprintable() and 0 < len(part.encode()) <= _MAX_NAME and not part.startswith(".")


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(here) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
