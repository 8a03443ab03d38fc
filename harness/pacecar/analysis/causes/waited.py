"""What kinds of causes claim of waits whose reason stacks tell; each kind has reasons of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from pacecar.analysis.causes.explains import MEAN_LATENCY
from pacecar.analysis.causes.kind import Claim, Layer
from pacecar.analysis.causes.sentences import signed
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities import calls
from pacecar.analysis.quantities.frames import blamed, reason_of
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved
from pacecar.analysis.quantities.waits import frame_of, waits
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind

#: Where samples do not tell what they serve, waiting that grew by much more than requests did is another endpoint's.
MOST = 2.0
#: So many threads may wait for memory at once, all of them for one request.
MOST_AT_ONCE = 10.0
#: What makes threads take longer for which others wait: that they wait themselves, or use more CPU time.
_BEHIND = frozenset({"waiting", "cpu"})
#: What calls of others make requests wait for. Whatever else they wait for, calls have no part in it.
_CALLED = {
    Wait.CONNECTION: (calls.DATABASE, calls.CONNECTION),
    Wait.DATABASE: (calls.DATABASE, calls.CONNECTION, calls.CACHE),
    Wait.HTTP: (calls.SERVICES,),
    Wait.BROKER: (calls.SERVICES,),
    Wait.NETWORK: (calls.DATABASE, calls.CONNECTION, calls.CACHE, calls.SERVICES),
}
Claims = Callable[[Judgement, Quantities], Iterator[Claim]]


def waited(reasons: Collection[Wait]) -> Claims:
    """A claim for each of these reasons for which requests wait longer, or shorter."""

    def claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
        endpoint = judgement.metric.endpoint
        served = endpoint if quantities.labelled else ""
        for wait, frame, moved in _longer(quantities, endpoint):
            if wait not in reasons:
                continue
            fact = moved.fact
            interval = (
                ""
                if fact.low is None or fact.high is None
                else (f" [{signed(fact.low, fact.unit)}, {signed(fact.high, fact.unit)}]")
            )
            yield Claim(
                statement=f"Requests waited {signed(fact.change, fact.unit)}{interval} for {wait.value}"
                + (f", below {frame}" if frame else "")
                + ".",
                scope=replace(fact.scope, endpoint=served or None, dependency=wait.value, frame=frame or None),
                facts=(fact,),
                each=moved.each,
                of=MEAN_LATENCY,
                scatter=moved.scatter,
                most=_most(wait, quantities),
                layer=Layer.BEHIND if wait is Wait.THREADS else None,
                follows_from=frozenset(calls.moving(called, fact.change) for called in _CALLED.get(wait, ()))
                | (_BEHIND if wait is Wait.THREADS else frozenset()),
            )

    return claims


def _most(wait: Wait, quantities: Quantities) -> float:
    if quantities.labelled:
        return float("inf")
    return MOST_AT_ONCE if wait is Wait.MEMORY else MOST


def _longer(quantities: Quantities, endpoint: str) -> Iterator[tuple[Wait, str, Moved]]:
    """What is waited for longer, or shorter, below which frame: by all waits of one reason together, and where too few
    pairs tell of a reason what many frames together do, by frames that are to blame. The JVM times each wait for a
    lock, so a profile of them may see what too few wall-clock samples do not.
    """
    told, by_frames = set[Wait](), set[Wait]()
    for moved in quantities.moved(waits(endpoint)):
        wait = Wait(moved.scope.dependency or Wait.UNKNOWN)
        told.add(wait)
        yield wait, frame_of(quantities, wait, endpoint, change=moved.fact.change), moved
    for frame, moved in blamed(quantities, ProfileKind.WALL, endpoint):
        only = reason_of(quantities, frame, endpoint)
        if only is not None and only not in told:
            by_frames.add(only)
            yield only, frame.frame, moved
    if Wait.LOCK not in told | by_frames:
        for frame, moved in blamed(quantities, ProfileKind.LOCK, endpoint):
            yield Wait.LOCK, frame.frame, moved
