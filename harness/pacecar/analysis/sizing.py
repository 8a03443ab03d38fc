"""Which load fits a service: from the steps that were tried to the next one, or to an end and a proposal.

A load fits when the service is busy enough for requests to outweigh what its JVM does by itself, and idle enough for
requests not to wait for each other: between `ENOUGH` and `RAISED_TO` of its cores. How busy it is grows about
evenly with the load, on top of what it does without any, so the next load is read off the line through what was seen.
Nothing is raised once requests fail or answers take longer: then something else than the CPU is the limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.validity.machine import taken_by_others
from pacecar.analysis.validity.pairs import SHORTFALL, sift
from pacecar.analysis.validity.room import MOST_AT_ONCE
from pacecar.model.caution import CautionKind
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.sizing import AIM, ENOUGH, RAISED_TO, Step, StopReason

#: Steps of one search, at most.
MOST_STEPS = 7
#: Times that a load is lowered.
_MOST_LOWERED = 2
#: By how much a load is raised at least: less tells nothing new.
_LEAST_RAISE = 1.2
#: Share of failed requests up to which a service is taken as it is, and by how much it may grow, in points.
_MOST_FAILED = 0.5
_MORE_FAILED = 0.01
#: Answers are late when the slowest tenth takes so many times longer than it did under the load that suited it best,
#: and so many ms longer: below, a collection or a compiler may have been at work.
_LATE_TIMES = 3.0
_LATE_MS = 20.0
#: Endpoints that are named with their failures.
_NAMED = 10
#: Digits of a proposed rate.
_DIGITS = 2


def step_of(pair: Pair, *, amount: float) -> Step:
    """The step that was recorded as the baseline of `pair`."""
    fork = MeasuredFork.of(pair, Side.BASELINE)
    failed, answered = fork.outcomes[ALL]
    latencies = fork.latencies[ALL]
    left_out = sift([pair], sides=(Side.BASELINE,)).left_out.values()
    taken = taken_by_others(fork, Side.BASELINE, others=())
    return Step(
        amount=amount,
        busy=fork.busy,
        planned=len(fork.inside("arrivals")),
        answered=answered,
        failed=failed,
        slow_ms=float(np.quantile(latencies, 0.9)) if len(latencies) else math.nan,
        # Where others took the CPU, they are what it waited for.
        generator_at_limit=taken is None and any(each.kind is CautionKind.GENERATOR for each in left_out),
        failures=_failures(fork),
        others=None if taken is None else taken.statement.figures[0].shown,
    )


def _failures(fork: MeasuredFork) -> tuple[str, ...]:
    errors = fork.requests[~fork.requests["ok"].astype(bool)]
    counted = errors.groupby(["endpoint", "message"]).size().sort_values(ascending=False)
    commonest = counted[~counted.index.get_level_values("endpoint").duplicated()]
    return tuple(f"{endpoint}: {message}" for endpoint, message in commonest.index[:_NAMED])


@dataclass(frozen=True, kw_only=True)
class Range:
    """Loads that may be tried.

    Attributes:
        start: the first.
        least: the smallest.
        most: the largest.
        whole: whole numbers only, as of users.
    """

    start: float
    least: float
    most: float
    whole: bool = False

    def nearest(self, amount: float) -> float:
        """`amount` within the range, rounded down to a number that reads well."""
        if self.whole:
            rounded = float(math.floor(amount))
        else:
            places = _DIGITS - 1 - math.floor(math.log10(amount))
            rounded = round(amount, places)
            if rounded > amount:
                rounded = round(rounded - 10.0**-places, places)
        return min(max(rounded, self.least), self.most)


def next_load(steps: Sequence[Step], limits: Range) -> float | StopReason:
    """The load to try after `steps`, or why none is tried any more.

    The first is that of the configuration. It is raised by at most `room.MOST_AT_ONCE` while the service has room and
    answers as before, and lowered while it has none.
    """
    if not steps:
        return min(max(limits.start, limits.least), limits.most)
    last = steps[-1]
    if end := _trouble(steps):
        return end
    if last.planned == 0 and last.answered == 0:  # so seldom that nothing was due: nothing is known of the service
        return _tried(steps, limits.nearest(last.amount * MOST_AT_ONCE), limits)
    if not math.isfinite(last.busy):
        return StopReason.UNKNOWN
    if ENOUGH <= last.busy <= RAISED_TO:
        return StopReason.FITS
    return _raised(steps, limits) if last.busy < ENOUGH else _lowered(steps, limits)


def proposed(steps: Sequence[Step]) -> Step | None:
    """The largest load under which the service had room and answered as before; None when there was none.

    One that was tried before something went wrong at a larger one counts.
    """
    fitting = [
        step
        for number, step in enumerate(steps)
        if 0 < step.busy <= RAISED_TO and step.answered and _trouble(steps[: number + 1]) is None
    ]
    return max(fitting, key=lambda step: step.amount, default=None)


def _trouble(steps: Sequence[Step]) -> StopReason | None:
    """What the last step showed that more load would make worse, or that makes its figures worthless; None for nothing.

    A service that is out of room answers late for that: it may still be asked for less.
    """
    *before, last = steps
    if last.generator_at_limit:
        return StopReason.GENERATOR
    if last.failing > _MOST_FAILED:
        return StopReason.MORE_FAILURES if before else StopReason.FAILING
    if not before:
        return None if _kept_up(last) or last.busy > RAISED_TO else StopReason.NOT_ANSWERED
    if last.failing > before[0].failing + _MORE_FAILED:
        return StopReason.MORE_FAILURES
    if last.busy > RAISED_TO:  # how late its answers are says no more than that
        return None
    if not _kept_up(last):
        return StopReason.NOT_ANSWERED
    if last.others:  # so does this
        return None
    quickest = min((step.slow_ms for step in before if not math.isnan(step.slow_ms)), default=math.nan)
    if last.slow_ms > _LATE_TIMES * quickest and last.slow_ms > quickest + _LATE_MS:
        return StopReason.LATE
    return None


def _kept_up(step: Step) -> bool:
    """Whether about as many requests were answered as were due."""
    return step.answered >= (1 - SHORTFALL) * step.planned


def _raised(steps: Sequence[Step], limits: Range) -> float | StopReason:
    last = steps[-1]
    if last.amount >= limits.most:
        return StopReason.MOST
    wanted = min(max(_expected(steps), _LEAST_RAISE * last.amount), MOST_AT_ONCE * last.amount)
    too_much = min((step.amount for step in steps if step.busy > RAISED_TO), default=math.inf)
    if wanted >= too_much:
        wanted = math.sqrt(last.amount * too_much)
    return _tried(steps, limits.nearest(max(wanted, last.amount + 1) if limits.whole else wanted), limits)


def _lowered(steps: Sequence[Step], limits: Range) -> float | StopReason:
    last = steps[-1]
    if sum(step.busy > RAISED_TO for step in steps) > _MOST_LOWERED:
        return StopReason.NEAR
    if last.amount <= limits.least:
        return StopReason.LEAST
    good = [step for step in steps if step.busy <= RAISED_TO]
    wanted = _expected(steps)
    if good:
        floor = max(step.amount for step in good)
        if not floor < wanted < last.amount:
            wanted = math.sqrt(floor * last.amount)
    else:
        wanted = min(max(wanted, last.amount / MOST_AT_ONCE**2), last.amount / _LEAST_RAISE)
    return _tried(steps, limits.nearest(wanted), limits)


def _tried(steps: Sequence[Step], amount: float, limits: Range) -> float | StopReason:
    if len(steps) >= MOST_STEPS:
        return StopReason.STEPS
    if any(step.amount == amount for step in steps):
        if amount >= limits.most:
            return StopReason.MOST
        return StopReason.LEAST if amount <= limits.least else StopReason.NEAR
    return amount


def _expected(steps: Sequence[Step]) -> float:
    """The load under which the service would be as busy as is aimed at.

    By the line through the last step and the one before that was nearest to the aim; through none where one of them is
    alone or the line does not rise, and `MOST_AT_ONCE` times the last where it was not busy at all.
    """
    *before, last = steps
    others = [step for step in before if math.isfinite(step.busy) and step.amount != last.amount]
    if others:
        other = min(others, key=lambda step: abs(step.busy - AIM))
        slope = (last.busy - other.busy) / (last.amount - other.amount)
        if slope > 0:
            return last.amount + (AIM - last.busy) / slope
    return last.amount * AIM / last.busy if last.busy > 0 else last.amount * MOST_AT_ONCE
