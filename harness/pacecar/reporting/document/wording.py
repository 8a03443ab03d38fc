"""How the figures of a document read as words: names of metrics, directions, changes, budgets, the headline.

Directions are always a word as well as a sign, because "+12 %" is good news for some quantities.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pacecar.model.catalogue import is_latency, title_of
from pacecar.model.comparison import Role, Scale, Verdict
from pacecar.reporting.document.shapes import EstimateRow, FindingRow, JudgedMetric
from pacecar.text.units import format_change, format_quantity

_UNKNOWN = "not known"
_NONE_CERTAIN = "No cause is certain."
_NUMBER = re.compile(r"^[+-]?[0-9.]+(?:e[+-][0-9]+)?")


def title(metric: JudgedMetric) -> str:
    """As people say it: `GET /orders p99`, `overall p99`, `CPU per request`."""
    place = metric.endpoint or ("overall" if is_latency(metric.name) else "")
    return f"{place} {quantity(metric)}".strip()


def quantity(metric: JudgedMetric) -> str:
    """The metric without its endpoint: `p99`, `CPU per request`."""
    return title_of(metric.name)


def direction(metric: JudgedMetric) -> str:
    """The word for the estimated change: slower, faster, more, less; `no change` or `not known`."""
    change = metric.estimate.change if metric.estimate else None
    if change is None:
        return _UNKNOWN
    if change == 0:
        return "no change"
    words = ("slower", "faster") if is_latency(metric.name) else ("more", "less")
    return words[0] if change > 0 else words[1]


def likely_cause(finding: FindingRow) -> str:
    """The sentence on the strongest cause, or that none is certain."""
    return finding.causes[0].statement if finding.causes else _NONE_CERTAIN


def worsening(metric: JudgedMetric, change: float | None) -> float | None:
    """`change` with its sign turned so that above zero is always worse."""
    if change is None:
        return None
    return change if metric.lower_is_better else -change


def change(metric: JudgedMetric, value: float | None) -> str:
    """A signed change: `+12.4%`, on the difference scale `+1.2 points` or `+3 ms`."""
    if value is None:
        return _UNKNOWN
    if metric.scale is Scale.RATIO:
        text = format_change(value)
    elif metric.unit == "%":
        text = f"{value:+.2g} points"
    else:
        text = f"{'' if value < 0 else '+'}{format_quantity(value, metric.unit)}"
    return text.lstrip("+-") if value == 0 else text


def interval(metric: JudgedMetric, estimate: EstimateRow) -> str:
    """The plain 95 % interval: `[+8.1, +16.9]`; "" when it has no ends."""
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = (change(metric, end) for end in (estimate.low, estimate.high))
    unit = _NUMBER.sub("", low)
    return f"[{low.removesuffix(unit)}, {high.removesuffix(unit)}]"


def values(metric: JudgedMetric, estimate: EstimateRow, *, arrow: str = "→") -> str:
    """Both sides: `18.3 → 20.6 ms`; "" when one is not known."""
    if estimate.baseline is None or estimate.candidate is None:
        return ""
    before, after = (format_quantity(value, metric.unit) for value in (estimate.baseline, estimate.candidate))
    number, _, unit = before.partition(" ")
    return f"{number if unit and after.endswith(f' {unit}') else before} {arrow} {after}"


def budget(metric: JudgedMetric) -> str:
    """What was promised: `budget 5%`, `at most 200 ms`, both, or ""."""
    parts = []
    if metric.budget_relative is not None:
        parts.append(f"budget {magnitude(metric, budget_as_change(metric))}")
    if metric.budget_absolute is not None:
        parts.append(f"at most {format_quantity(metric.budget_absolute, metric.unit)}")
    return ", ".join(parts)


def budget_as_change(metric: JudgedMetric) -> float | None:
    """The relative budget on the scale of the estimate's change; a fraction of shares is in points."""
    if metric.budget_relative is None:
        return None
    return (
        100 * metric.budget_relative
        if metric.scale is Scale.DIFFERENCE and metric.unit == "%"
        else metric.budget_relative
    )


def magnitude(metric: JudgedMetric, value: float | None) -> str:
    """A change without its sign, without needless zeros: `12.4%`, `5%`."""
    text = change(metric, value).lstrip("+-")
    return text.removesuffix(".0%") + "%" if text.endswith(".0%") else text


def phrase(metric: JudgedMetric) -> str:
    """The change in words: `GET /orders p99 is 12.4% slower`, `12.4% more CPU per request`."""
    if metric.estimate is None or metric.estimate.change in (None, 0):
        return f"{title(metric)}: {direction(metric)}"
    amount = magnitude(metric, metric.estimate.change)
    if is_latency(metric.name):
        return f"{title(metric)} is {amount} {direction(metric)}"
    place = f"{metric.endpoint}: " if metric.endpoint else ""
    return f"{place}{amount} {direction(metric)} {quantity(metric)}"


def headline(verdict: Verdict, *, reason: str, judgements: Sequence[JudgedMetric]) -> str:
    """The overall verdict as one sentence for people."""
    same = [metric for metric in judgements if metric.role.decides and metric.verdict is verdict]
    if verdict is Verdict.INVALID or not same:
        return reason
    if verdict in (Verdict.PASSED, Verdict.UNCHANGED):
        return f"No regression: {_all_of(sum(metric.role is Role.GUARANTEED for metric in same))}"
    if verdict is Verdict.INCONCLUSIVE:
        return f"Not decided yet: {title(same[0])}{_more_pairs(same[0])}{_others(len(same) - 1)}"
    return f"{phrase(same[0])}{_instead(same[0])}{_others(len(same) - 1)}" if same[0].estimate else reason


def _instead(metric: JudgedMetric) -> str:
    estimate = metric.estimate
    if estimate is None or estimate.baseline is None or estimate.candidate is None:
        return ""
    before, after = (format_quantity(value, metric.unit) for value in (estimate.baseline, estimate.candidate))
    return f", {after} instead of {before}"


def _more_pairs(metric: JudgedMetric) -> str:
    return f" needs about {metric.pairs_needed} more pairs" if metric.pairs_needed else ""


def _others(count: int) -> str:
    return "" if count == 0 else f" (and {count} more metric{'s' if count > 1 else ''})"


def _all_of(count: int) -> str:
    if count == 1:
        return "the guaranteed metric is no worse than allowed"
    return f"{'both' if count == 2 else f'all {count}'} guaranteed metrics are no worse than allowed"
