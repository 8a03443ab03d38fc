"""Records of single requests: a few arrivals, their spans, and the samples taken during them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES
from support import recordings

_MS = 1_000_000
ENDPOINT = "GET /orders"
#: From the entry point to the leaf: in the application's encoder, and on the way to a database.
STACKS = {
    0: (
        "java.lang.Thread.run",
        "org.apache.coyote.Processor.service",
        "shop.orders.OrderController.list",
        "shop.orders.JacksonEncoder.encode",
        "java.lang.String.valueOf",
    ),
    1: (
        "java.lang.Thread.run",
        "shop.orders.OrderController.list",
        "shop.orders.OrderRepository.page",
        "org.postgresql.jdbc.PgStatement.executeQuery",
        "sun.nio.ch.NioSocketImpl.read",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request of `took_ms`, of which `in_database_ms` from the third millisecond on.

    Attributes:
        number: from 1.
        window: index.
        sent_ns: when it was sent.
        took_ms: until its answer.
        in_database_ms: how long of that a statement took.
        samples: times of samples, in ms since it was sent: on a CPU while not in the database, else asleep.
    """

    number: int
    window: int
    sent_ns: int
    took_ms: float
    in_database_ms: float
    samples: Sequence[float] = ()


def explanation(number: int) -> Pair:
    """Pair `number`: two requests were usual ones, and one the candidate answered late, since it encoded for long."""
    measured = recordings.pair(number)
    forks = {}
    for side, slowest_ms in ((Side.BASELINE, 19.0), (Side.CANDIDATE, 48.0)):
        window = next(window for window in measured.record.windows if window.side is side)
        requests = [
            Request(
                number=number,
                window=window.index,
                sent_ns=window.start_ns + number * 1_000 * _MS,
                took_ms=took_ms,
                in_database_ms=2.0,
                samples=[3.5, *(at for at in (9.0, 21.0, 33.0, 45.0) if at < took_ms)],
            )
            for number, took_ms in enumerate((6.0, 6.3, slowest_ms), start=1)
        ]
        forks[side] = replace(measured.forks[side], tables=measured.forks[side].tables | recorded(requests))
    return replace(measured, forks=forks)


def recorded(requests: Sequence[Request]) -> dict[str, pd.DataFrame]:
    """The tables `arrivals`, `spans`, `moments` and `stacks` of these requests."""
    stacks = [{"stack": number, "frames": "\n".join(frames), "kinds": ""} for number, frames in STACKS.items()]
    return {
        "arrivals": _table("arrivals", [_arrival(request) for request in requests]),
        "spans": _table("spans", [span for request in requests for span in _spans(request)]),
        "moments": _table("moments", [moment for request in requests for moment in _moments(request)]),
        "stacks": _table("stacks", stacks),
    }


def _table(name: str, rows: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(TABLES[name])).astype(TABLES[name])


def _arrival(request: Request) -> dict[str, object]:
    return {
        "window": request.window,
        "endpoint": ENDPOINT,
        "due_ns": request.sent_ns - _MS // 2,
        "lag_ms": 0.5,
        "took_ms": request.took_ms,
        "number": request.number,
        "injector": 0,
    }


def _spans(request: Request) -> list[dict[str, object]]:
    own = {"number": request.number, "thread": "http-nio-exec-1", "failed": False}
    served = own | {"span": 10 * request.number, "parent": 1 << 62 | request.number, "name": "GET /orders"}
    asked = own | {"span": 10 * request.number + 1, "parent": 10 * request.number, "name": "SELECT orders.line"}
    return [
        served
        | {"kind": "server", "start_ns": request.sent_ns + _MS // 5, "duration_ms": max(0.1, request.took_ms - 0.4)},
        asked | {"kind": "client", "start_ns": request.sent_ns + 3 * _MS, "duration_ms": request.in_database_ms},
    ]


def _moments(request: Request) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for at_ms in request.samples:
        asleep = 3 <= at_ms < 3 + request.in_database_ms
        rows.append(
            {
                "window": request.window,
                "event": "wall" if asleep else "cpu",
                "time_ns": request.sent_ns + round(at_ms * _MS),
                "span_ns": 0,
                "stack": 1 if asleep else 0,
                "thread": "http-nio-exec-1",
                "state": "STATE_SLEEPING" if asleep else "STATE_DEFAULT",
                "label": "GET /orders",
                "samples": 1,
                "span": 10 * request.number,
                "trace_hi": 0,
                "trace_lo": 0,
            }
        )
    return rows
