"""What the sidecar of a fork answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pacecar.measurement.watch import wire


def parse(data: bytes) -> None:
    with contextlib.suppress(wire.BadAnswer):
        found = wire.unpacked(data)
        assert wire.unpacked(wire.packed(found)).threads == found.threads
    with contextlib.suppress(wire.BadAnswer):
        wire.unpacked_page(data)


def seeds() -> Iterator[bytes]:
    yield (
        b'{"time_ns":1,"rows":{"counters":{"cpu_ns":1,"gc_ms":NaN}},"threads":{"7":{"name":"main","ran_ns":1,'
        b'"waited_ns":2}},"calls":{"rows":[{"kind":"statements","method":["shop.Orders",null],"count":3}],"failed":0},'
        b'"page":{"body":"dXAgMQ==","time_ns":1,"duration_ms":0.5,"error":""},"notes":["a"]}'
    )
    yield b'{"body":"","time_ns":1,"duration_ms":0.0,"error":"late"}'
    yield b"null"
