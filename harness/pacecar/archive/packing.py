"""A run as one file: a tar archive, compressed by Zstandard, that any other tool can open.

Packing the same run twice gives the same bytes. What is unpacked may come from anywhere: only regular files with plain
names below the run's own folder are written, and no more of them, and no larger, than a run could have.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from pacecar.archive import RunError, durable

_MAX_FILES = 100_000
_MAX_BYTES = 8 * 1024**3
_MAX_DEPTH = 16
_MAX_NAME = 200
_CHUNK = 1 << 20


def pack(folder: Path, file: Path) -> None:
    """Write the regular files of the run in `folder` into the new file `file`; hidden ones and links stay out.

    Raises:
        ArchiveFull: when there is no room.
        RunError: when a file cannot be read or is changed meanwhile.
    """
    with durable.room_for(file):
        try:
            with (
                pa.output_stream(str(file), compression="zstd") as stream,
                tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
            ):
                for path in _files(folder):
                    entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                    entry.size = path.stat().st_size
                    with path.open("rb") as content:
                        archive.addfile(entry, content)
        except (tarfile.TarError, pa.ArrowException) as error:
            raise RunError(f"{folder} cannot be packed: {error}.") from error


def unpack(file: Path, folder: Path) -> None:
    """Write what the packed run `file` holds into the new folder `folder`.

    Raises:
        RunError: when it is no packed run, or holds what no run has.
        ArchiveFull: when there is no room.
    """
    with durable.room_for(folder):
        folder.mkdir()
        try:
            with (
                pa.input_stream(str(file), compression="zstd") as stream,
                tarfile.open(fileobj=stream, mode="r|") as archive,
            ):
                _unpack(archive, folder)
        except (tarfile.TarError, pa.ArrowException, ValueError, EOFError) as error:
            raise RunError(f"{file.name} is not a packed run: {_first_line(error)}.") from error
        except OSError as error:
            # Arrow tells of damaged data by the errors of files, without a number.
            if error.errno is None:
                raise RunError(f"{file.name} is not a packed run: {_first_line(error)}.") from error
            raise


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    left = _MAX_BYTES
    for number, entry in enumerate(archive):
        _check_entry(entry, number=number, left=left)
        left -= entry.size
        path = folder / entry.name
        content = archive.extractfile(entry)
        if content is None:
            raise RunError(f"The packed run holds {entry.name!r}, which is no file.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as out:
                _copy(content, out)
        except (FileExistsError, NotADirectoryError) as error:
            raise RunError(f"The packed run holds {entry.name!r} twice.") from error


def _copy(content: IO[bytes], out: IO[bytes]) -> None:
    while chunk := content.read(_CHUNK):
        out.write(chunk)


def _check_entry(entry: tarfile.TarInfo, *, number: int, left: int) -> None:
    shown = repr(entry.name[:100])
    if not entry.isreg() or entry.issparse():
        raise RunError(f"The packed run holds {shown}, which is no regular file.")
    parts = entry.name.split("/")
    if len(parts) > _MAX_DEPTH or not all(map(_is_plain, parts)):
        raise RunError(f"The packed run holds {shown}, which is no name of a file in a run.")
    if number >= _MAX_FILES or entry.size > left:
        raise RunError(f"The packed run is larger than any run of ours: see {shown}.")


def _is_plain(part: str) -> bool:
    # A name with a dot before it is somebody's work in progress, and `..` leads out.
    return 0 < len(part.encode("utf-8", "replace")) <= _MAX_NAME and not part.startswith(".") and part.isprintable()


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(here) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
