"""Requests that wait longer for something that is known: a database, a lock, a connection, another service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import signed
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities import frames
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.waits import frame_of, waits
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind

_MOST = 2.0  # as that of a hot frame


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    endpoint = judgement.metric.endpoint
    served = endpoint if quantities.labelled else ""
    for moved in quantities.moved(waits(endpoint)):
        wait, fact = Wait(moved.scope.dependency or Wait.UNKNOWN), moved.fact
        if wait is Wait.UNKNOWN:
            continue
        frame = frame_of(quantities, wait, endpoint)
        interval = (
            ""
            if fact.low is None or fact.high is None
            else (f" [{signed(fact.low, fact.unit)}, {signed(fact.high, fact.unit)}]")
        )
        yield Claim(
            statement=f"Requests waited {signed(fact.change, fact.unit)}{interval} for {wait.value}"
            + (f", below {frame}" if frame else "")
            + ".",
            scope=replace(moved.scope, endpoint=served or None, frame=frame or None),
            facts=(fact,),
            each=moved.each,
            of=MEAN_LATENCY,
            poisson=moved.poisson,
            most=float("inf") if quantities.labelled else _MOST,
        )


KIND = CauseKind(
    name="waiting-for",
    title="Waiting",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=_claims,
    moves=frozenset({"waiting"}),
    follows_from=frozenset({"calls"}),
)
