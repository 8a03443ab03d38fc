"""How metrics are read from a fork of the quick tier: block by block, where each block asked one endpoint.

All blocks of an endpoint hold the same requests, so they would all cost the same. Where they do not, something else was
at work in a few of them: a class that was loaded, a timer that went off, a database that tidied up after the block
before. Whatever it is, it allocates beside the requests and never takes back, so the least of the blocks is the one
nearest to what they cost. Events that are told late are missing in one block and too many in the next: of those the
median counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import READERS, Reader, kinds, read_by
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.model.calls import CallKind
from pacecar.model.comparison import Metric
from pacecar.model.tiers import Tier

#: Counters of metrics pages, in groups: of each group the first that a page has counts, for the others of it count the
#: same. Names as Micrometer's binders and the instrumentation of drivers make them.
STATEMENTS = (
    ("jdbc_query_seconds_count", "hibernate_statements_total", "hibernate_query_executions_total"),
    ("spring_r2dbc_query_seconds_count", "r2dbc_query_seconds_count"),
    ("mongodb_driver_commands_seconds_count",),
    ("lettuce_seconds_count", "lettuce_command_completion_seconds_count"),
    ("cassandra_session_cql_requests_seconds_count",),
)
CONNECTIONS = (
    ("hikaricp_connections_usage_seconds_count", "hikaricp_connections_acquire_seconds_count"),
    ("agroal_acquire_count_total",),
)
CALLS = (
    (
        "http_client_requests_seconds_count",
        "httpcomponents_httpclient_request_seconds_count",
        "okhttp_requests_seconds_count",
    ),
    ("grpc_client_processing_duration_seconds_count",),
)


def in_mix(fork: MeasuredFork, weights: Mapping[str, float]) -> MeasuredFork:
    """The fork with endpoints weighted as users ask them, and not as blocks do; equally where that is not known."""
    asked = {window.endpoint for window in fork.windows if window.endpoint is not None}
    known = {endpoint: weight for endpoint, weight in weights.items() if endpoint in asked}
    mix = known if len(known) == len(asked) else dict.fromkeys(sorted(asked), 1.0)
    total = sum(mix.values())
    return replace(fork, mix={endpoint: weight / total for endpoint, weight in mix.items()})


def counted_alike(pairs: Sequence[tuple[MeasuredFork, MeasuredFork]]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    """The forks with the calls that the agents counted, of those kinds that an agent saw in any of them.

    Everything else is asked of the metrics pages, on both sides alike: two accounts of the same calls differ. An agent
    that saw no statement at all does not know the driver.
    """
    forks = [fork for pair in pairs for fork in pair]
    everywhere = all(fork.counts_calls for fork in forks)
    seen = [kind.value for kind in CallKind if everywhere and any(fork.called(kind).any() for fork in forks)]
    return [(_only(before, seen), _only(after, seen)) for before, after in pairs]


def _only(fork: MeasuredFork, kinds: Collection[str]) -> MeasuredFork:
    calls = fork.data.tables.get("calls")
    if calls is None or calls.empty:
        return fork
    kept = {**fork.data.tables, "calls": calls[calls["kind"].isin(kinds)]}
    return replace(fork, data=replace(fork.data, tables=kept))


def endpoints_of(forks: Sequence[MeasuredFork]) -> tuple[str, ...]:
    """All endpoints that were asked, those of the largest weight first."""
    weights = {endpoint: weight for fork in forks for endpoint, weight in fork.mix.items()}
    return tuple(sorted(weights, key=lambda endpoint: (-weights[endpoint], endpoint)))


def _per_request(
    fork: MeasuredFork, endpoint: str, grown: pd.Series[float], *, name: str, least: bool = False
) -> Reading:
    """Growth per request in the median block of `endpoint`, or in the least; of the whole service, these by the mix."""
    if grown.empty:
        return Missing(reason=f"the counter {name} was not read at both edges of any block", absent=True)
    if endpoint != ALL:
        return _of_one(fork, endpoint, grown, least=least)
    each = {one: _of_one(fork, one, grown, least=least) for one in fork.mix}
    values = {one: value for one, value in each.items() if isinstance(value, Value)}
    if len(values) < len(each) or not each:
        lacking = next((one for one in each if one not in values), "any endpoint")
        return Missing(reason=f"no block of {lacking} was counted")
    return Value(
        amount=sum(fork.mix[one] * value.amount for one, value in values.items()),
        requests=sum(value.requests for value in values.values()),
    )


def _of_one(fork: MeasuredFork, endpoint: str, grown: pd.Series[float], *, least: bool) -> Reading:
    own = [window.index for window in fork.windows if window.endpoint == endpoint]
    requests = fork.requests["window"].value_counts().reindex(own).dropna()
    per_request = (grown.reindex(requests.index) / requests).dropna()
    if per_request.empty:
        return Missing(reason=f"no block of {endpoint} was counted", absent=not own)
    amount = per_request.min() if least else per_request.median()
    return Value(amount=float(amount), requests=int(requests.reindex(per_request.index).sum()))


def _allocation(fork: MeasuredFork, endpoint: str) -> Reading:
    """Of blocks in which no thread ended, where every endpoint has one.

    Some JVMs lose a little of what such a thread has allocated, so the least block would be the one that lost most.
    """
    grown, ended = fork.growth("allocated_bytes"), fork.growth("threads_ended")
    whole = grown[ended.reindex(grown.index, fill_value=0.0) == 0]
    asked = {window.endpoint for window in fork.windows}
    kept = {window.endpoint for window in fork.windows if window.index in whole.index}
    return _per_request(fork, endpoint, whole if kept == asked else grown, name="allocated_bytes", least=True)


def _counter(column: str) -> Reader:
    return lambda fork, endpoint: _per_request(fork, endpoint, fork.growth(column), name=column)


def _of_page(groups: Sequence[Sequence[str]]) -> Reader:
    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        grown = _page_growth(fork, groups)
        if grown is None:
            return Missing(reason="the metrics page has no counter of it", absent=True)
        return _per_request(fork, endpoint, grown, name="of the metrics page")

    return read


def _of_agent(kind: CallKind, groups: Sequence[Sequence[str]]) -> Reader:
    """What the agent in the JVM counted, which is exact; elsewhere what the service's own counters say."""
    of_page = _of_page(groups)

    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        calls = fork.called(kind)
        if calls.empty:
            return of_page(fork, endpoint)
        return _per_request(fork, endpoint, calls, name=f"of {kind.value}")

    return read


