"""The shapes of the sidecar `profiles.json`: every changed frame, flame graphs, latency curves, pauses and single
requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind

#: Version of `profiles.json`. Older ones are brought to it by `migrations`; a version it does not know is refused.
PROFILES_VERSION = 3
#: Percentiles of a pooled curve.
POOLED_GRID: tuple[float, ...] = (*(float(percentile) for percentile in range(1, 100)), 99.5, 99.9)
#: Percentiles of one window's curve: a window holds a few hundred requests, so fewer points say as much.
WINDOW_GRID: tuple[float, ...] = (*(float(percentile) for percentile in range(5, 95, 5)), 95.0, 97.0, 98.0, 99.0)


@dataclass(frozen=True, kw_only=True)
class BelowRow:
    """A library or JDK frame folded into the application frame that called it; ms per request, of allocation bytes."""

    frame: str
    change: float | None


@dataclass(frozen=True, kw_only=True)
class FrameRow:
    """One frame's cost per request on both sides, as `comparison.FrameChange`."""

    event: ProfileKind
    frame: str
    pool: str | None
    application: bool
    self_baseline: float | None
    self_candidate: float | None
    self_change: float | None
    low: float | None
    high: float | None
    total_baseline: float | None
    total_candidate: float | None
    endpoints: tuple[str, ...]
    blamed: bool
    diffuse: bool
    touched: bool
    gone_to: str | None
    come_from: str | None
    descriptive: bool
    below: tuple[BelowRow, ...]


@dataclass(frozen=True, kw_only=True)
class FlameRow:
    """One flame graph, as `comparison.Flame`.

    Attributes:
        event: kind of profile.
        quantum: what one of the packed costs stands for: ms per request, of allocation bytes.
        beyond: half of a 95 % interval, in standard errors.
        nodes: how many there are.
        omitted: nodes cut because they were too many.
        data: packed columns, see `flames.flame_row`.
    """

    event: ProfileKind
    quantum: float
    beyond: float
    nodes: int
    omitted: int
    data: str


@dataclass(frozen=True, kw_only=True)
class WindowCurve:
    """Latency in ms at each percentile of `WINDOW_GRID`; None where too few requests carry it."""

    pair: int
    window: int
    values: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class SideCurves:
    """Latency of one endpoint on one side, successful requests of pairs that took part.

    Attributes:
        side: which build.
        requests: how many the pooled curve holds.
        pooled: ms at each percentile of `POOLED_GRID`, as the load generator saw it.
        windows: one curve per window, oldest first.
        server: ms at each percentile of `POOLED_GRID`, as the service measured it; empty when it does not.
    """

    side: Side
    requests: int
    pooled: tuple[float | None, ...]
    windows: tuple[WindowCurve, ...]
    server: tuple[float | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EndpointCurves:
    """All curves of one endpoint."""

    endpoint: str
    sides: tuple[SideCurves, ...]


@dataclass(frozen=True, kw_only=True)
class Span:
    """One window on the clock of its pair: seconds after the pair's first window began."""

    side: Side
    start_s: float
    end_s: float


@dataclass(frozen=True, kw_only=True)
class Pause:
    """One stop-the-world pause on the clock of its pair. `process`: target or generator."""

    side: Side
    process: str
    start_s: float
    duration_ms: float
    kind: str


@dataclass(frozen=True, kw_only=True)
class PauseTotal:
    """The pauses of one process during one side's windows of a pair; `share` is of those windows' time."""

    side: Side
    process: str
    count: int
    total_ms: float
    longest_ms: float
    share: float | None


@dataclass(frozen=True, kw_only=True)
class PairTimeline:
    """What happened when in one pair: its windows, and the pauses that fell into them."""

    pair: int
    windows: tuple[Span, ...]
    pauses: tuple[Pause, ...]
    totals: tuple[PauseTotal, ...]
    omitted_pauses: int


class EventSource(StrEnum):
    """Who tells of what happened during a request: the service's spans, the profiler, or a log of pauses."""

    SPAN = "span"
    PROFILE = "profile"
    PAUSE = "pause"


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """Something that happened while a request was served.

    Attributes:
        source: who tells of it.
        text: name of the span, what a thread did, or the kind of the pause.
        place: kind of the span, the frame, or the process that paused; None where there is none.
        thread: name of the thread that the profiler saw; else None.
        depth: how many spans a span lies within; else 0.
        failed: the span ended with an error.
        at_ms: when it began, since the request was sent.
        until_ms: when it was over; of samples the time of the last.
        took_ms: how long it took, of spans alike all of them together; None of samples.
        count: how many samples show it, or how many spans alike there are; of a pause 1.
    """

    source: EventSource
    text: str
    place: str | None
    thread: str | None
    depth: int
    failed: bool
    at_ms: float | None
    until_ms: float | None
    took_ms: float | None
    count: int


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """One request: until its answer it took `took_ms`, and it was sent `lag_ms` after it was due."""

    side: Side
    pair: int
    took_ms: float | None
    lag_ms: float | None
    events: tuple[EventRow, ...]


@dataclass(frozen=True, kw_only=True)
class RequestPairRow:
    """Two requests to one endpoint: a usual one of the baseline, the slowest of the candidate."""

    endpoint: str
    usual: RequestRow
    slowest: RequestRow


@dataclass(frozen=True, kw_only=True)
class OmittedProfiles:
    """How many entries of each list did not fit into the profiles."""

    frames: int = 0
    curves: int = 0
    timelines: int = 0
    flames: int = 0


@dataclass(frozen=True, kw_only=True)
class Profiles:
    """The sidecar of a document, joined to it by `run_id`."""

    schema_version: int
    run_id: str
    frames: tuple[FrameRow, ...]
    pooled_grid: tuple[float, ...]
    window_grid: tuple[float, ...]
    curves: tuple[EndpointCurves, ...]
    timelines: tuple[PairTimeline, ...]
    flames: tuple[FlameRow, ...]
    requests: tuple[RequestPairRow, ...]
    omitted: OmittedProfiles
