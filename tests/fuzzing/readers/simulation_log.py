"""A log of Gatling, text or binary."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.load.gatling.simulation_log import LogError, read


def parse(data: bytes) -> None:
    try:
        log = read(scratch.file(data), chunk_bytes=512)
    except LogError:
        return
    assert len(log.requests) + len(log.users) + len(log.errors) + log.unmatched <= len(data)


def seeds() -> Iterator[bytes]:
    yield (
        b"RUN\tshop.A\ta\t1700000000000\t \t3.11.5\nUSER\tbrowse\tSTART\t1700000000001\n"
        b"REQUEST\tg,h\tGET /a\t1700000000002\t1700000000003\tOK\t \nERROR\tboom\t1700000000004\n"
    )
    header = b"\0\0\0\0\x063.15.1\0\0\0\0\x06shop.A\0\0\0\1\x8b\xcf\xe5\x68\0\0\0\0\0\0\0\0\1\0\0\0\x06browse\0\0\0\0\0"
    first = b"\1\0\0\0\1\0\0\0\1\0\0\0\4shop\0\0\0\0\2\0\0\0\6GET /a\0\0\0\0\7\0\0\0\x09\1\0\0\0\3\0\0\0\0"
    again = b"\1\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\7\0\0\0\x09\1\xff\xff\xff\xfd"
    yield header + first + 70 * again + b"\2\0\0\0\0\1\0\0\0\5"
