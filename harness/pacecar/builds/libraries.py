"""The files beside a jar that it cannot run without: what its manifest's class path names."""

from __future__ import annotations

import os
import zipfile
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

_LARGEST_MANIFEST = 1 << 20
_MOST_ENTRIES = 5_000


def libraries_of(jar: Path) -> tuple[str, ...]:
    """Paths of existing files, relative to the jar's folder and below it, that its `Class-Path` names; () of none."""
    found = []
    for entry in manifest_of(jar).get("Class-Path", "").split()[:_MOST_ENTRIES]:
        path = PurePosixPath(unquote(entry))
        inside = not path.is_absolute() and ".." not in path.parts and ":" not in entry
        if inside and (jar.parent / path).is_file():
            found.append(str(path))
    return tuple(dict.fromkeys(found))


def manifest_of(jar: Path) -> dict[str, str]:
    """The main attributes of a jar's manifest; {} where it has none that can be read."""
    try:
        with zipfile.ZipFile(jar) as archive:
            info = archive.getinfo("META-INF/MANIFEST.MF")
            content = archive.read(info) if info.file_size <= _LARGEST_MANIFEST else b""
    except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError):
        return {}
    # Lines of 72 bytes, each continued by a blank: joined without one, unlike in mail.
    joined = content.replace(b"\r\n", b"\n").replace(b"\n ", b"")
    return {name: str(value) for name, value in BytesParser().parsebytes(joined, headersonly=True).items()}


def files_below(folder: Path) -> list[Path]:
    """All files below `folder`, links included but not followed, in order."""
    found = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        found += [Path(parent) / name for name in (*names, *links)]
    return sorted(found)
