"""What `pacecar capacity` says: each step of each build, the highest rate within the budget, and what that rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from pacecar.model.capacity import QUANTILE, Capacity, LoadStep, Top
from pacecar.model.comparison import Verdict
from pacecar.text.units import format_change, format_quantity
from pacecar.workflow.capacity import Borne

_P = f"p{100 * QUANTILE:.0f}"
HEADINGS = ("pair", "build", "requests/s", "answered/s", _P, "busy", "")
#: Why no further step was made.
_TOPS = {
    Top.FOUND: "",
    Top.FIRST: "the first step already broke the budget",
    Top.GENERATOR: "the load generator reached its own limit",
    Top.MOST: "Pacecar sends no higher rate",
    Top.STEPS: "enough steps were made",
    Top.TIME: "no time was left for another step",
    Top.DISTURBED: "other processes kept taking the CPU",
    Top.DIED: "a fork died under this load",
    Top.EARLY: "it was stopped early",
}
_REMEDIES = {
    Top.FIRST: "Start lower (--set scenario.rate={less}), or allow more with --within.",
    Top.GENERATOR: "Give the load generator more cores of its own, or the service fewer.",
    Top.DISTURBED: "Stop whatever else runs on the machine, or use a quieter one.",
}


def rows(found: Borne) -> Iterator[tuple[str, ...]]:
    """Each step as cells below `HEADINGS`, by pair and rate."""
    for number, staircase in enumerate(found.staircases, start=1):
        for side, climb in staircase.climbs.items():
            for step in sorted(climb.steps, key=lambda each: each.rate_per_s):
                yield (
                    str(number),
                    found.experiment.builds[side].label,
                    f"{step.rate_per_s:g}",
                    f"{step.answered_per_s:.0f}",
                    "not answered" if math.isinf(step.latency_ms) else format_quantity(step.latency_ms, "ms"),
                    "unknown" if math.isnan(step.busy) else f"{100 * step.busy:.0f}%",
                    _remark(step, within_ms=found.within_ms),
                )


def conclusion(found: Borne, *, budget: float) -> Iterator[str]:
    """What each build bears, and for two builds whether that became less, line by line.

    Args:
        found: what was measured.
        budget: the loss that is tolerated, as a fraction.
    """
    several = len(found.staircases) > 1
    within = f"{_P} within {format_quantity(found.within_ms, 'ms')}"
    for number, staircase in enumerate(found.staircases, start=1):
        place = f"Pair {number}: " if several else ""
        for side in staircase.climbs:
            capacity, first = staircase.capacities.get(side), staircase.climbs[side].steps[0]
            yield f"{place}{_bears(capacity, first, label=found.experiment.builds[side].label, within=within)}"
        if why := _TOPS[staircase.top]:
            yield f"{place}No further step was made: {why}."
    tops = {staircase.top for staircase in found.staircases}
    less = f"{found.experiment.scenario.rate_per_s / 4:g}/s"
    yield from (remedy.format(less=less) for top, remedy in _REMEDIES.items() if top in tops)
    if len(found.experiment.builds) > 1:
        yield _compared(found, budget=budget)


def as_json(found: Borne, *, budget: float) -> str:
    """The same for scripts; what is not known is null."""
    pairs = [
        {
            side.value: {
                "capacity_per_s": None if (capacity := each.capacities.get(side)) is None else capacity.rate_per_s,
                "at_least": None if capacity is None else capacity.at_least,
                "steps": [_step(step) for step in climb.steps],
            }
            for side, climb in each.climbs.items()
        }
        | {"ended": each.top.value}
        for each in found.staircases
    ]
    verdict, change = found.verdict(budget), found.change
    document = {
        "quantile": QUANTILE,
        "within_ms": found.within_ms if math.isfinite(found.within_ms) else None,
        "pairs": pairs,
        "change": None if change is None else {"mean": change.mean, "low": change.low, "high": change.high},
        "verdict": None if verdict is None else verdict.value,
    }
    return json.dumps(document, indent=2, allow_nan=False)


def _bears(capacity: Capacity | None, first: LoadStep, *, label: str, within: str) -> str:
    if capacity is None and math.isinf(first.latency_ms):
        return f"{label} failed too many requests, or left them unanswered, at the first rate, {first.rate_per_s:g}/s."
    if capacity is None:
        return f"{label} did not keep {within} at the first rate, {first.rate_per_s:g}/s."
    if capacity.broke_per_s is None:
        return f"{label} bears at least {_rate(capacity)} with {within}."
    return (
        f"{label} bears {_rate(capacity)} with {within}: {capacity.kept_per_s:g}/s kept it, "
        f"{capacity.broke_per_s:g}/s broke it."
    )


def _compared(found: Borne, *, budget: float) -> str:
    change, verdict = found.change, found.verdict(budget)
    if change is None or verdict is None:
        return "The builds cannot be compared: no pair found the capacity of both."
    pairs = f"{change.pairs} pair{'' if change.pairs == 1 else 's'}"
    said = (
        f"{verdict.value.upper()}: capacity {format_change(change.mean)} [{format_change(change.low)}, "
        f"{format_change(change.high)}] over {pairs}; a loss of {100 * budget:g}% is tolerated."
    )
    return f"{said} More pairs (--pairs) narrow the interval." if verdict is Verdict.INCONCLUSIVE else said


def _remark(step: LoadStep, *, within_ms: float) -> str:
    if step.generator_at_limit:
        return "limit of the load generator"
    broke = "" if step.latency_ms <= within_ms else "beyond the budget"
    taken = f"others used {step.others} of the CPU" if step.others else ""
    return "; ".join(filter(None, (broke, taken)))


def _rate(capacity: Capacity) -> str:
    return (
        f"{capacity.rate_per_s:.3g} requests/s"
        if capacity.rate_per_s < 1000
        else f"{capacity.rate_per_s:.0f} requests/s"
    )


def _step(step: LoadStep) -> dict[str, Any]:
    return {
        "rate_per_s": step.rate_per_s,
        "answered_per_s": step.answered_per_s,
        "latency_ms": step.latency_ms if math.isfinite(step.latency_ms) else None,
        "busy": step.busy if math.isfinite(step.busy) else None,
        "generator_at_limit": step.generator_at_limit,
    }
