"""What recordings contain besides requests and profiles, for tests of causes: real tables with known truths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, HeapGrowth, Pair, Window
from pacecar.model.tables import TABLES

Change = Callable[[ForkData, list[Window]], ForkData]


def changed(pairs: list[Pair], changes: dict[Side, Change]) -> list[Pair]:
    """The pairs with each side's forks changed."""
    return [
        replace(
            pair,
            forks={
                side: changes[side](fork, [each for each in pair.record.windows if each.side is side])
                for side, fork in pair.forks.items()
            },
        )
        for pair in pairs
    ]


def with_threads(*, gained: int = 0, **pools: int) -> Change:
    """Seen by wall-clock samples in every window: so many threads of each pool, `gained` more with every window that
    passes, and one of the collector.
    """

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        rows = [
            {
                "window": window.index,
                "event": "wall",
                "stack": 0,
                "thread": name,
                "state": "STATE_SLEEPING",
                "label": "",
                "samples": 100,
                "weight": 5e9,
            }
            for place, window in enumerate(windows)
            for name in [
                *(
                    f"{pool.replace('_', '-')}-{n}"
                    for pool, count in pools.items()
                    for n in range(count + place * gained)
                ),
                "GC Thread#0",
            ]
        ]
        stacks = pd.DataFrame({"stack": [0], "frames": ["java.lang.Thread.run"], "kinds": ["J"]}).astype(
            TABLES["stacks"]
        )
        return replace(
            fork, tables=fork.tables | {"samples": pd.DataFrame(rows).astype(TABLES["samples"]), "stacks": stacks}
        )

    return change


def warmed_by(requests: int) -> Change:
    """So many requests were answered before the first window."""
    table = pd.DataFrame({"time_ns": [0], "requests": [requests], "cpu_ns": [0], "jit_ms": [0.0]})
    return lambda fork, _: replace(fork, tables=fork.tables | {"warmup": table.astype(TABLES["warmup"])})


def with_heap(live_bytes: int) -> Change:
    """The heap holds so much after the last window."""
    heap = HeapGrowth(before_bytes=10_000_000, after_bytes=live_bytes, requests=1_600)
    return lambda fork, _: replace(fork, record=replace(fork.record, heap=heap))


def with_page(**uris: int) -> Change:
    """A page on which each metric has a series for so many values of `uri`, and a histogram that stays as it is."""

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        names = [(metric, f'method="GET",uri="/{number}?q={{x}}"') for metric, n in uris.items() for number in range(n)]
        names += [("jvm_gc_seconds_bucket", f'le="{bound}"') for bound in range(30)]
        edges = [
            (window.index, edge, moment)
            for window in windows
            for edge, moment in (("start", window.start_ns), ("end", window.end_ns))
        ]
        series = [
            {"window": window, "edge": edge, "name": name, "labels": labels, "value": 1.0}
            for window, edge, _ in edges
            for name, labels in names
        ]
        scrapes = [
            {
                "window": window,
                "edge": edge,
                "time_ns": moment,
                "duration_ms": 3.0,
                "page_bytes": 60 * len(names),
                "series": len(names),
                "error": "",
            }
            for window, edge, moment in edges
        ]
        return _with_tables(fork, {"series": series, "scrapes": scrapes})

    return change


def with_calls(**metrics: tuple[float, float | None]) -> Change:
    """Metrics of calls -> how many a request makes, and how many seconds each takes, as timers and counters tell; None
    where they are not timed.
    """

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        served = fork.tables["requests"]["window"].value_counts()
        rows = [
            {"window": window.index, "edge": edge, "name": f"{metric}_seconds_{part}", "labels": "", "value": value}
            for place, window in enumerate(windows)
            for edge, passed in (("start", place), ("end", place + 1))
            for metric, (calls, took_s) in metrics.items()
            for part, value in (
                ("count", passed * served[window.index] * calls),
                ("sum", None if took_s is None else passed * served[window.index] * calls * took_s),
            )
            if value is not None
        ]
        return _with_tables(fork, {"series": rows})

    return change


def with_counted_calls(**callers: float) -> Change:
    """Statements per request that the agent counted, by who made them, as `shop__Orders__page`; of other kinds none."""

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        served = fork.tables["requests"]["window"].value_counts()
        rows = [
            {"window": window.index, "kind": kind, "caller": caller, "count": round(served[window.index] * each)}
            for window in windows
            for kind, caller, each in (
                *((kind, "", 0.0) for kind in ("statements", "batched", "calls")),
                *(("statements", caller.replace("__", "."), each) for caller, each in callers.items()),
            )
        ]
        return _with_tables(fork, {"calls": rows})

    return change


def with_pauses(lasting_ms: float) -> Change:
    """All pauses of the service last so long."""

    def change(fork: ForkData, _: list[Window]) -> ForkData:
        pauses = fork.tables["pauses"]
        lasted = pauses["duration_ms"].where(pauses["process"] != "target", lasting_ms)
        return replace(fork, tables=fork.tables | {"pauses": pauses.assign(duration_ms=lasted)})

    return change


def with_pauses_of_injector(injector: int) -> Change:
    """All pauses of the load generator are those of one injector, while another has sent the requests."""

    def change(fork: ForkData, _: list[Window]) -> ForkData:
        pauses = fork.tables["pauses"]
        of_generator = pauses["injector"].where(pauses["process"] == "target", injector)
        return replace(fork, tables=fork.tables | {"pauses": pauses.assign(injector=of_generator)})

    return change


