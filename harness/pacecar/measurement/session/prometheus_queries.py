"""Prometheus asked about the windows of a pair, once they are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pacecar.integrations.exchange import Server
from pacecar.integrations.prometheus import Question, Reply, filled, replies, scrape_intervals_s, too_rare
from pacecar.model.experiment import Query, Side
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES, empty_table


def scrape_intervals(server: Server | None, instances: Mapping[Side, str]) -> dict[Side, float]:
    """Seconds between two scrapes of each fork that the server says it scrapes; asked while the forks are up."""
    known = scrape_intervals_s(server) if server is not None else {}
    return {side: known[instance] for side, instance in instances.items() if instance in known}


def answers(
    server: Server | None,
    queries: Sequence[Query],
    *,
    pair: int,
    windows: Sequence[Window],
    instances: Mapping[Side, str],
    intervals_s: Mapping[Side, float],
) -> tuple[dict[Side, pd.DataFrame], tuple[str, ...]]:
    """The table `queries` of each side, and a note for each query that some window has no number of.

    Args:
        server: who is asked; None gives empty tables.
        queries: what is asked.
        pair: number of the pair.
        windows: those that were measured.
        instances: `host:port` of each side's fork.
        intervals_s: see `scrape_intervals`.
    """
    sides = {window.side for window in windows}
    if server is None or not queries:
        return {side: empty_table("queries") for side in sides}, ()
    asked = [(query, window) for window in windows for query in queries]
    rare = {side: too_rare(intervals_s.get(side), max(_lengths(windows, side))) for side in sides}
    put = [(query, window) for query, window in asked if rare[window.side] is None]
    questions = [_question(query, window, pair=pair, instance=instances[window.side]) for query, window in put]
    found = {
        (query.name, window.index): reply
        for (query, window), reply in zip(put, replies(server, questions), strict=True)
    }
    unasked = {side: Reply(value=float("nan"), error=why) for side, why in rare.items()}
    table = pd.DataFrame(
        [_row(query, window, found.get((query.name, window.index), unasked[window.side])) for query, window in asked]
    )
    by_side = {
        side: table[table["side"] == side.value][list(TABLES["queries"])]
        .astype(TABLES["queries"])
        .reset_index(drop=True)
        for side in sides
    }
    return by_side, tuple(_notes(table))


def _question(query: Query, window: Window, *, pair: int, instance: str) -> Question:
    text = filled(
        query.text,
        instance=instance,
        side=window.side.value,
        pair=pair,
        start_ns=window.start_ns,
        end_ns=window.end_ns,
    )
    return Question(text=text, end_s=window.end_ns / 1e9, length_s=window.seconds)


def _row(query: Query, window: Window, reply: Reply) -> dict[str, object]:
    return {
        "side": window.side.value,
        "window": window.index,
        "metric": query.name,
        "time_ns": window.end_ns,
        "value": reply.value,
        "error": reply.error or "",
    }


def _lengths(windows: Sequence[Window], side: Side) -> list[float]:
    return [window.seconds for window in windows if window.side is side]


def _notes(table: pd.DataFrame) -> list[str]:
    notes = []
    for (metric, side), rows in table.groupby(["metric", "side"], sort=True):
        failed = rows[rows["error"] != ""]
        if len(failed):
            notes.append(
                f"{metric} of the {side}: no number in {len(failed)} of {len(rows)} windows: {failed['error'].iloc[0]}."
            )
    return notes
