"""Pairs of the full tier with the blocks after their last window: the cost of each endpoint by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, Pair, Window
from pacecar.model.tables import TABLES

SECOND = 1_000_000_000
REQUESTS = 20
STATEMENTS = "jdbc_query_seconds_count"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one request to one endpoint; `queries` are statements that the agent counted, by the method that made them."""

    bytes: float = 50_000.0
    cpu_ms: float = 1.0
    statements: float = 2.0
    queries: Mapping[str, float] = field(default_factory=dict)


def with_blocks(
    pair: Pair,
    costs: Mapping[Side, Mapping[str, Cost]],
    *,
    rounds: Mapping[str, int] | int = 4,
    scatter: float = 5e-4,
    seed: int = 1,
) -> Pair:
    """`pair` with blocks after its windows.

    Args:
        pair: with windows.
        costs: of the sides that are counted, by endpoint.
        rounds: blocks of each endpoint; by its name, or as many of all.
        scatter: standard deviation of each block's logarithm.
        seed: of that.
    """
    endpoints = list(next(iter(costs.values())))
    many = rounds if isinstance(rounds, Mapping) else dict.fromkeys(endpoints, rounds)
    asked = [name for turn in range(max(many.values())) for name in endpoints if turn < many[name]]
    last = max(pair.record.windows, key=lambda window: window.index)
    blocks = [
        Window(
            index=last.index + 1 + place * len(costs) + number,
            side=side,
            start_ns=last.end_ns + (place + 1) * SECOND,
            end_ns=last.end_ns + (place + 1) * SECOND + SECOND // 2,
            endpoint=name,
        )
        for place, name in enumerate(asked)
        for number, side in enumerate(costs)
    ]
    forks = {
        side: _counted(
            fork,
            [block for block in blocks if block.side is side],
            costs.get(side, {}),
            scatter=scatter,
            random=np.random.default_rng([seed, pair.record.number, place]),
        )
        for place, (side, fork) in enumerate(pair.forks.items())
    }
    return Pair(record=replace(pair.record, blocks=tuple(blocks)), forks=forks)


def _counted(
    fork: ForkData, blocks: Sequence[Window], costs: Mapping[str, Cost], *, scatter: float, random: np.random.Generator
) -> ForkData:
    counters, requests, scrapes, series, calls = [], [], [], [], []
    grown = dict.fromkeys(("allocated_bytes", "cpu_ns", "statements"), 1e9)
    for block in blocks:
        cost = costs[str(block.endpoint)]
        calls += [
            {"window": block.index, "kind": "statements", "caller": caller, "count": round(REQUESTS * each)}
            for caller, each in cost.queries.items()
        ]
        for edge, moment in (("start", block.start_ns), ("end", block.end_ns)):
            if edge == "end":
                factor = float(np.exp(random.normal(0.0, scatter)))
                grown["allocated_bytes"] += REQUESTS * cost.bytes * factor
                grown["cpu_ns"] += REQUESTS * cost.cpu_ms * 1e6 * factor
                grown["statements"] += REQUESTS * cost.statements
            known = {name: amount for name, amount in grown.items() if name in TABLES["counters"]}
            at = {"window": block.index, "edge": edge, "time_ns": moment}
            # Threads that only blocks have, and a page that only they see: nobody may take them for a window's.
            counters.append(dict.fromkeys(TABLES["counters"], 0.0) | at | known | {"threads": 9_000.0})
            scrapes.append(at | {"duration_ms": 3.0, "page_bytes": 9_000_000, "series": 90_000, "error": ""})
            series.append(
                {"window": block.index, "edge": edge, "name": STATEMENTS, "labels": "", "value": grown["statements"]}
            )
        requests += [
            {
                "window": block.index,
                "endpoint": str(block.endpoint),
                "start_ns": block.start_ns + number,
                "latency_ms": 4_000.0,
                "ok": True,
                "message": "",
                "injector": 0,
            }
            for number in range(REQUESTS)
        ]
    made = {"counters": counters, "requests": requests, "scrapes": scrapes, "series": series, "calls": calls}
    tables = {
        name: pd.concat([fork.tables[name], pd.DataFrame(rows).astype(TABLES[name])], ignore_index=True)
        for name, rows in made.items()
        if rows
    }
    return replace(fork, tables={**fork.tables, **tables})
