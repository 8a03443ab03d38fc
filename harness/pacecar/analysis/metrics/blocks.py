"""What a request to one endpoint costs, read from blocks, each of which asked one: of the quick tier, which has nothing
else, and of the full tier, where blocks follow the last window.

All blocks of an endpoint hold the same requests, so they would all cost the same. Where they do not, something else was
at work in a few of them: a class that was loaded, a timer that went off, a database that tidied up after the block
before. Whatever it is, it allocates beside the requests and never takes back, so the least of the blocks is the one
nearest to what they cost. Events that are told late are missing in one block and too many in the next: of those the
median counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.model.calls import CallKind

Reader = Callable[[MeasuredFork, str], Reading]

#: Of a fork of the full tier without blocks.
NOT_COUNTED = Missing(reason="requests were not counted endpoint by endpoint (plan.counted)", absent=True)
#: Counters of metrics pages, in groups: of each group the first that a page has counts, for the others of it count the
#: same. Names as Micrometer's binders and the instrumentation of drivers make them. The agent in the JVM counts all of
#: these, too.
STATEMENTS = (
    ("jdbc_query_seconds_count", "hibernate_statements_total", "hibernate_query_executions_total"),
    ("spring_r2dbc_query_seconds_count", "r2dbc_query_seconds_count"),
    ("mongodb_driver_commands_seconds_count",),
    ("cassandra_session_cql_requests_seconds_count",),
    ("lettuce_seconds_count", "lettuce_command_completion_seconds_count"),
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
    ("kafka_producer_record_send_total",),
    ("rabbitmq_published_total",),
)


def _per_request(
    fork: MeasuredFork, endpoint: str, grown: pd.Series[float], *, name: str, least: bool = False
) -> Reading:
    """Growth per request in the median block of `endpoint`, or in the least; of the whole service, these by the mix."""
    if not fork.windows:
        return NOT_COUNTED
    if grown.empty:
        return Missing(reason=f"the counter {name} was not read at both edges of any block", absent=True)
    if endpoint != ALL:
        return _of_one(fork, endpoint, grown, least=least)
    each = {one: _of_one(fork, one, grown, least=least) for one in fork.mix}
    values = {one: value for one, value in each.items() if isinstance(value, Value)}
    if len(values) < len(each) or not each:
        lacking = next((one for one in each if one not in values), "any endpoint")
        asked = {window.endpoint for window in fork.windows}
        return Missing(reason=f"no block of {lacking} was counted", absent=lacking not in asked)
    return Value(
        amount=sum(fork.mix[one] * value.amount for one, value in values.items()),
        requests=sum(value.requests for value in values.values()),
    )


def _of_one(fork: MeasuredFork, endpoint: str, grown: pd.Series[float], *, least: bool) -> Reading:
    asked = fork.asked_of.get(endpoint)
    if asked is None:
        return Missing(reason=f"no block of {endpoint} was counted", absent=True)
    requests = asked.to_numpy()
    amounts = grown.reindex(asked.index).to_numpy(dtype="float64")
    counted = (requests > 0) & ~np.isnan(amounts)
    if not counted.any():
        return Missing(reason=f"no block of {endpoint} was counted")
    per_request = amounts[counted] / requests[counted]
    amount = np.min(per_request) if least else np.median(per_request)
    return Value(amount=float(amount), requests=int(requests[counted].sum()))


def allocation(fork: MeasuredFork, endpoint: str) -> Reading:
    """Bytes, of blocks in which no thread ended, where every endpoint has one.

    Some JVMs lose a little of what such a thread has allocated, so the least block would be the one that lost most.
    """
    fork = fork.in_blocks
    grown, ended = fork.growth("allocated_bytes"), fork.growth("threads_ended")
    whole = grown[ended.reindex(grown.index, fill_value=0.0) == 0]
    asked = {window.endpoint for window in fork.windows}
    kept = {window.endpoint for window in fork.windows if window.index in whole.index}
    return _per_request(fork, endpoint, whole if kept == asked else grown, name="allocated_bytes", least=True)


def cpu(fork: MeasuredFork, endpoint: str) -> Reading:
    """Milliseconds of CPU time, without the compilers where they are told apart."""
    blocks = fork.in_blocks
    return _per_request(blocks, endpoint, blocks.own_cpu_ns / 1e6, name="cpu_ns")


def counter(column: str) -> Reader:
    """Of a cumulative counter."""
    return lambda fork, endpoint: _per_request(fork.in_blocks, endpoint, fork.in_blocks.growth(column), name=column)


def of_page(groups: Sequence[Sequence[str]]) -> Reader:
    """Of the counters of the metrics page in these groups."""

    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        fork = fork.in_blocks
        if not fork.windows:
            return NOT_COUNTED
        grown = fork.page_counters.growth(groups)
        if grown is None:
            return Missing(reason="the metrics page has no counter for it", absent=True)
        return _per_request(fork, endpoint, grown, name="of the metrics page")

    return read


def of_agent(kind: CallKind, same: Sequence[Sequence[str]]) -> Reader:
    """What the agent in the JVM counted, which is exact; elsewhere what the service's own counters say.

    Args:
        kind: what the agent counts.
        same: groups of counters that count the same.
    """
    page = of_page(same)

    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        blocks = fork.in_blocks
        calls = blocks.called(kind)
        if calls.empty:
            return page(fork, endpoint)
        return _per_request(blocks, endpoint, calls, name=f"of {kind.value}")

    return read


def batched(fork: MeasuredFork, endpoint: str) -> Reading:
    """Statements that went out in batches, by the agent in the JVM."""
    calls = fork.in_blocks.called(CallKind.BATCHED)
    if calls.empty:
        return Missing(reason="no statement was sent in a batch, or statements were not counted", absent=True)
    return _per_request(fork.in_blocks, endpoint, calls, name="of statements in batches")


def counted_alike(*sides: Sequence[MeasuredFork]) -> list[list[MeasuredFork]]:
    """The forks of each side with the calls that the agents counted, of those kinds that an agent saw in any of them.

    Everything else is asked of the metrics pages, on all sides alike: two accounts of the same calls differ. An agent
    that saw no statement at all does not know the driver.
    """
    forks = [fork for side in sides for fork in side]
    asked = [each for fork in forks for each in (fork, fork.in_blocks) if each.windows]
    everywhere = all(fork.counts_calls for fork in forks if fork.in_blocks.windows)
    seen = [kind.value for kind in CallKind if everywhere and any(each.called(kind).any() for each in asked)]
    return [[_only(fork, seen) for fork in side] for side in sides]


def _only(fork: MeasuredFork, kinds: Collection[str]) -> MeasuredFork:
    calls = fork.data.tables.get("calls")
    if calls is None or calls.empty:
        return fork
    kept = {**fork.data.tables, "calls": calls[calls["kind"].isin(kinds)]}
    return replace(fork, data=replace(fork.data, tables=kept))