def with_requests_held(lasting_ms: float, process: str = "target") -> Change:
    """All pauses of a process last so long, and requests that begin in one wait for its end."""

    def change(fork: ForkData, _: list[Window]) -> ForkData:
        pauses, requests = fork.tables["pauses"], fork.tables["requests"]
        mine = pauses["process"] == process
        pauses = pauses.assign(duration_ms=pauses["duration_ms"].where(~mine, lasting_ms))
        begins = pauses["start_ns"][mine].to_numpy()
        into_ms = (requests["start_ns"].to_numpy()[:, None] - begins[None, :]) / 1e6
        left_ms = np.where((into_ms >= 0) & (into_ms < lasting_ms), lasting_ms - into_ms, 0.0).max(axis=1)
        requests = requests.assign(latency_ms=requests["latency_ms"] + left_ms)
        return replace(fork, tables=fork.tables | {"pauses": pauses, "requests": requests})

    return change


def with_slow_requests(*, one_in: int, by_ms: float) -> Change:
    """One request in so many takes so much longer, whatever else happens then."""

    def change(fork: ForkData, _: list[Window]) -> ForkData:
        requests = fork.tables["requests"]
        slow = np.arange(len(requests)) % one_in == 0
        return replace(
            fork,
            tables=fork.tables | {"requests": requests.assign(latency_ms=requests["latency_ms"] + by_ms * slow)},
        )

    return change


def with_steps(most: float, **pools_ms: float) -> Change:
    """A staircase up to `most` requests per second, of which each takes so much CPU time of each pool on one core."""
    rates = (100.0, 200.0, 320.0, 400.0, 500.0, 640.0)
    busy = [rate * sum(pools_ms.values()) / 1e3 for rate in rates]
    steps = pd.DataFrame(
        {
            "step": range(1, len(rates) + 1),
            "start_ns": 0,
            "end_ns": 0,
            "rate_per_s": rates,
            "answered_per_s": rates,
            "latency_ms": [5.0 if rate <= most else 500.0 for rate in rates],
            "busy": np.minimum(busy, 1.0),
            "machine_busy": np.nan,
            "generator_at_limit": False,
            "others": "",
        }
    ).astype(TABLES["steps"])
    rows = [
        {"step": number, "pool": pool.replace("_", "-"), "cores": rate * ms / 1e3}
        for number, rate in enumerate(rates, start=1)
        for pool, ms in pools_ms.items()
    ]
    pools = pd.DataFrame(rows).astype(TABLES["pools"])
    return lambda fork, _: replace(fork, tables=fork.tables | {"steps": steps, "pools": pools})


def with_runnable(stack: str, *, thread: str, ms: float) -> Change:
    """By wall-clock samples a thread runs so long per request, or could."""

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        stacks, samples = fork.tables["stacks"], fork.tables["samples"]
        number = int(stacks["stack"].max()) + 1
        weight = ms * 1e6 * len(fork.tables["requests"]) / len(windows)
        rows = {
            "window": [window.index for window in windows],
            "event": "wall",
            "stack": number,
            "thread": thread,
            "state": "STATE_RUNNABLE",
            "label": "",
            "samples": max(1, round(weight / 1e7)),
            "weight": weight,
        }
        kinds = "J" * (stack.count("\n") + 1)
        more = {
            "stacks": pd.concat([stacks, pd.DataFrame({"stack": [number], "frames": [stack], "kinds": [kinds]})]),
            "samples": pd.concat([samples, pd.DataFrame(rows)]),
        }
        return replace(fork, tables=fork.tables | {name: table.astype(TABLES[name]) for name, table in more.items()})

    return change


def with_stalls(thread: str, *, lasting_ms: float) -> Change:
    """By the collector's log a thread waits for memory once in a window, and as long between windows."""

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        rows = [
            {"thread": thread, "start_ns": start_ns, "duration_ms": lasting_ms}
            for window in windows
            for start_ns in (window.start_ns + 1_000_000, window.end_ns + 1)
        ]
        return _with_tables(fork, {"stalls": rows})

    return change


def with_flags(*flags: str) -> Change:
    """What the JVM says it runs with."""
    return lambda fork, _: replace(fork, record=replace(fork.record, jvm_flags=flags))


def interpreting(*stacks: str) -> Change:
    """The deepest frames of these stacks were interpreted when they were sampled."""

    def change(fork: ForkData, _: list[Window]) -> ForkData:
        table = fork.tables["stacks"]
        kinds = table["kinds"].where(~table["frames"].isin(stacks), table["kinds"].str[:-1] + "I")
        return replace(fork, tables=fork.tables | {"stacks": table.assign(kinds=kinds)})

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(fork: ForkData, windows: list[Window]) -> ForkData:
        for each in changes:
            fork = each(fork, windows)
        return fork

    return change


def as_it_is(fork: ForkData, _: list[Window]) -> ForkData:
    """No change."""
    return fork


def _with_tables(fork: ForkData, tables: dict[str, list[dict[str, object]]]) -> ForkData:
    made = {name: pd.DataFrame(rows).astype(TABLES[name]) for name, rows in tables.items()}
    return replace(fork, tables=fork.tables | made)