def _batched(fork: MeasuredFork, endpoint: str) -> Reading:
    calls = fork.called(CallKind.BATCHED)
    if calls.empty:
        return Missing(reason="no statement went out in a batch, or nobody counted them", absent=True)
    return _per_request(fork, endpoint, calls, name="of statements in batches")


def _page_growth(fork: MeasuredFork, groups: Sequence[Sequence[str]]) -> pd.Series[float] | None:
    """By how much the counters of these groups grew in each block, added up; None where the page has none of them.

    A series that is not there at the start of a block is made by its requests, and was zero.
    """
    rows = fork.inside("series")
    present = set(rows["name"].unique())
    named = [name for group in groups if (name := next((each for each in group if each in present), None))]
    if not named:
        return None
    both = _read_at_both_edges(fork)
    sums = rows[rows["name"].isin(named)].groupby(["edge", "window"])["value"].sum()
    start, end = (sums.get(edge, pd.Series(dtype="float64")).reindex(both, fill_value=0.0) for edge in ("start", "end"))
    grown: pd.Series[float] = end - start
    return grown[grown >= 0]


def _read_at_both_edges(fork: MeasuredFork) -> Collection[int]:
    scrapes = fork.inside("scrapes")
    good = scrapes[scrapes["error"].fillna("") == ""]
    return sorted(set(good[good["edge"] == "start"]["window"]) & set(good[good["edge"] == "end"]["window"]))


def _collections(fork: MeasuredFork, _: str) -> Reading:
    """Per 1,000 requests. One collection more or less is where the last one happened to fall."""
    reading = fork.per_request("gc_count", factor=1000)
    return replace(reading, step=1000 / reading.requests) if isinstance(reading, Value) else reading


def _level(column: str) -> Reader:
    """What was there at the last edge: a pool has its threads by then, and classes are loaded."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        rows = fork.inside("counters").dropna(subset=column).sort_values("time_ns")
        if rows.empty:
            return Missing(reason=f"the counter {column} was never read", absent=True)
        return Value(amount=float(rows[column].iloc[-1]), requests=len(fork.requests), step=1.0)

    return read


def _artifact_size(fork: MeasuredFork, _: str) -> Reading:
    size = fork.data.record.artifact_bytes
    if size is None:
        return Missing(reason="the artifact is an image", absent=True)
    return Value(amount=float(size), requests=len(fork.requests))


#: Name -> how it is read from a fork of the quick tier, as `readers.READERS`.
COUNTED: Mapping[str, Reader] = {
    **READERS,
    "allocation": _allocation,
    "statements": _of_agent(CallKind.STATEMENTS, STATEMENTS),
    "statements.batched": _batched,
    "connections.taken": _of_page(CONNECTIONS),
    "calls": _of_agent(CallKind.CALLS, CALLS),
    "io.reads": _counter("reads"),
    "io.writes": _counter("writes"),
    "io.read": _counter("read_bytes"),
    "io.written": _counter("written_bytes"),
    "gc.count": _collections,
    "threads": _level("threads"),
    "classes": _level("classes"),
    "artifact.size": _artifact_size,
}


def counted(fork: MeasuredFork, endpoints: Sequence[str]) -> dict[Metric, Reading]:
    """Every metric of the quick tier on one fork: of the whole service, and of each of `endpoints`."""
    return read_by(COUNTED, fork, endpoints, kinds((), Tier.QUICK))
