"""What one machine has another one measure: the folders it sends by way of the store, and how that ended.

    parts/20250301.<sha256>.<size>.tar.zst    a packed folder: a build, the tools of a run
    endings/20250301-101500-9f3a.json         why a run ended before it was complete

A part is put once and shared by whatever needs it within a week, since tools and baselines hardly ever change. Whoever
fetches it was told its digest by another way than the store.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter

from pacecar.archive import ObjectGone, RunError, records
from pacecar.archive.packing import pack, unpack
from pacecar.archive.shared import Shared
from pacecar.system.disk import durable

_PARTS, _ENDINGS = "parts", "endings"
_PART = re.compile(r"(\d{8})\.([0-9a-f]{64})\.(\d{1,13})\.tar\.zst", re.ASCII)
_DAY = "%Y%m%d"
#: Days in which a part is used again, and after which nobody fetches it any more.
_SHARED, _KEPT = 6, 10
_MOST_PACKED = 2 * 1024**3
_MOST_ENDING = 64 * 1024
_LAST = "~"


@dataclass(frozen=True, kw_only=True)
class PackedFolder:
    """A packed folder in the store: its name there without the folder, its digest and its bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Ended:
    """Why a run ended before it was complete, as whoever measured it would have said: see `errors.Ending`."""

    exit_code: int
    message: str
    hint: str | None = None


_ENDED = TypeAdapter(Ended)


def put(shared: Shared, folder: Path) -> PackedFolder:
    """Put the files of `folder` into the store, unless the same are there.

    Raises:
        RunError: when it holds what no other machine could be sent.
        NoRoom: when there is no room to pack it.
        StoreError: when the store cannot be used.
    """
    with shared.workshop() as work:
        packed = work / "packed"
        pack(folder, packed)
        sha256, size = durable.sha256(packed), packed.stat().st_size
        today = datetime.now(UTC)
        names = shared.bucket.names_between(_PARTS, _day(today, -_SHARED), _LAST)
        there = [name for name, bytes_ in sorted(names.items()) if f".{sha256}.{size}." in name and bytes_ == size]
        name = there[-1] if there else f"{_day(today)}.{sha256}.{size}.tar.zst"
        if not there:
            shared.bucket.put_file(f"{_PARTS}/{name}", packed)
    return PackedFolder(name=name, sha256=sha256, size=size)


def fetch(shared: Shared, part: PackedFolder, folder: Path) -> None:
    """Unpack `part` into the new folder `folder`.

    Raises:
        RunError: when it is gone, or not what it was when it was put.
        NoRoom: when there is no room here.
        StoreError: when the store cannot be used.
    """
    at = f"{_PARTS}/{part.name}"
    if _PART.fullmatch(part.name) is None or part.size > _MOST_PACKED:
        raise RunError(f"{shared.bucket.url}/{at} was not put there by Pacecar.")
    with shared.workshop() as work:
        packed = work / "packed"
        if shared.bucket.download(at, packed, size=part.size) != part.sha256:
            raise RunError(f"{shared.bucket.url}/{at} is damaged: its content is not what was put there.")
        unpack(packed, folder)


def end(shared: Shared, run_id: str, ended: Ended) -> None:
    """Say why a run has ended. Raises StoreError."""
    shared.bucket.put(f"{_ENDINGS}/{run_id}.json", records.to_json(_ENDED, ended))


def ended(shared: Shared, run_id: str) -> Ended | None:
    """Why a run has ended; None where nobody has said so. Raises StoreError, or RunError when it is damaged."""
    name = f"{_ENDINGS}/{run_id}.json"
    with contextlib.suppress(ObjectGone):
        content = shared.bucket.content(name, most=_MOST_ENDING)
        return records.validated(_ENDED, content, where=f"{shared.bucket.url}/{name}")
    return None


def begin(shared: Shared, run_id: str) -> None:
    """Forget how an earlier attempt at a run has ended. Raises StoreError."""
    shared.bucket.remove(f"{_ENDINGS}/{run_id}.json")


def tidy(shared: Shared) -> None:
    """Remove parts and endings that nobody asks for any more. Raises StoreError."""
    oldest = _day(datetime.now(UTC), -_KEPT)
    for folder in (_PARTS, _ENDINGS):
        for name in shared.bucket.names_between(folder, "0", oldest):
            shared.bucket.remove(f"{folder}/{name}")


def _day(of: datetime, days: int = 0) -> str:
    return f"{of + timedelta(days=days):{_DAY}}"
