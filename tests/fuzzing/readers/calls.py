"""The calls in the counter agent's answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pacecar.measurement.probes.calls import CallCounts, CallsMissing, parsed
from pacecar.measurement.session import called
from pacecar.model.calls import CallKind


def parse(data: bytes) -> None:
    with contextlib.suppress(CallsMissing):
        found = parsed(data, Path("counters.sock"))
        rows = called.table({0: (CallCounts(), found), 1: (found, found)})
        assert rows["count"].sum() == sum(found.counts.values())
        assert (rows["window"] == 1).sum() == len(CallKind)
        "".join(rows["caller"]).encode("utf-8")


def seeds() -> Iterator[bytes]:
    yield (
        b'{"uptimeMs":1,"calls":{"failed":0,"unknown":[1,0,0],"others":[0,2,0],'
        b'"callers":[["shop.Orders","page",2,0,0],["shop.Mail$$Lambda/0x0000700c","lambda$send$3",0,0,7]]}}'
    )
    yield b'{"calls":{"failed":1,"unknown":[0,0,0],"others":[0,0,0],"callers":[["a\\ud800\\n\\u202e","/",1,1,1]]}}'
