"""Likely causes: for each change worth a reader's time, the frame that explains it, or that none does for certain.

A cause is named only when the frame is to blame by all pairs together, and changed in the same direction as the metric.
Naming the wrong frame costs a reader more than naming none.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pacecar.comparison import Finding, FrameChange, Judgement, Verdict
from pacecar.judge.evidence import ERRORS
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.reading import ALL
from pacecar.units import format_quantity

NONE_CERTAIN = "No cause is certain."
#: Wall-clock time holds CPU and lock time: it is the cause where it grew by more than this factor beyond either.
WAITING_FACTOR = 2.0
_MESSAGE_LIMIT = 120

#: Metric -> the kind of profile that tells where it comes from. The collector works for what is allocated, and a
#: container reaches its limit by what runs on a CPU.
_PROFILES = {
    "cpu": "cpu",
    "cpu.limit": "cpu",
    "throttled": "cpu",
    "throttled.periods": "cpu",
    "allocation": "alloc",
    "gc.pause": "alloc",
    "gc.count": "alloc",
}
_PHRASES = {
    "cpu": "CPU per request",
    "lock": "waiting for locks per request",
    "wall": "wall-clock time per request, most of it not on a CPU",
    "alloc": "allocated per request",
}


class CauseFinder:
    """Looks for causes in what was recorded beside the metrics.

    Args:
        baseline: the baseline's forks that take part.
        candidate: the candidate's.
        frames: as `profiles.changes` gives them. Of forks that were not measured side by side none is to blame.
    """

    def __init__(
        self,
        *,
        baseline: Sequence[MeasuredFork],
        candidate: Sequence[MeasuredFork],
        frames: Sequence[FrameChange],
    ) -> None:
        self._forks = (baseline, candidate)
        self._blamed = [frame for frame in frames if frame.blamed and frame.application]

    def findings(self, judgements: Sequence[Judgement]) -> tuple[Finding, ...]:
        """A finding for each change, in the order of `judgements`.

        Outside the gate only those that tell something new: one slow method moves a dozen quantiles.
        """
        found: list[Finding] = []
        named: set[str] = set()
        for judgement in judgements:
            if judgement.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
                continue
            cause = self.cause(judgement)
            if judgement.gated or cause not in named:
                found.append(Finding(judgement=judgement, cause=cause))
                named.add(cause)
        return tuple(found)

    def cause(self, judgement: Judgement) -> str:
        """The likely cause of one change, as a sentence."""
        name = judgement.metric.name
        if judgement.estimate is None:  # forks died; the verdict's own reason says how
            return NONE_CERTAIN
        if name == ERRORS:
            return self._message(judgement)
        if name.startswith(("latency.", "server.latency.")):
            return self._of_latency(worse=judgement.verdict is Verdict.REGRESSED)
        event = _PROFILES.get(name)
        if event is None:
            return NONE_CERTAIN
        return self._sentence(event, self._clear(event, worse=judgement.verdict is Verdict.REGRESSED))

    def _of_latency(self, *, worse: bool) -> str:
        clear = {event: self._clear(event, worse=worse) for event in ("cpu", "lock", "wall")}
        busy = max(("cpu", "lock"), key=lambda event: _size(clear[event]))
        event = "wall" if _size(clear["wall"]) > WAITING_FACTOR * _size(clear[busy]) else busy
        return self._sentence(event, clear[event])

    def _clear(self, event: str, *, worse: bool) -> FrameChange | None:
        """The application frame to blame for most of the change in the direction asked for."""
        of_event = (frame for frame in self._blamed if frame.event == event)  # largest first
        return next((frame for frame in of_event if (frame.self_change > 0) == worse), None)

    def _sentence(self, event: str, frame: FrameChange | None) -> str:
        if frame is None:
            return NONE_CERTAIN
        amounts = [_signed(amount, event) for amount in (frame.self_change, frame.low, frame.high)]
        where = f", on {frame.pool}" if frame.pool else ""
        if frame.endpoints and frame.endpoints[0] != frame.frame:
            where += f", most for {frame.endpoints[0]}"
        named = f"Below {frame.frame}" if frame.diffuse else frame.frame
        sentence = f"{named}: {amounts[0]} [{amounts[1]}, {amounts[2]}] {_PHRASES[event]}{where}"
        same_way = [(name, change) for name, change in frame.below if change * frame.self_change > 0]
        if same_way and abs(same_way[0][1]) > abs(frame.self_change) / 2:
            sentence += f"; most of it in {same_way[0][0]}, which it called"
        if frame.touched:
            sentence += "; its code differs between the builds"
        return sentence + "."

    def _message(self, judgement: Judgement) -> str:
        """What the failures say of which the candidate has most more (or fewer) per request."""
        before, after = (_failures(side, judgement.metric.endpoint) for side in self._forks)
        grown = after.sub(before, fill_value=0.0)
        if judgement.verdict is Verdict.IMPROVED:
            grown = -grown
        if grown.empty or grown.max() <= 0:
            return NONE_CERTAIN
        message = str(grown.idxmax())
        shown = message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"
        shares = [f"{100 * float(side.get(message, 0.0)):.2g}%" for side in (before, after)]
        return f'Failed with "{shown}": {shares[0]} of requests before, {shares[1]} now.'


def _failures(forks: Sequence[MeasuredFork], endpoint: str) -> pd.Series[float]:
    """Message -> share of the requests to `endpoint` that failed with it, over all forks of a side."""
    requests = pd.concat([fork.requests for fork in forks])
    if endpoint != ALL:
        requests = requests[requests["endpoint"] == endpoint]
    messages = requests.loc[~requests["ok"].astype(bool), "message"]
    return messages.value_counts() / max(1, len(requests))


def _size(frame: FrameChange | None) -> float:
    return 0.0 if frame is None else abs(frame.self_change)


def _signed(amount: float, event: str) -> str:
    text = format_quantity(amount, "B" if event == "alloc" else "ms")
    return text if amount < 0 else f"+{text}"
