"""The sentence that comes with each verdict."""

from __future__ import annotations

import math

from pacecar.analysis.verdicts.case import Case
from pacecar.model.comparison import Estimate, Metric, RuledOut, Scale
from pacecar.text.units import format_bound, format_quantity


def show_estimate(metric: Metric, estimate: Estimate) -> str:
    """The change with its interval: `+12.4% [+8.1%, +16.9%]`; without one after a single pair."""
    change = metric.shown(estimate.change)
    if not math.isfinite(estimate.low):
        return change
    return f"{change} [{metric.shown(estimate.low)}, {metric.shown(estimate.high)}]"


def regressed(case: Case, estimate: Estimate, *, p: float, tests: int) -> str:
    """Worse by at least the budget, and hardly by chance."""
    return f"{show_estimate(case.metric, estimate)} is {_beyond(case)} and unlikely to be chance ({_p(p, tests)})"


def improved(case: Case, estimate: Estimate, *, p: float, tests: int) -> str:
    """Better by at least the budget, and hardly by chance."""
    return f"{show_estimate(case.metric, estimate)} is {_better(case)} and unlikely to be chance ({_p(p, tests)})"


def passed(case: Case, estimate: Estimate, ruled_out: RuledOut, *, chance: bool) -> str:
    """Shown to be no worse than what is ruled out."""
    shown = show_estimate(case.metric, estimate)
    real = "" if chance else f", which is real but inside {_budget(case)}"
    weak = "; it scatters too much for a plan of this size to rule out less" if ruled_out.weak else ""
    return f"{shown}{real}; {show_ruled_out(case.metric, ruled_out)}{weak}"


def show_ruled_out(metric: Metric, ruled_out: RuledOut) -> str:
    """`more than 2.1% worse is ruled out`."""
    if ruled_out.bound <= 0:
        return "any worsening is ruled out"
    return f"more than {show_bound(metric, ruled_out.bound)} worse is ruled out"


def show_bound(metric: Metric, bound: float) -> str:
    """A bound of a worsening, rounded up: `2.2%`, `0.02 points`, `3 ms`."""
    return format_bound(bound, None if metric.scale is Scale.RATIO else metric.unit)


def show_worsening(metric: Metric, amount: float) -> str:
    """An amount of worsening without its sign: `2.1%`, `0.02 points`, `3 ms`."""
    shown = metric.shown(amount).lstrip("+")
    return f"{shown.removesuffix('.0%')}%" if shown.endswith(".0%") else shown


def nothing(estimate: Estimate) -> str:
    """Zero on both sides."""
    return f"it was zero on both sides in {_pairs(estimate.pairs, unit=_unit(estimate))}"


def undecided(
    case: Case, estimate: Estimate, ruled_out: RuledOut | None, *, chance: str | None, more: int | None
) -> str:
    """Neither a change nor its absence could be shown.

    Args:
        case: what is judged.
        estimate: its estimate.
        ruled_out: what is ruled out, though not enough.
        chance: that the change may be chance, see `may_be_chance`; None where it is real, but may lie on either side of
            the budget.
        more: about how many more pairs would settle it; None when unknown.
    """
    shown = show_estimate(case.metric, estimate)
    if case.evidence.caveat:
        return f"{shown}; {case.evidence.caveat}"
    if not math.isfinite(estimate.low):
        return f"{shown} in a single {_unit(estimate)}: without a second one its uncertainty is unknown"
    if case.margin is None or ruled_out is None:
        return f"{shown}; it has no budget to be judged by"
    if chance is None:
        return f"{shown} is real, but may lie on either side of {_budget(case)}{_more(more)}"
    allowance, settled = ruled_out.allowance or 0.0, _more(more) or "; the noise is too large for more pairs"
    if ruled_out.weak:
        return f"{shown} looks worse, but {chance}; {show_ruled_out(case.metric, ruled_out)}{settled}"
    if ruled_out.bound <= allowance:
        return f"{shown} looks worse than {_budget(case)} allows, but {chance}{_more(more)}"
    return (
        f"{shown} {chance}; {show_ruled_out(case.metric, ruled_out)}, but more than "
        f"{show_worsening(case.metric, allowance)} must be{settled}"
    )


