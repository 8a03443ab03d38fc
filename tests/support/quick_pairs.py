"""Pairs of the quick tier, created from what requests cost, and what is read from them and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.counted import counted, in_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Reading, Value
from pacecar.analysis.paired import compare_pairs
from pacecar.model.calls import CallKind
from pacecar.model.causes import Cause
from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord, Window
from pacecar.model.tables import TABLES, empty_table
from pacecar.model.tiers import Tier

SECOND = 1_000_000_000
LIST, READ = "GET /orders", "GET /orders/{id}"
WEIGHTS = {LIST: 3.0, READ: 1.0}
REQUESTS, ROUNDS = 20, 5
TAKEN = "hikaricp_connections_usage_seconds_count"
STATED = "jdbc_query_seconds_count"
#: Of another driver.
COMMANDED = "lettuce_command_completion_seconds_count"
PAGE, FIND, TOTALS = "shop.OrderController.page", "shop.Customers.find", "shop.Overviews.totals"


@dataclass(frozen=True, kw_only=True)
class Build:
    """What a request to each endpoint costs, and what else there is of it.

    Of `callers` the agent counted the statements of each; where there are none, it counted none. `statements` are those
    that a counter of the page tells of, `commands` those of another driver.
    """

    bytes: Mapping[str, float] = field(default_factory=lambda: {LIST: 500_000.0, READ: 40_000.0})
    taken: Mapping[str, float] = field(default_factory=lambda: {LIST: 2.0, READ: 1.0})
    callers: Mapping[str, Mapping[str, int]] | None = None
    batched: int = 0
    statements: Mapping[str, float] | None = None
    commands: float | None = None
    commanded: str = COMMANDED
    writes: float = 4.0
    collections: int = 5
    threads: float = 36.0
    ready_s: float = 8.0
    artifact: int = 32_000_000
    failing: float = 0.0
    died: str | None = None


def _calls(build: Build, window: Window) -> list[dict[str, object]]:
    if build.callers is None:
        return []
    counted = build.callers.get(str(window.endpoint), {})
    rows: list[tuple[str, str, int]] = [(kind.value, "", 0) for kind in CallKind]
    rows += [("statements", caller, REQUESTS * count) for caller, count in counted.items()]
    rows += [("batched", PAGE, REQUESTS * build.batched)] if build.batched else []
    return [{"window": window.index, "kind": kind, "caller": who, "count": count} for kind, who, count in rows]


def _fork(side: Side, build: Build, windows: list[Window], *, scatter: float, random: np.random.Generator) -> ForkData:
    tables = {name: empty_table(name) for name in TABLES}
    requests, counters, scrapes, series = [], [], [], []
    calls: list[dict[str, object]] = []
    stated = commanded = 0.0
    total = dict.fromkeys(("allocated_bytes", "taken", "writes"), 0.0)
    for place, window in enumerate(windows):
        endpoint = str(window.endpoint)
        for edge, moment in (("start", window.start_ns), ("end", window.end_ns)):
            if edge == "end":
                # A class is loaded now and then, whichever block it falls into.
                loaded = 3e6 if random.random() < 0.1 else 0.0
                cost = build.bytes[endpoint] * float(np.exp(random.normal(0.0, scatter)))
                total["allocated_bytes"] += REQUESTS * cost + loaded
                total["taken"] += REQUESTS * build.taken[endpoint]
                total["writes"] += REQUESTS * build.writes
                calls += _calls(build, window)
                stated += REQUESTS * (build.statements or {}).get(endpoint, 0.0)
                commanded += REQUESTS * (build.commands or 0.0)
            counters.append(
                dict.fromkeys(TABLES["counters"], 0.0)
                | {"window": window.index, "edge": edge, "time_ns": moment}
                | {"allocated_bytes": total["allocated_bytes"], "writes": total["writes"], "reads": total["writes"]}
                | {"read_bytes": 100 * total["writes"], "written_bytes": 300 * total["writes"]}
                | {"gc_count": float(build.collections * (place + (edge == "end")) // len(windows))}
                | {"threads": build.threads, "classes": 10_900.0}
            )
            page = {"window": window.index, "edge": edge, "time_ns": moment}
            scrapes.append(page | {"duration_ms": 9.0, "page_bytes": 110_000, "series": 748, "error": ""})
            told = {TAKEN: total["taken"]} | ({} if build.statements is None else {STATED: stated})
            told |= {} if build.commands is None else {build.commanded: commanded}
            series += [
                {"window": window.index, "edge": edge, "name": name, "labels": "", "value": value}
                for name, value in told.items()
            ]
        requests += [
            {
                "window": window.index,
                "endpoint": endpoint,
                "start_ns": window.start_ns + number,
                "latency_ms": 4.0,
                "ok": bool(random.random() >= build.failing),
                "message": "",
                "injector": 0,
            }
            for number in range(REQUESTS)
        ]
    made = {"requests": requests, "counters": counters, "scrapes": scrapes, "series": series, "calls": calls}
    tables |= {name: pd.DataFrame(rows).astype(TABLES[name]) for name, rows in made.items() if rows}
    record = ForkRecord(
        side=side,
        command=("java",),
        ready_s=build.ready_s * float(np.exp(random.normal(0.0, 0.02))),
        first_answer_s=0.4,
        artifact_bytes=build.artifact,
        died=build.died,
    )
    return ForkData(record=record, tables=tables)


def pair_of(
    number: int, baseline: Build, candidate: Build, *, seed: int = 1, scatter: float = 2e-4, rounds: int = ROUNDS
) -> Pair:
    """Five rounds over two endpoints, there and back, sent to both sides at once."""
    windows = []
    for block in range(2 * rounds):
        endpoint = (LIST, READ)[(block + block // 2) % 2]
        start_ns = (number * 100 + block) * SECOND
        for place, side in enumerate((Side.BASELINE, Side.CANDIDATE)):
            index = 2 * block + place
            windows.append(
                Window(index=index, side=side, start_ns=start_ns, end_ns=start_ns + SECOND // 2, endpoint=endpoint)
            )
    builds = {Side.BASELINE: baseline, Side.CANDIDATE: candidate}
    forks = {
        side: _fork(
            side,
            build,
            [window for window in windows if window.side is side],
            scatter=scatter,
            random=np.random.default_rng([seed, number, place]),
        )
        for place, (side, build) in enumerate(builds.items())
    }
    records = {side: fork.record for side, fork in forks.items()}
    record = PairRecord(number=number, first=Side.BASELINE, windows=tuple(windows), forks=records)
    return Pair(record=record, forks=forks)


CRITERIA = Criteria(tier=Tier.QUICK, weights=WEIGHTS, comparisons=2)


def compared(candidate: Build, *, baseline: Build = Build(), seed: int = 1, scatter: float = 2e-4) -> Comparison:
    """What the judge makes of three pairs."""
    pairs = [pair_of(number, baseline, candidate, seed=seed, scatter=scatter) for number in (1, 2, 3)]
    return compare_pairs(pairs, CRITERIA)


def read_of(fork: MeasuredFork, name: str, endpoint: str = "") -> Reading:
    """A metric of one fork, of an endpoint or of the whole service."""
    found = counted(in_mix(fork, WEIGHTS), [LIST, READ])
    return next(reading for metric, reading in found.items() if metric.key == (name, endpoint))


def verdicts(comparison: Comparison, name: str) -> dict[str, Verdict]:
    """On a metric, by endpoint."""
    return {each.metric.endpoint: each.verdict for each in comparison.judgements if each.metric.name == name}


def amount_of(reading: Reading) -> tuple[float, int]:
    """What was read, and of how many requests."""
    assert isinstance(reading, Value)
    return reading.amount, reading.requests


def estimate_of(comparison: Comparison, name: str, endpoint: str) -> tuple[float, float] | None:
    """A metric on both sides; None where nothing was estimated."""
    estimate = next((each.estimate for each in comparison.judgements if each.metric.key == (name, endpoint)), None)
    return None if estimate is None else (estimate.baseline, estimate.candidate)


def causes_of(comparison: Comparison, name: str, endpoint: str) -> tuple[Cause, ...]:
    """The roots that a finding names."""
    return next(each.causes for each in comparison.findings if each.judgement.metric.key == (name, endpoint))
