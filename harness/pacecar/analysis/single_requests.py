"""Single requests, moment by moment: the slowest of the candidate beside one of the baseline that took its usual time.

A request is told by its number, which its row of the load generator's and the service's spans carry, and samples of the
profile carry the span that they were taken in. So nothing is matched by time; only where on a drawing a span stands
depends on clocks, those of two processes of one machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.reasons import WAITS, reasons
from pacecar.analysis.profiles.stacks import StackNumbers, Stacks
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind

_MS = 1e6
_SLEEPING = "STATE_SLEEPING"
#: Endpoints that are told of: readers look at the first.
_ENDPOINTS = 3
#: Of one request: spans, those that took longest, and stretches in which the profiler saw the same.
_STEPS = 40
_STRETCHES = 40
_PAUSES = 10
#: Spans alike within one other from which on they are told together.
_MANY = 4
_DEEPEST = 50


@dataclass(frozen=True, kw_only=True)
class SpanGroup:
    """A span of a request, or several alike within one other.

    Attributes:
        name: as the service calls it.
        count: how many there are.
        kind: server, client, internal, producer, consumer, or "".
        depth: how many spans of the request it lies within.
        failed: one ended with an error.
        at_ms: start of the first, since the request was sent.
        until_ms: end of the last.
        took_ms: how long they took together.
    """

    name: str
    count: int
    kind: str
    depth: int
    failed: bool
    at_ms: float
    until_ms: float
    took_ms: float


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Samples in a row that show a thread of the request at the same.

    Attributes:
        thread: its name.
        doing: what it did, such as "waiting for a database".
        frame: the application's frame in which it did, the innermost one where none of the stack is the application's.
        samples: how many there are.
        at_ms: the first, since the request was sent.
        until_ms: the last.
    """

    thread: str
    doing: str
    frame: str
    samples: int
    at_ms: float
    until_ms: float


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """A pause of the service or of the load generator (`process`) that the request met."""

    process: str
    kind: str
    at_ms: float
    took_ms: float


@dataclass(frozen=True, kw_only=True)
class SingleRequest:
    """A request.

    Attributes:
        endpoint: what was asked for.
        side: which build has answered.
        pair: number of the pair.
        took_ms: until the answer.
        lag_ms: how long after it was due it was sent.
        steps: spans, in the order of their starts.
        stretches: what the profiler saw, likewise.
        pauses: that it met.
    """

    endpoint: str
    side: Side
    pair: int
    took_ms: float
    lag_ms: float
    steps: tuple[SpanGroup, ...]
    stretches: tuple[Stretch, ...]
    pauses: tuple[Stopped, ...]


@dataclass(frozen=True, kw_only=True)
class RequestPair:
    """Two requests to one endpoint: a usual one of the baseline, the slowest of the candidate."""

    usual: SingleRequest
    slowest: SingleRequest


#: Number of a pair, and one of its forks.
Numbered = tuple[int, MeasuredFork]


def slow_requests(
    baseline: Sequence[Numbered],
    candidate: Sequence[Numbered],
    *,
    endpoints: Iterable[str] = (),
    application: Sequence[str] = (),
) -> tuple[RequestPair, ...]:
    """What single requests tell, an endpoint after the other; nothing where no spans were recorded.

    Args:
        baseline: forks of pairs that count.
        candidate: likewise.
        endpoints: those that readers want to see first.
        application: prefixes of the class names that are the user's own code.
    """
    before, after = _told(baseline), _told(candidate)
    slowest = after.sort_values("took_ms", ascending=False).drop_duplicates("endpoint").set_index("endpoint")
    both = [endpoint for endpoint in slowest.index if (before["endpoint"] == endpoint).any()]
    order = [endpoint for endpoint in dict.fromkeys(endpoints) if endpoint in both]
    found = []
    for endpoint in dict.fromkeys([*order, *both][:_ENDPOINTS]):
        usual = _usual(before[before["endpoint"] == endpoint], baseline, endpoint)
        found.append(
            RequestPair(
                usual=_request(baseline, usual, side=Side.BASELINE, endpoint=endpoint, application=application),
                slowest=_request(
                    candidate,
                    slowest.loc[endpoint],
                    side=Side.CANDIDATE,
                    endpoint=endpoint,
                    application=application,
                ),
            )
        )
    return tuple(found)