def may_be_chance(estimate: Estimate, *, p: float, tests: int) -> str:
    """`may be chance`; where the interval denies that, with the test that does not: it knows of all tests and looks."""
    denied = not estimate.low <= 0 <= estimate.high
    return f"may be chance ({_p(p, tests)})" if denied else "may be chance"


def in_part(case: Case, reason: str) -> str:
    """Not every pair carried the metric."""
    return f"{reason} ({case.evidence.lacking})"


def candidate_lacks(case: Case, reason: str) -> str:
    """Fine where it was measured, but a candidate that is worse may be why it was not measured elsewhere."""
    return f"{reason}, but the candidate may lack it where it is worst: measured {case.evidence.lacking}"


def too_coarse(case: Case, reason: str) -> str:
    """Looks the same, as much else would."""
    return f"{reason}, but {case.evidence.coarse}"


def not_measurable(case: Case) -> str:
    """Why there is no estimate."""
    return f"not measurable: {case.evidence.missing}"


def above_largest(case: Case, *, p: float, tests: int) -> str:
    """The candidate's own value is too large."""
    return f"the candidate's {_candidate(case)} is above {_largest(case)} and unlikely to be chance ({_p(p, tests)})"


def below_largest(case: Case, *, confidence: float) -> str:
    """The candidate's own value is tolerated."""
    return f"the candidate's {_candidate(case)} stays, with {_confident(confidence)} confidence, below {_largest(case)}"


def around_largest(case: Case) -> str:
    """The candidate's own value may be too large or not."""
    if case.evidence.caveat:
        return f"the candidate's {_candidate(case)} against {_largest(case)}; {case.evidence.caveat}"
    return f"the candidate's {_candidate(case)} may lie on either side of {_largest(case)}"


def _beyond(case: Case) -> str:
    return "worse" if case.margin is None else f"beyond {_budget(case)}"


def _better(case: Case) -> str:
    return "better" if case.margin is None else f"an improvement at least as large as {_budget(case)}"


def _budget(case: Case) -> str:
    relative = case.budget.relative if case.budget and case.budget.relative is not None else 0.0
    if case.metric.scale is Scale.RATIO:
        # Budgets mirror: half of something is as far away as twice of it.
        fall = "" if case.metric.lower_is_better else f" ({case.metric.shown(-relative / (1 + relative))})"
        return f"the budget of {100 * relative:g}%{fall}"
    return f"the budget of {case.metric.shown(case.margin or 0.0).lstrip('+')}"


def _largest(case: Case) -> str:
    largest = case.budget.absolute if case.budget and case.budget.absolute is not None else math.inf
    return f"the largest tolerated value of {format_quantity(largest, case.metric.unit)}"


def _candidate(case: Case) -> str:
    value = format_quantity(case.evidence.candidate, case.metric.unit)
    level = case.evidence.level
    if level is None or not level.certain:
        return value
    low, high = level.interval()
    if case.metric.scale is Scale.RATIO:
        low, high = 1 + case.evidence.as_change(low), 1 + case.evidence.as_change(high)
    return f"{value} [{format_quantity(low, case.metric.unit)}, {format_quantity(high, case.metric.unit)}]"


def _confident(confidence: float) -> str:
    return f"{100 * confidence:.3g}%"


def _p(p: float, tests: int) -> str:
    shown = "p < 0.0001" if p < 1e-4 else f"p = {p:.1g}" if p < 1e-3 else f"p = {p:.2g}"
    return shown if tests < 2 else f"{shown} after correction for {tests} tests"


def _more(more: int | None) -> str:
    return "" if more is None else f"; about {_pairs(more, more=True)} would settle it"


def _pairs(count: int, *, more: bool = False, unit: str = "pair") -> str:
    return f"{count} {'more ' if more else ''}{unit}" + ("" if count == 1 else "s")


def _unit(estimate: Estimate) -> str:
    """What its replicates are: forks of different days are not paired."""
    return "pair" if estimate.per_pair else "fork"
