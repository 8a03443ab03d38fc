"""What kinds of causes say of a frame that is to blame."""

from __future__ import annotations

from pacecar.analysis.causes.kind import Claim, Evidence
from pacecar.model.comparison import Amount, CauseScope, Judgement, Verdict
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind
from pacecar.text.units import format_quantity, unit_of

_LATENCIES = ("latency.", "server.latency.")


def is_time_of_requests(judgement: Judgement) -> bool:
    """Whether the judgement is about how long requests take, which several kinds of profile may explain."""
    return judgement.metric.name.startswith(_LATENCIES)


def first_blamed(event: ProfileKind, judgement: Judgement, evidence: Evidence) -> FrameChange | None:
    """The frame to blame for most of `event`'s change, of those that changed in the judgement's direction."""
    worse = judgement.verdict is Verdict.REGRESSED
    of_event = (frame for frame in evidence.blamed if frame.event == event)  # largest first
    return next((frame for frame in of_event if (frame.self_change > 0) == worse), None)


def claim_of(frame: FrameChange, *, weight: float) -> Claim:
    """The claim that `frame` is the cause."""
    return Claim(
        statement=_sentence(frame),
        scope=CauseScope(
            frame=frame.frame, pool=frame.pool or None, endpoint=frame.endpoints[0] if frame.endpoints else None
        ),
        amounts=(
            Amount(
                quantity=frame.event.quantity,
                unit=unit_of(frame.event.unit),
                baseline=frame.self_baseline,
                candidate=frame.self_candidate,
                change=frame.self_change,
                low=frame.low,
                high=frame.high,
            ),
        ),
        weight=weight,
    )


def _sentence(frame: FrameChange) -> str:
    event = frame.event
    amounts = [_signed(amount, event) for amount in (frame.self_change, frame.low, frame.high)]
    where = f", on {frame.pool}" if frame.pool else ""
    if frame.endpoints and frame.endpoints[0] != frame.frame:
        where += f", most for {frame.endpoints[0]}"
    named = f"Below {frame.frame}" if frame.diffuse else frame.frame
    sentence = f"{named}: {amounts[0]} [{amounts[1]}, {amounts[2]}] {event.phrase}{where}"
    same_way = [(name, change) for name, change in frame.below if change * frame.self_change > 0]
    if same_way and abs(same_way[0][1]) > abs(frame.self_change) / 2:
        sentence += f"; most of it in {same_way[0][0]}, which it called"
    if frame.touched:
        sentence += "; its code differs between the builds"
    return sentence + "."


def _signed(amount: float, event: ProfileKind) -> str:
    text = format_quantity(amount, event.unit)
    return text if amount < 0 else f"+{text}"
