"""What the pod of a load generator answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pacecar.measurement.load.gatling.pod.client import Silent, understood
from pacecar.measurement.load.gatling.pod.told import BlocksTold, GatlingStatus, Left

_AHEAD_NS = 250_000_000


def parse(data: bytes) -> None:
    for kind in (GatlingStatus, BlocksTold, Left):
        with contextlib.suppress(Silent):
            found = understood(kind, data)
            assert understood(kind, found.model_dump_json().encode()) == found
            if isinstance(found, GatlingStatus) and found.clock is not None:
                found.clock.here(_AHEAD_NS)
            if isinstance(found, Left):
                assert all("/" not in name and not name.startswith(".") for name in found.files)


def seeds() -> Iterator[bytes]:
    yield (
        b'{"time_ns":1,"boot":"a","status":null,"cpu_ns":2,"lead_ns":3,"clock":{"load_start_ns":1,"measure_start_ns":2,'
        b'"slice_ns":3,"gap_ns":4,"final":true},"sent":{"baseline":7},"failure":{"message":"m","hint":null,"lost":true}}'
    )
    yield b'{"operations":2,"answered":["GET /a","GET /b"]}'
    yield b'{"files":{"simulation.log":12,"generator-gc.log.0":3}}'
