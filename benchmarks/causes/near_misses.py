"""Builds that only seem to have a cause, and identical builds. Unless said otherwise, requests really became slower,
for a reason that no instrument sees, so any named cause is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.causes.build import Build, Place
from benchmarks.causes.service import (
    ALL,
    P50,
    P99,
    TYPICAL,
    Asked,
    Case,
    Drawn,
    Root,
    wait,
)

_ANYTHING = (
    (TYPICAL, ALL),
    (P99, ALL),
    ("cpu", ALL),
    ("allocation", ALL),
    ("rss", ALL),
    ("threads", ALL),
    ("threads.growth", ALL),
    ("jit", ALL),
    ("errors", ALL),
    ("metrics.series", ALL),
    ("metrics.page", ALL),
)
_TASK = (
    "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan\n"
    "java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec\nshop.core.Sums.sum"
)
_SCAN = "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan"


def _unseen(build: Build, of: Drawn) -> Build:
    return replace(build, unseen_ms=build.unseen_ms + of.amount + of.rest)


def _none(of: Drawn) -> tuple[Asked, ...]:
    return of.slower(None)


def _identical(of: Drawn) -> Case:
    """Nothing changed, but every metric is examined as if it had."""
    asked = [Asked(metric=metric, endpoint=endpoint) for metric, endpoint in _ANYTHING]
    return of.case(of.build, *asked, Asked(metric=P50, endpoint=of.endpoint))


def _for_unseen_reasons(of: Drawn) -> Case:
    asked = (Asked(metric=metric) for metric in (P99, "cpu", "allocation"))
    return of.case(_unseen(of.build, of), *_none(of), *asked)


def _batch(of: Drawn, *, seconds: tuple[float, float]) -> Case:
    """Seven statements go to the database in one batch, which takes as long as one did."""
    baseline = replace(of.build, calls={"jdbc_query": (1.0, seconds[0])})
    return of.case(
        replace(_unseen(of.build, of), calls={"jdbc_query": (7.0, seconds[1])}), *_none(of), baseline=baseline
    )


def _timed_batch(of: Drawn) -> Case:
    return _batch(of, seconds=(0.6e-3, 0.6e-3 / 7 * 1.05))


def _counted_batch(of: Drawn) -> Case:
    return _batch(of, seconds=(float("nan"), float("nan")))


def _slower_database(of: Drawn) -> Case:
    """The same calls, and each takes longer."""
    baseline = replace(of.build, calls={"jdbc_query": (2.0, 0.3e-3)})
    after = replace(
        of.other,
        waits={**of.build.waits, wait("database", of.endpoint): 0.6 + of.amount},
        calls={"jdbc_query": (2.0, (0.6 + of.amount) / 2e3)},
    )
    return of.case(after, *of.slower(Root(kind="waiting-for")), baseline=baseline)


def _larger_pool(of: Drawn) -> Case:
    after = replace(_unseen(of.build, of), idle={**of.build.idle, "pricing": 24})
    return of.case(after, *_none(of), Asked(metric="threads", first=Root(kind="more-threads", pool="pricing")))


def _steady_fork_join(of: Drawn) -> Case:
    """A fork-join pool whose tasks cost more, with as many hand-offs as before."""
    scan, task = (Place(frames=frames, pool="ForkJoinPool-1-worker") for frames in (_SCAN, _TASK))
    before = replace(of.build, cpu={**of.build.cpu, scan: 0.15, task: 0.2})
    after = replace(before, cpu={**before.cpu, task: 0.2 + of.amount})
    return of.case(
        after, Asked(metric="cpu", first=Root(kind="hot-frame", frame="shop.core.Sums.sum")), baseline=before
    )


def _many_series(of: Drawn) -> Case:
    """A long page, equally long on both sides."""
    labels = {**of.build.labels, "client_requests_seconds_count": 400}
    before = replace(of.build, labels=labels)
    asked = (Asked(metric="metrics.series"), Asked(metric="metrics.page"))
    return of.case(replace(_unseen(of.build, of), labels=labels), *_none(of), *asked, baseline=before)


def _filled_label(of: Drawn) -> Case:
    """A label that has all its fifty values before the first window: the page is longer, but does not grow."""
    after = replace(_unseen(of.build, of), labels={**of.build.labels, "jobs_seconds_count": 50})
    first = Root(kind="growing-page", series="jobs_seconds")
    return of.case(after, *_none(of), Asked(metric="metrics.series", first=first))


def _garbage(of: Drawn) -> Case:
    """More garbage and more collections, each of them shorter."""
    place = next(place for place in of.build.allocated if place.endpoint == of.endpoint)
    allocated = {**of.build.allocated, place: of.build.allocated[place] + 250_000.0}
    more = 1 + 250_000.0 / sum(of.build.allocated.values())
    after = replace(
        _unseen(of.build, of), allocated=allocated, pauses=of.build.pauses * more, pause_ms=of.build.pause_ms / more
    )
    frame = place.frames.rpartition("\n")[2]
    return of.case(after, *_none(of), Asked(metric="allocation", first=Root(kind="hot-frame", frame=frame)))


def _collector(of: Drawn) -> Case:
    """Another collector, with pauses of the same length."""
    return of.case(replace(_unseen(of.build, of), flags=("-XX:+UseParallelGC",)), *_none(of))


def _worker_sleeps(of: Drawn) -> Case:
    place = wait("sleep", of.endpoint, pool="vert.x-worker-thread", caller="shop.web.Worker.ask")
    after = replace(of.other, waits={**of.build.waits, place: of.amount})
    return of.case(after, Asked(metric=TYPICAL, first=Root(kind="waiting-for", frame="shop.web.Worker.ask")))


def _busy_loop(of: Drawn) -> Case:
    """An event loop that works more but never waits."""
    frames = wait("sleep", of.endpoint, caller="shop.web.Loop.sum").frames.rpartition("\n")[0]
    place = Place(frames=frames, endpoint=of.endpoint, pool="vert.x-eventloop-thread")
    after = replace(of.other, cpu={**of.build.cpu, place: of.amount})
    return of.case(after, Asked(metric=TYPICAL, first=Root(kind="hot-frame", frame="shop.web.Loop.sum")))


def _filling_cache(of: Drawn) -> Case:
    """A cache that is full before the first window: the heap is larger, but does not grow."""
    after = replace(_unseen(of.build, of), heap_bytes=of.build.heap_bytes + 60e6)
    return of.case(
        after, *_none(of), Asked(metric="rss", first=Root(kind="larger-heap")), Asked(metric="threads.growth")
    )


def _background_job(of: Drawn) -> Case:
    """A background job, which no request waits for, takes CPU time."""
    job = Place(frames="java.lang.Thread.run\nshop.jobs.Cleaner.sweep", pool="scheduler")
    after = replace(_unseen(of.build, of), cpu={**of.build.cpu, job: of.amount})
    frame = Root(kind="hot-frame", frame="shop.jobs.Cleaner.sweep")
    return of.case(after, *_none(of), Asked(metric="cpu", first=frame))


def _uncontended_lock(of: Drawn) -> Case:
    """A lock around a short operation: it takes a little CPU time, and hardly any request waits."""
    free = wait("lock", of.endpoint, caller="shop.core.Guarded.enter")
    after = replace(_unseen(of.build, of), waits={**of.build.waits, free: 0.005}, cpu={**of.build.cpu, free: 0.002})
    return of.case(after, *_none(of))


def _renamed(of: Drawn) -> Case:
    """Every frame of one class gets another name."""
    cpu, allocated = (
        {
            replace(place, frames=place.frames.replace("shop.core.C3.", "shop.core.Core3.")): cost
            for place, cost in costs.items()
        }
        for costs in (of.build.cpu, of.build.allocated)
    )
    after = replace(_unseen(of.build, of), cpu=cpu, allocated=allocated)
    return of.case(after, *_none(of), Asked(metric="cpu"), Asked(metric="allocation"))


NEAR_MISSES: Mapping[str, Callable[[Drawn], Case]] = {
    "identical": _identical,
    "slower for unseen reasons": _for_unseen_reasons,
    "seven statements in one batch, timed": _timed_batch,
    "seven statements in one batch, counted": _counted_batch,
    "slower database, same calls": _slower_database,
    "larger pool, idle": _larger_pool,
    "steady fork-join pool, hot task": _steady_fork_join,
    "many series on both sides": _many_series,
    "label that filled": _filled_label,
    "garbage without longer pauses": _garbage,
    "another collector, same pauses": _collector,
    "sleep on a worker": _worker_sleeps,
    "busy event loop": _busy_loop,
    "cache that filled": _filling_cache,
    "background job": _background_job,
    "uncontended lock": _uncontended_lock,
    "renamed": _renamed,
}
