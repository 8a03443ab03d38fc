"""Single requests as rows of the profiles: what happened during each, whoever tells of it, in one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.single_requests import (
    RequestPair,
    SingleRequest,
    SpanGroup,
    Stopped,
    Stretch,
    slow_requests,
)
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.document.files import tidied
from pacecar.reporting.document.profile_shapes import EventRow, EventSource, RequestPairRow, RequestRow
from pacecar.reporting.document.shapes import Document

_LATENCY = "latency."
_TOLD = (Verdict.REGRESSED, Verdict.IMPROVED)


def with_requests(document: Document, pairs: Sequence[Pair], *, application: Sequence[str]) -> Document:
    """`document` with what single requests tell; endpoints whose latency has changed come first.

    Args:
        document: with its profiles.
        pairs: that its verdict rests on, or that were measured to see why.
        application: prefixes of the class names that are the user's own code.
    """
    changed = [
        judged.endpoint
        for judged in document.judgements
        if judged.endpoint and judged.name.startswith(_LATENCY) and judged.verdict in _TOLD
    ]
    forks = {
        side: [(pair.record.number, MeasuredFork.of(pair, side)) for pair in pairs if side in pair.forks]
        for side in Side
    }
    found = slow_requests(forks[Side.BASELINE], forks[Side.CANDIDATE], endpoints=changed, application=application)
    if document.profiles is None or not found:
        return document
    return tidied(replace(document, profiles=replace(document.profiles, requests=tuple(map(_row, found)))))


def _row(pair: RequestPair) -> RequestPairRow:
    return RequestPairRow(endpoint=pair.slowest.endpoint, usual=_request(pair.usual), slowest=_request(pair.slowest))


def _request(request: SingleRequest) -> RequestRow:
    return RequestRow(
        side=request.side,
        pair=request.pair,
        took_ms=request.took_ms,
        lag_ms=request.lag_ms,
        events=(*map(_span, request.steps), *map(_seen, request.stretches), *map(_paused, request.pauses)),
    )


def _span(step: SpanGroup) -> EventRow:
    return EventRow(
        source=EventSource.SPAN,
        text=step.name,
        place=step.kind or None,
        thread=None,
        depth=step.depth,
        failed=step.failed,
        at_ms=step.at_ms,
        until_ms=step.until_ms,
        took_ms=step.took_ms,
        count=step.count,
    )


def _seen(stretch: Stretch) -> EventRow:
    return EventRow(
        source=EventSource.PROFILE,
        text=stretch.doing,
        place=stretch.frame,
        thread=stretch.thread,
        depth=0,
        failed=False,
        at_ms=stretch.at_ms,
        until_ms=stretch.until_ms,
        took_ms=None,
        count=stretch.samples,
    )


def _paused(pause: Stopped) -> EventRow:
    return EventRow(
        source=EventSource.PAUSE,
        text=pause.kind,
        place=pause.process,
        thread=None,
        depth=0,
        failed=False,
        at_ms=pause.at_ms,
        until_ms=pause.at_ms + pause.took_ms,
        took_ms=pause.took_ms,
        count=1,
    )
