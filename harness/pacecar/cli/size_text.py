"""What `pacecar size` says: what was tried, which load is proposed and why, and what it carries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pacecar.cli.plan_text import requests_of
from pacecar.inputs.config.edit import line_with
from pacecar.model.experiment import Experiment
from pacecar.model.scenario import Scenario
from pacecar.model.sizing import ENOUGH, IDLE, Step, StopReason
from pacecar.text.units import format_duration
from pacecar.workflow.planning import carried_by, longer_side
from pacecar.workflow.sizing import Sizing

#: Pairs after which a comparison is judged for the first time.
_FEWEST_PAIRS = 3
#: No default plan takes longer.
_LONGEST_S = 1200.0
_LONGEST_FAILURE = 200
#: Why nothing larger was tried, or nothing fits.
_ENDS = {
    StopReason.FITS: "",
    StopReason.NEAR: "the other loads that were tried suit the service no better",
    StopReason.MOST: "Pacecar sends no larger load",
    StopReason.LEAST: "no smaller load is possible",
    StopReason.FAILING: "most requests failed under the first load",
    StopReason.MORE_FAILURES: "more requests failed under the next load",
    StopReason.LATE: "answers took several times longer under the next load, though the cores were not busy",
    StopReason.NOT_ANSWERED: "not all requests were answered in time, though the cores were not busy",
    StopReason.GENERATOR: "the load generator reached its own limit",
    StopReason.UNKNOWN: (
        "it is unknown how busy the service was: it is not pinned to cores (plan.pin) and has no CPU limit"
    ),
    StopReason.STEPS: "enough loads were tried",
    StopReason.TIME: "no time was left to try another",
}
_REMEDIES = {
    StopReason.FAILING: (
        "Fix the paths and data of scenario.endpoints, or start the service with the data they ask for."
    ),
    StopReason.NOT_ANSWERED: "Lower the load: {set_less}",
    StopReason.GENERATOR: "Lower the load ({set_less}), or give the load generator a core of its own.",
    StopReason.UNKNOWN: "On a machine with two cores, leave plan.pin as it is by default.",
}
_OTHERWISE = "Lower the load ({set_less}), or measure with more cores."


def headings(scenario: Scenario) -> tuple[str, ...]:
    """Of the columns of `row`."""
    return ("requests/s" if scenario.by_the_clock else "users", "busy", "requests", "failed", "p90")


def key_of(scenario: Scenario) -> str:
    """The key that says how large the load is."""
    return "scenario.rate" if scenario.by_the_clock else "scenario.users"


def value_of(scenario: Scenario, amount: float) -> str | int:
    """`amount` as the configuration has it: `190/s`, or a number of users."""
    return f"{amount:g}/s" if scenario.by_the_clock else int(amount)


def planned_by(scenario: Scenario) -> str | int:
    """The load of a scenario, as `value_of`."""
    return value_of(scenario, scenario.rate_per_s if scenario.by_the_clock else scenario.users)


def row(step: Step) -> tuple[str, ...]:
    """One step as cells below `headings`."""
    return (
        f"{step.amount:g}",
        _share(step.busy),
        f"{step.answered:,}" if step.answered == step.planned else f"{step.answered:,} of {step.planned:,}",
        f"{step.failed:,}",
        _milliseconds(step.slow_ms),
    )


def conclusion(
    found: Sizing, *, file: Path, line: int | None, planned: str | int | None, written: bool
) -> Iterator[str]:
    """Which load is proposed and why, what it carries, and where it is to be written, line by line.

    Args:
        found: what was tried.
        file: the configuration.
        line: of the key in it; None when it does not stand there.
        planned: the load by the file, whatever was tried first, as `value_of`; None when it plans another kind of load.
        written: the proposed load stands there by now.
    """
    scenario = found.experiment.scenario
    yield from _failures(found)
    yield from _disturbances(found)
    if (fitting := found.proposed) is None:
        yield from _nothing(found)
        return
    value = value_of(scenario, fitting.amount)
    kept = value == planned
    word = "Proposed:" if not kept else "Fits as it is:" if fitting.busy >= ENOUGH else "Nothing better was found than"
    yield f"{word} {line_with(key_of(scenario), value)}. {_why(found, fitting)}"
    yield from _carries(found.fitted)
    yield _where(line_with(key_of(scenario), value), file=file, line=line, done=kept or written)
    if any(step.failures for step in found.steps):
        yield "First correct the requests that fail: a comparison counts each as infinitely slow."
    yield f"Next: pacecar compare --dry-run{'' if file == Path('pacecar.toml') else f' --config {file}'}"


def as_json(found: Sizing, *, line: int | None, written: bool) -> str:
    """The same for scripts; what is not known is null."""
    scenario, fitting = found.experiment.scenario, found.proposed
    proposal: dict[str, Any] | None = None
    if fitting is not None:
        proposal = {
            "key": key_of(scenario),
            "value": value_of(scenario, fitting.amount),
            "busy": _number(fitting.busy),
            "requests": requests_of(found.fitted) or None,
            "line": line,
            "written": written,
        }
    steps = [
        {
            "load": step.amount,
            "busy": _number(step.busy),
            "planned": step.planned,
            "answered": step.answered,
            "failed": step.failed,
            "slow_ms": _number(step.slow_ms),
        }
        for step in found.steps
    ]
    return json.dumps({"proposed": proposal, "ended": found.end.value, "steps": steps}, indent=2, allow_nan=False)


def _why(found: Sizing, fitting: Step) -> str:
    used = f"The service kept its cores busy for {_share(fitting.busy)} of the time"
    if fitting.busy >= ENOUGH:
        return f"{used}: requests outweigh the JVM's own work, and seldom wait for each other."
    few = "; the JVM's own work still weighs on each request" if fitting.busy < IDLE else ""
    return f"{used}{few}, but {_end(found) or 'no larger load fits'}."


def _end(found: Sizing) -> str:
    """Why nothing larger was tried, or nothing fits; others that used the CPU are as likely a reason as the service."""
    if found.end is StopReason.NOT_ANSWERED and (others := found.steps[-1].others):
        return f"not all requests were answered in time while other processes used {others} of the CPU"
    return _ENDS[found.end]


def _nothing(found: Sizing) -> Iterator[str]:
    scenario, last = found.experiment.scenario, found.steps[-1]
    why = _end(found) if found.end in _REMEDIES else ""
    yield f"No load fits: {why or f'the service kept its cores busy for {_share(last.busy)} even under the smallest'}."
    less = value_of(scenario, max(last.amount / 4, 1.0) if not scenario.by_the_clock else last.amount / 4)
    again = f"pacecar size --set {key_of(scenario)}={less}"
    yield _REMEDIES.get(found.end, _OTHERWISE).format(set_less=again)


def _failures(found: Sizing) -> Iterator[str]:
    """What the requests of the last step with failures said; a service says anything."""
    said = [step for step in found.steps if step.failures]
    if said:
        yield f"{said[-1].failed:,} of {said[-1].answered:,} requests failed, most often:"
        for failure in said[-1].failures:
            yield "  " + " ".join(failure.split())[:_LONGEST_FAILURE]


def _disturbances(found: Sizing) -> Iterator[str]:
    """That the machine was not quiet, in the last step in which it was not."""
    taken = [step.others for step in found.steps if step.others]
    if taken:
        yield f"Other processes used {taken[-1]} of the CPU meanwhile: on a quieter machine other loads may fit."


def _carries(experiment: Experiment) -> Iterator[str]:
    """What the plan's side carries with this load, and which side would carry the rest."""
    said = requests_of(experiment)
    if not said:
        yield "How many requests each endpoint gets is not known yet; a comparison shows which quantiles that supports."
        return
    if (longer := longer_side(experiment)) is None:
        yield f"Requests: {said}; enough for p50, tail and p99 of each endpoint."
        return
    yield f"Requests: {said}."
    limit_s = experiment.plan.time_s or _LONGEST_S
    if _FEWEST_PAIRS * longer.pair_s <= limit_s:
        yield (
            f'plan.side = "{longer.side_s:g} s" would carry them all; a pair then takes '
            f"{format_duration(longer.pair_s)}, and {math.floor(limit_s / longer.pair_s)} fit into "
            f"{format_duration(limit_s)}."
        )
    else:
        yield f"No plan.side carries them all within {format_duration(limit_s)}: {_without(experiment)}."


def _without(experiment: Experiment) -> str:
    """What to do about, or what follows from, quantiles that no side carries."""
    _, *each = carried_by(experiment)
    if all(endpoint.lacks for endpoint in each):
        return "the quantiles named are not judged, all others are"
    return "give those endpoints more weight, or their quantiles are not judged"


def _where(text: str, *, file: Path, line: int | None, done: bool) -> str:
    place = f"{file} line {line}" if line else f"{file}, below [scenario]"
    return f"{place}: {text}" if done else f"Write this in {place} (--write does it): {text}"


def _milliseconds(latency_ms: float) -> str:
    if math.isnan(latency_ms):
        return ""
    return f"{latency_ms:,.0f} ms" if latency_ms >= 100 else f"{latency_ms:.3g} ms"


def _share(busy: float) -> str:
    return "unknown" if math.isnan(busy) else f"{100 * busy:.0f}%"


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
