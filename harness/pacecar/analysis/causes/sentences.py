"""Facts as words."""

from __future__ import annotations

from pacecar.model.causes import Fact
from pacecar.model.frames import FrameChange
from pacecar.text.units import format_quantity

_MANY = 10
_DIFFERS = ", whose code differs between the builds"


def told(fact: Fact) -> str:
    """Both sides, as `10 to 22`. No amount is below nothing; one that samples were taken off for may seem so."""
    before, after = (_short(max(0.0, amount), fact.unit) for amount in (fact.baseline, fact.candidate))
    return f"{before} to {after}"


def signed(amount: float, unit: str) -> str:
    """`+0.4 ms`."""
    text = format_quantity(amount, unit)
    return text if amount < 0 else f"+{text}"


def of_frame(frame: FrameChange, fact: Fact, endpoint: str) -> str:
    """By how much a frame changed, where, and in what that it called.

    Args:
        frame: which.
        fact: by how much, either per request to `endpoint` or per request to any.
        endpoint: whose requests changed; empty where all are meant.
    """
    event = frame.event
    amounts = [signed(amount, event.unit) for amount in (fact.change, fact.low, fact.high) if amount is not None]
    phrase = event.phrase
    if endpoint:
        whose = endpoint if fact.scope.endpoint == endpoint else "any endpoint"
        phrase = phrase.replace("per request", f"per request to {whose}")
    where = f", on {frame.pool}" if frame.pool else ""
    if frame.mostly_for not in (None, frame.frame):
        where += f", most for {frame.mostly_for}"
        where += _DIFFERS if frame.changed_caller == frame.mostly_for else ""
    named = f"Below {frame.frame}" if frame.diffuse else frame.frame
    sentence = f"{named}: {amounts[0]} [{amounts[1]}, {amounts[2]}] {phrase}{where}"
    same_way = [(name, change) for name, change in frame.below if change * frame.self_change > 0]
    if same_way and abs(same_way[0][1]) > abs(frame.self_change) / 2:
        sentence += f"; most of it in {same_way[0][0]}, which it called"
    if frame.touched:
        sentence += "; its code differs between the builds"
    elif frame.changed_caller not in (None, frame.mostly_for):
        sentence += f"; called from {frame.changed_caller}{_DIFFERS}"
    return sentence + "."


def _short(amount: float, unit: str) -> str:
    return f"{amount:,.0f}" if unit == "1" and abs(amount) >= _MANY else format_quantity(amount, unit)