def _told(forks: Sequence[Numbered]) -> pd.DataFrame:
    """Requests of which there are spans: as arrivals, and the place of the fork among `forks`."""
    parts = []
    for place, (_, fork) in enumerate(forks):
        arrivals = fork.inside("arrivals")
        rows = arrivals[arrivals["number"].isin(fork.data.tables["spans"]["number"]) & arrivals["took_ms"].notna()]
        parts.append(rows.assign(fork=place))
    columns = ["endpoint", "took_ms", "lag_ms", "due_ns", "number", "injector", "fork"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _usual(told: pd.DataFrame, forks: Sequence[Numbered], endpoint: str) -> pd.Series[float]:
    """Of these rows the one that took about as long as half of all requests to the endpoint did."""
    took = [rows[rows["endpoint"] == endpoint]["took_ms"] for rows in (fork.inside("arrivals") for _, fork in forks)]
    from_median = (told["took_ms"] - pd.concat(took).median()).abs()
    row: pd.Series[float] = told.loc[from_median.idxmin()]
    return row


def _request(
    forks: Sequence[Numbered], row: pd.Series[float], *, side: Side, endpoint: str, application: Sequence[str]
) -> SingleRequest:
    pair, fork = forks[int(row["fork"])]
    sent_ns = row["due_ns"] + row["lag_ms"] * _MS
    return SingleRequest(
        endpoint=endpoint,
        side=side,
        pair=pair,
        took_ms=float(row["took_ms"]),
        lag_ms=float(row["lag_ms"]),
        steps=_steps(fork, row["number"], sent_ns),
        stretches=_stretches(fork, row["number"], sent_ns, application),
        pauses=_pauses(fork, sent_ns, row),
    )


def _steps(fork: MeasuredFork, number: float, sent_ns: float) -> tuple[SpanGroup, ...]:
    spans = fork.data.tables["spans"]
    spans = spans[spans["number"] == number].drop_duplicates("span").sort_values("start_ns", kind="stable")
    parents = dict(zip(spans["span"].tolist(), spans["parent"].tolist(), strict=True))
    alike = spans.groupby(["name", "kind", "parent"])["span"]
    # Of a few alike each has a row of its own; of many one tells more.
    group = np.where(alike.transform("size") >= _MANY, alike.transform("first"), spans["span"])
    rows = spans.assign(end_ns=spans["start_ns"] + spans["duration_ms"] * _MS).groupby(group, sort=False)
    table = rows.agg(
        name=("name", "first"),
        count=("span", "size"),
        kind=("kind", "first"),
        span=("span", "first"),
        failed=("failed", "any"),
        start_ns=("start_ns", "min"),
        end_ns=("end_ns", "max"),
        took_ms=("duration_ms", "sum"),
    )
    longest = table.nlargest(_STEPS, "took_ms")
    return tuple(
        SpanGroup(
            name=str(step["name"]),
            count=int(step["count"]),
            kind=str(step["kind"]),
            depth=_depth(int(step["span"]), parents),
            failed=bool(step["failed"]),
            at_ms=(step["start_ns"] - sent_ns) / _MS,
            until_ms=(step["end_ns"] - sent_ns) / _MS,
            took_ms=float(step["took_ms"]),
        )
        for step in longest.sort_values("start_ns", kind="stable").to_dict("records")
    )


def _depth(span: int, parents: dict[int, int]) -> int:
    """How many spans it lies within; of a circle, which nobody means, so many as are believed."""
    depth = 0
    while depth < _DEEPEST and (span := parents[span]) in parents:
        depth += 1
    return depth


def _stretches(fork: MeasuredFork, number: float, sent_ns: float, application: Sequence[str]) -> tuple[Stretch, ...]:
    moments = fork.inside("moments")
    spans = fork.data.tables["spans"]
    rows = moments[moments["span"].isin(spans.loc[spans["number"] == number, "span"])].sort_values("time_ns")
    texts = fork.data.tables["stacks"].drop_duplicates("stack").set_index("stack")["frames"]
    rows = rows[rows["stack"].isin(texts.index)]
    if rows.empty:
        return ()
    doing, frames = _meant(rows, rows["stack"].map(texts).astype(str), application)
    seen = rows.assign(doing=doing, frame=frames, at_ms=(rows["time_ns"] - sent_ns) / _MS)
    seen = seen.assign(until_ms=seen["at_ms"] + seen["span_ns"] / _MS)
    keys = ["thread", "doing", "frame"]
    begins = seen[keys].ne(seen.groupby("thread")[keys].shift()).any(axis=1)
    added = seen.assign(stretch=begins.groupby(seen["thread"]).cumsum()).groupby([*keys, "stretch"], sort=False)
    table = added.agg(samples=("samples", "sum"), at_ms=("at_ms", "min"), until_ms=("until_ms", "max")).reset_index()
    most = table.nlargest(_STRETCHES, "samples").sort_values("at_ms", kind="stable")
    return tuple(
        Stretch(
            thread=str(row["thread"]),
            doing=str(row["doing"]),
            frame=str(row["frame"]),
            samples=int(row["samples"]),
            at_ms=float(row["at_ms"]),
            until_ms=float(row["until_ms"]),
        )
        for row in most.to_dict("records")
    )


def _meant(rows: pd.DataFrame, texts: pd.Series[str], application: Sequence[str]) -> tuple[list[str], list[str]]:
    """What each sample shows its thread at, and in which frame."""
    numbers = StackNumbers()
    which = numbers.numbers(texts)
    stacks = Stacks.of(numbers, application=application)
    waits = reasons(stacks.whole, stacks.names, stacks.application)[which]
    kept = stacks.kept if stacks.application.any() else stacks.whole
    frames = [stacks.names[frame] for frame in kept.last[which].tolist()]
    doing = [
        _doing(str(event), str(state), WAITS[wait].value)
        for event, state, wait in zip(rows["event"], rows["state"], waits.tolist(), strict=True)
    ]
    return doing, frames


def _doing(event: str, state: str, awaited: str) -> str:
    if event == ProfileKind.LOCK:
        return "waiting for a lock"
    if event == ProfileKind.CPU:
        return "on a CPU"
    return f"waiting for {awaited}" if state == _SLEEPING else "running, or ready to"


def _pauses(fork: MeasuredFork, sent_ns: float, row: pd.Series[float]) -> tuple[Stopped, ...]:
    took_ms, pauses = row["took_ms"], fork.data.tables["pauses"]
    pauses = pauses[(pauses["process"] == "target") | (pauses["injector"] == row["injector"])]
    begins = (pauses["start_ns"] - sent_ns) / _MS
    met = pauses[(begins < took_ms) & (begins + pauses["duration_ms"] > 0)].nlargest(_PAUSES, "duration_ms")
    return tuple(
        Stopped(
            process=str(row["process"]),
            kind=str(row["kind"]),
            at_ms=(row["start_ns"] - sent_ns) / _MS,
            took_ms=float(row["duration_ms"]),
        )
        for row in met.sort_values("start_ns").to_dict("records")
    )
