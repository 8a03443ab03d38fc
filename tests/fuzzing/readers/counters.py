"""The counter agent's answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pacecar.measurement.probes.counters import CountersMissing, parsed


def parse(data: bytes) -> None:
    with contextlib.suppress(CountersMissing):
        parsed(data, Path("counters.sock"))


def seeds() -> Iterator[bytes]:
    yield (
        b'{"uptimeMs":1,"allocatedBytes":2,"allocationSource":"total","threads":3,"threadsEnded":4,"jitMs":5,'
        b'"gcCount":6,"gcMs":7,"heapUsedBytes":8,"heapAfterGcBytes":7,"loadedClasses":9}'
    )
