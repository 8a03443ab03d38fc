"""Which windows of a run a profile server has taken, so that none is sent twice and reports can link to them.

forwarded.json    beside the run's manifest
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from pacecar.archive import records
from pacecar.system.disk import durable

_NAME = "forwarded.json"


@dataclass(frozen=True, kw_only=True)
class Forwarded:
    """What one server has taken.

    Attributes:
        url: the server's address.
        service: what the profiles are filed under there.
        windows: number of a pair -> indexes of the windows taken.
        from_ns: start of the first of them, since the epoch.
        until_ns: end of the last.
    """

    url: str
    service: str
    windows: dict[int, tuple[int, ...]]
    from_ns: int
    until_ns: int


@dataclass(frozen=True, kw_only=True)
class _Record:
    servers: tuple[Forwarded, ...] = ()


_RECORD = TypeAdapter(_Record)


def forwarded(run: Path) -> tuple[Forwarded, ...]:
    """What servers have taken of the run in the folder `run`, the last one first.

    Raises:
        RunError: when the record is damaged.
    """
    path = run / _NAME
    return records.read(_RECORD, path).servers if path.exists() else ()


def note_forwarded(run: Path, server: Forwarded) -> None:
    """Keep `server` in place of what was known of that address.

    Raises:
        NoRoom: when there is no room.
        RunError: when the record there is damaged.
    """
    others = [each for each in forwarded(run) if (each.url, each.service) != (server.url, server.service)]
    durable.write_bytes(run / _NAME, records.to_json(_RECORD, _Record(servers=(server, *others))))
