"""Builds that got worse for one known reason, the root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.causes.build import Build, Place
from benchmarks.causes.service import (
    BYTES,
    CALLER,
    P50,
    P99,
    TYPICAL,
    Asked,
    Case,
    Drawn,
    Root,
    frame_of,
    more,
    wait,
)

_SCAN = "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan"
_WORKER = "ForkJoinPool-1-worker"
_LOOP = "vert.x-eventloop-thread"
_STATEMENTS = "jdbc_query"


def waits_longer(name: str, kind: str) -> Callable[[Drawn], Case]:
    """Requests to an endpoint that wait longer for one thing."""

    def case(of: Drawn) -> Case:
        after = replace(of.other, waits=more(of.build.waits, wait(name, of.endpoint), of.amount))
        return of.case(
            after, *of.slower(Root(kind=kind, frame=CALLER if kind != "waiting-frame" else None), share=of.share)
        )

    return case


def _held(of: Drawn) -> Case:
    """Connections are kept while a slower database answers, so that other requests wait for one."""
    queue = of.amount * of.random.uniform(0.4, 0.8)
    waits = more(of.build.waits, wait("database", of.endpoint), of.amount)
    after = replace(of.build, waits=more(waits, wait("connection", of.endpoint), queue))
    part = of.amount / ((of.amount + queue) * of.longer)
    first = Root(kind="waiting-for", frame=CALLER)
    return of.case(
        after,
        Asked(metric=TYPICAL, first=first, share=part),
        Asked(metric=P50, endpoint=of.endpoint, first=first, share=part),
    )


def _hot(of: Drawn) -> Case:
    place = _of_endpoint(of, of.build.cpu)
    first = Root(kind="hot-frame", frame=frame_of(place))
    after = replace(of.other, cpu=more(of.build.cpu, place, of.amount))
    return of.case(after, *of.slower(first, share=of.share), Asked(metric="cpu", first=first, share=1.0))


def _allocating(of: Drawn) -> Case:
    place = _of_endpoint(of, of.build.allocated)
    amount = float(of.random.uniform(0.1, 1.0)) * BYTES
    after = replace(of.build, allocated=more(of.build.allocated, place, amount))
    return of.case(after, Asked(metric="allocation", first=Root(kind="hot-frame", frame=frame_of(place)), share=1.0))


def _of_endpoint(of: Drawn, costs: Mapping[Place, float]) -> Place:
    mine = [place for place in costs if place.endpoint == of.endpoint]
    return mine[int(of.random.integers(len(mine)))]


def _calls(of: Drawn) -> Case:
    """Seven statements instead of one, each as long as before."""
    before = of.amount / 6
    baseline = replace(of.build, calls={_STATEMENTS: (1.0, before / 1e3)})
    waits = more(of.build.waits, wait("database", of.endpoint), of.amount)
    after = replace(of.other, waits=waits, calls={_STATEMENTS: (7.0, before / 1e3)})
    first = Root(kind="more-calls", series=_STATEMENTS)
    return of.case(after, Asked(metric=TYPICAL, first=first, share=of.share), baseline=baseline)


def _untimed_calls(of: Drawn) -> Case:
    baseline = replace(of.build, calls={_STATEMENTS: (1.0, float("nan"))})
    waits = more(of.build.waits, wait("database", of.endpoint), of.amount)
    after = replace(of.other, waits=waits, calls={_STATEMENTS: (7.0, float("nan"))})
    return of.case(after, Asked(metric=TYPICAL, first=Root(kind="more-calls", series=_STATEMENTS)), baseline=baseline)


def _blocked(of: Drawn) -> Case:
    place = wait("sleep", of.endpoint, pool=_LOOP, caller="shop.web.Loop.ask")
    after = replace(of.other, waits=more(of.build.waits, place, of.amount))
    first = Root(kind="blocked-event-loop", frame="shop.web.Loop.ask", pool=_LOOP)
    return of.case(after, Asked(metric=TYPICAL, first=first, share=of.share))


def _met_ms(build: Build, *, pause_ms: float, rate: float) -> float:
    """Time for which pauses of this length hold up a request on average, in ms: the rest of those that it arrives in,
    and all of those that begin while it is served.
    """
    of_requests = (
        sum(cost for costs in (build.cpu, build.waits) for place, cost in costs.items() if place.endpoint)
        + build.unseen_ms
        + build.run_delay_ms
    )
    return rate / 1e3 * (pause_ms**2 * 1.125 / 2 + of_requests * pause_ms)


def _pauses(of: Drawn, *flags: tuple[str, ...]) -> tuple[Build, Build, float]:
    lasting = float(of.random.uniform(24.0, 50.0))
    before, after = (_met_ms(of.build, pause_ms=each, rate=of.build.pauses) for each in (of.build.pause_ms, lasting))
    share = float(of.random.uniform(0.7, 1.0))
    rest = (after - before) * (1 - share) / share
    old, new = flags or (of.build.flags, of.build.flags)
    candidate = replace(of.build, pause_ms=lasting, unseen_ms=of.build.unseen_ms + rest, flags=new)
    met_by_rest = rest * (of.build.pauses * lasting / 1e3)
    return replace(of.build, flags=old), candidate, (after - before) / (after - before + rest + met_by_rest)


def _longer_pauses(of: Drawn) -> Case:
    before, after, share = _pauses(of)
    first, outliers = Root(kind="longer-pauses"), Root(kind="paused-outliers")
    return of.case(
        after,
        Asked(metric=TYPICAL, first=first, share=share),
        Asked(metric=P99, first=first, also=(outliers,)),
        baseline=before,
    )


def _setting(of: Drawn) -> Case:
    before, after, share = _pauses(of, ("-XX:MaxHeapSize=536870912",), ("-XX:MaxHeapSize=67108864",))
    return of.case(after, Asked(metric=TYPICAL, first=Root(kind="changed-setting"), share=share), baseline=before)


def _generator(of: Drawn) -> Case:
    lasting = float(of.random.uniform(50.0, 90.0))
    after = replace(of.build, generator_pause_ms=lasting)
    first, outliers = Root(kind="busy-generator"), Root(kind="paused-outliers")
    return of.case(after, Asked(metric=TYPICAL, first=first), Asked(metric=P99, first=first, also=(outliers,)))


def _starved(of: Drawn) -> Case:
    after = replace(of.other, run_delay_ms=of.build.run_delay_ms + of.amount)
    return of.case(after, Asked(metric=TYPICAL, first=Root(kind="starved-of-cpu"), share=of.share))


def _churn(of: Drawn) -> Case:
    place, less = Place(frames=_SCAN, pool=_WORKER), min(of.amount, 1.0) / 2
    before = replace(of.build, cpu=more(of.build.cpu, place, 0.02))
    after = replace(of.build, cpu=more(before.cpu, place, less))
    return of.case(after, Asked(metric="cpu", first=Root(kind="pool-churn"), share=1.0), baseline=before)


def _interpreted(of: Drawn) -> Case:
    some = [place for place in of.build.cpu if place.endpoint][::2]
    names = frozenset(place.frames for place in some)
    amount = of.amount / 2
    before = replace(of.build, interpreted=names)
    after = replace(
        before,
        cpu={place: cost + (amount / len(some) if place in some else 0.0) for place, cost in of.build.cpu.items()},
    )
    # It makes frames more expensive, and those that changed most are rightly named, too.
    also = tuple(Root(kind="hot-frame", frame=frame) for place in some for frame in place.frames.split("\n"))
    return of.case(
        after, Asked(metric="cpu", first=Root(kind="interpreted-code"), also=also, share=1.0), baseline=before
    )


def _failing(of: Drawn) -> Case:
    return of.case(replace(of.build, failing=0.03), Asked(metric="errors", first=Root(kind="failing-message")))


def _threads(of: Drawn) -> Case:
    after = replace(of.other, idle={**of.build.idle, "mailer": 20})
    return of.case(after, Asked(metric="threads", first=Root(kind="more-threads", pool="mailer")), *of.slower(None))


def _leaking(of: Drawn) -> Case:
    after = replace(of.build, gained=2)
    return of.case(after, Asked(metric="threads.growth", first=Root(kind="leak", pool="leaking")))


def _heap(of: Drawn) -> Case:
    after = replace(of.build, heap_bytes=of.build.heap_bytes + 140e6, rss_bytes=of.build.rss_bytes + 20e6)
    return of.case(after, Asked(metric="rss", first=Root(kind="larger-heap"), share=140 / 160))


def _compiling(of: Drawn) -> Case:
    return of.case(replace(of.build, jit_ms=0.25), Asked(metric="jit", first=Root(kind="busy-pool"), share=1.0))


def _page(of: Drawn) -> Case:
    after = replace(of.build, labels=dict(of.build.labels) | {"client_requests_seconds_count": 400})
    before = replace(of.build, labels=dict(of.build.labels) | {"client_requests_seconds_count": 4})
    first = Root(kind="growing-page", series="client_requests_seconds")
    return of.case(
        after, Asked(metric="metrics.series", first=first), Asked(metric="metrics.page", first=first), baseline=before
    )


#: Name of the case -> how its builds are drawn.
CAUSES: Mapping[str, Callable[[Drawn], Case]] = {
    "hot frame": _hot,
    "hot frame by allocation": _allocating,
    "waiting for a database": waits_longer("database", "waiting-for"),
    "pool exhausted": waits_longer("connection", "pool-exhausted"),
    "connection held by slow queries": _held,
    "lock contention": waits_longer("lock", "lock-contention"),
    "allocation stall": waits_longer("memory", "allocation-stall"),
    "waiting, unknown for what": waits_longer("unknown", "waiting-frame"),
    "more calls, timed": _calls,
    "more calls, counted": _untimed_calls,
    "blocked event loop": _blocked,
    "longer pauses": _longer_pauses,
    "smaller heap, longer pauses": _setting,
    "busy generator": _generator,
    "starved of CPU": _starved,
    "pool churn": _churn,
    "interpreted code": _interpreted,
    "failing message": _failing,
    "more threads": _threads,
    "thread leak": _leaking,
    "larger heap": _heap,
    "busy compilers": _compiling,
    "growing page": _page,
}
