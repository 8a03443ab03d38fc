"""A fork whose machine has another clock: what it has timed is moved onto the load generator's.

Windows are cut by the generator's clock, so for what the fork times itself they are moved onto the fork's, and what
comes of it is moved back. How far apart the clocks were is known to half a round trip (`pods.clock`); that
they did not jump is the judge's to ask (`analysis.validity.clocks`). On the generator's own machine there is one clock,
but the generator reads it once: where it is set afterwards, that counts as a jump of the fork's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd

from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.pods.clock import Offset
from pacecar.model.clock import ClockOffset
from pacecar.model.recording import ForkRecord, Window

#: A clock that is corrected by less at once has not been set.
_SET_NS = 1_000_000
#: Columns that say when; all others in ns say how long.
_MOMENTS = ("start_ns", "time_ns")


def ahead_ns(record: ForkRecord) -> int:
    """How far the clock of a fork was ahead of ours while it was measured; 0 where there was one clock."""
    return 0 if record.clock is None else (record.clock.before_ns + record.clock.after_ns) // 2


def with_clock(record: ForkRecord, stepped: Offset | None) -> ForkRecord:
    """`record`, with what became of this machine's clock while load was sent, where the fork was on it."""
    if record.clock is not None or stepped is None or abs(stepped.ahead_ns) <= max(_SET_NS, stepped.bound_ns):
        return record
    return replace(record, clock=ClockOffset(before_ns=0, after_ns=stepped.ahead_ns, bound_ns=stepped.bound_ns))


def windows_there(windows: Iterable[Window], ahead: int) -> list[Window]:
    """Our windows as the fork's clock has them."""
    return [replace(each, start_ns=each.start_ns + ahead, end_ns=each.end_ns + ahead) for each in windows]


def table_here(table: pd.DataFrame, ahead: int) -> pd.DataFrame:
    """What the fork's clock has timed, as ours has it."""
    moments = [name for name in _MOMENTS if name in table.columns]
    return table.assign(**{name: table[name] - ahead for name in moments}) if ahead and moments else table


def tables_here(tables: Mapping[str, pd.DataFrame], ahead: int) -> dict[str, pd.DataFrame]:
    """The same of several."""
    return {name: table_here(table, ahead) for name, table in tables.items()}


def heap_here(heap: LiveHeap | None, ahead: int) -> LiveHeap | None:
    """The same of a live heap."""
    return None if heap is None else replace(heap, time_ns=heap.time_ns - ahead)
