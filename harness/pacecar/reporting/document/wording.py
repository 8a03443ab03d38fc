"""How the figures of a document read as words: names of metrics, directions, changes, budgets, the headline.

Directions are always a word as well as a sign, because "+12 %" is good news for some quantities.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from pacecar.model.catalogue import is_latency, title_in_place, title_of
from pacecar.model.causes import Strength
from pacecar.model.comparison import Metric, Role, Scale, Verdict
from pacecar.reporting.document.shapes import Document, EstimateRow, FindingRow, JudgedMetric
from pacecar.text.units import format_bound, format_quantity

_UNKNOWN = "not known"
_NONE_CERTAIN = "No cause is certain."
#: A package before a class and its method, of two parts at least: one alone may be a schema of a database.
_PACKAGE = re.compile(r"(?<![\w./:@$-])(?:[a-z_]\w*\.){2,}(?=[A-Z][\w$]*\.[\w$<])")
_NUMBER = re.compile(r"^[+-]?[0-9.]+(?:e[+-][0-9]+)?")


def title(metric: JudgedMetric) -> str:
    """As people say it: `GET /orders p99`, `overall p99`, `tail latency`, `CPU per request`."""
    return title_in_place(metric.name, metric.endpoint)


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
    """The sentence on the strongest cause, or that none is certain. It is read first, so methods have no packages."""
    return brief(finding.causes[0].statement) if finding.causes else _NONE_CERTAIN


def brief(statement: str) -> str:
    """A sentence on a cause with methods by their classes alone, as people name them; its evidence has the packages."""
    return _PACKAGE.sub("", statement)


def leading(document: Document) -> tuple[FindingRow, str] | None:
    """The finding that is told first, of those that made the verdict: the first with a cause that is certain, else the
    first with one, or the first at all. With it `more GC pause per request` where it is not the one that readers
    expect, else ""; None where there is none.
    """
    made = [each for each in document.findings if each.metric.verdict is document.verdict and each.metric.role.decides]
    if not made:
        return None
    caused = [each for each in made if each.causes]
    certain = (each for each in caused if each.causes[0].strength is Strength.CERTAIN)
    first = next(certain, (caused or made)[0])
    return first, "" if first is made[0] else f"{direction(first.metric)} {title(first.metric)}"


def worsening(metric: JudgedMetric, change: float | None) -> float | None:
    """`change` with its sign turned so that above zero is always worse."""
    if change is None:
        return None
    return change if metric.lower_is_better else -change


def change(metric: JudgedMetric, value: float | None) -> str:
    """A signed change: `+12.4%`, on the difference scale `+1.2 points` or `+3 ms`."""
    if value is None:
        return _UNKNOWN
    text = _signed(metric, value)
    zero = (round(value, 3) if metric.scale is Scale.RATIO else value) == 0
    return text.lstrip("+-") if zero else text


def _signed(metric: JudgedMetric, value: float) -> str:
    """As reasons have it, where zero has a sign too."""
    return Metric(name=metric.name, unit=metric.unit, scale=metric.scale).shown(value)


def interval(metric: JudgedMetric, estimate: EstimateRow) -> str:
    """The 95 % interval: `[+8.1, +16.9]`, in the unit of the change unless an end has another one.

    "" when it has no ends, and of what was zero on both sides: how much may go unseen there, its bound says.
    """
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high == 0:
        return ""
    ends = [change(metric, end) for end in (estimate.low, estimate.high)]
    unit = _NUMBER.sub("", change(metric, estimate.change))
    if all(_NUMBER.sub("", end) == unit for end in ends):
        ends = [end.removesuffix(unit) for end in ends]
    return f"[{', '.join(ends)}]"


def values(metric: JudgedMetric, estimate: EstimateRow, *, arrow: str = "→") -> str:
    """Both sides: `18.3 → 20.6 ms`; "" when one is not known."""
    if estimate.baseline is None or estimate.candidate is None:
        return ""
    before, after = (format_quantity(value, metric.unit) for value in (estimate.baseline, estimate.candidate))
    number, _, unit = before.partition(" ")
    return f"{number if unit and after.endswith(f' {unit}') else before} {arrow} {after}"


def why(metric: JudgedMetric) -> str:
    """The reason without the change and interval that it begins with, for where those stand beside it."""
    estimate = metric.estimate
    if estimate is None or estimate.change is None:
        return metric.reason
    rest = metric.reason.removeprefix(_signed(metric, estimate.change))
    if rest == metric.reason:
        return metric.reason
    if estimate.low is not None and estimate.high is not None:
        rest = rest.removeprefix(f" [{_signed(metric, estimate.low)}, {_signed(metric, estimate.high)}]")
    return rest.lstrip(";, ") or metric.reason


def budget(metric: JudgedMetric) -> str:
    """What was promised: `budget 5%`, `at most 200 ms`, both, or ""."""
    return f"{'budget ' if metric.budget_relative is not None else ''}{promised(metric)}"


def promised(metric: JudgedMetric) -> str:
    """The budget where a heading says that it is one: `5%`, `at most 200 ms`, both, or ""."""
    parts = []
    if metric.budget_relative is not None:
        parts.append(magnitude(metric, budget_as_change(metric)))
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


def allowance(metric: JudgedMetric) -> float | None:
    """What must be ruled out, on the scale of the estimate's change; None where nothing is promised."""
    return metric.ruled_out.allowance if metric.ruled_out else None


def ruled_out(metric: JudgedMetric) -> str:
    """How large a worsening is ruled out: `more than 2.1% worse is ruled out`; "" where none is."""
    bound = metric.ruled_out.bound if metric.ruled_out else None
    if bound is None:
        return ""
    if bound <= 0:
        return "any worsening is ruled out"
    shown = format_bound(bound, None if metric.scale is Scale.RATIO else metric.unit)
    return f"more than {shown} worse is ruled out"


def is_weak(metric: JudgedMetric) -> bool:
    """Whether it passed with the bound it has, for scattering too much to be held to its allowance."""
    passed = metric.verdict in (Verdict.PASSED, Verdict.UNCHANGED)
    return passed and metric.ruled_out is not None and metric.ruled_out.weak


def beyond_budget(metric: JudgedMetric) -> bool:
    """Whether the estimate is worse by the relative budget or more, certain or not.

    On the ratio scale a budget mirrors, as in verdicts: less throughput by a half is as far as twice the latency.
    """
    margin, estimated = budget_as_change(metric), metric.estimate.change if metric.estimate else None
    if margin is None or margin < 0 or estimated is None:
        return False
    if metric.scale is Scale.RATIO and not metric.lower_is_better:
        return -estimated >= margin / (1 + margin)
    return (worsening(metric, estimated) or 0.0) >= margin


def noise_known(document: Document) -> str:
    """What is known of the noise besides the run's own pairs, one sentence; "" where the document does not say."""
    if document.earlier_runs is None or document.mode != "paired" or document.pairs_judged == 0:
        return ""
    if document.earlier_runs == 0:
        return "First run of this design here: verdicts rest on its own pairs and on cautious assumptions."
    return f"Noise of {document.earlier_runs} earlier run{'' if document.earlier_runs == 1 else 's'} was used."


def pace_evened(document: Document) -> str:
    """That CPU or medians are not told as they were measured, one sentence; "" where they are, but for half a percent.

    The loop of fixed work says by how much the machine was faster beside one side of a pair.
    """
    if document.pace_apart is None or document.pace_apart < 0.005:
        return ""
    return (
        "CPU, typical latency and p50s that follow the machine's speed are told as if it had been the same beside both "
        f"builds: the same work took up to {document.pace_apart:.0%} more CPU time beside one of them."
    )


def magnitude(metric: JudgedMetric, value: float | None) -> str:
    """A change without its sign, without needless zeros: `12.4%`, `5%`."""
    text = change(metric, value).lstrip("+-")
    return text.removesuffix(".0%") + "%" if text.endswith(".0%") else text


def phrase(metric: JudgedMetric) -> str:
    """The change in words: `GET /orders p99 is 12.4% slower`, `12.4% more CPU per request`.

    What is above the largest tolerated value may have become better: then that value is said. What has no estimate is
    named alone.
    """
    if metric.estimate is None:
        return title(metric)
    if above_largest(metric):
        now, most = (format_quantity(each or 0.0, metric.unit) for each in _held_against_largest(metric))
        return f"{title(metric)}: {now}, where at most {most} is tolerated"
    if metric.estimate.change in (None, 0):
        return f"{title(metric)}: {direction(metric)}"
    amount = magnitude(metric, metric.estimate.change)
    if is_latency(metric.name):
        return f"{title(metric)} is {amount} {direction(metric)}"
    place = f"{metric.endpoint}: " if metric.endpoint else ""
    return f"{place}{amount} {direction(metric)} {quantity(metric)}"


def above_largest(metric: JudgedMetric) -> bool:
    """Whether it regressed for the candidate's own value alone, whatever its change."""
    value, largest = _held_against_largest(metric)
    above = value is not None and largest is not None and value > largest
    return metric.verdict is Verdict.REGRESSED and above and not beyond_budget(metric)


def _held_against_largest(metric: JudgedMetric) -> tuple[float | None, float | None]:
    return metric.estimate.candidate if metric.estimate else None, metric.budget_absolute


def deciding(verdict: Verdict, judgements: Sequence[JudgedMetric]) -> list[JudgedMetric]:
    """The metrics that the overall `verdict` comes from: any that may fail it, of other verdicts guaranteed ones."""
    return [
        metric
        for metric in judgements
        if metric.verdict is verdict
        and (metric.role.decides if verdict is Verdict.REGRESSED else metric.role is Role.GUARANTEED)
    ]


def headline(verdict: Verdict, *, reason: str, judgements: Sequence[JudgedMetric]) -> str:
    """The overall verdict as one sentence for people; `reason` is what it rests on, and is said beside it."""
    if verdict is Verdict.PASSED:
        return "No regression"
    same = deciding(verdict, judgements)
    if verdict is Verdict.INVALID or not same:
        return reason
    if verdict is Verdict.INCONCLUSIVE:
        return f"Not decided: {_undecided(same)}"
    return f"{phrase(same[0])}{_instead(same[0])}{_others(len(same) - 1)}" if same[0].estimate else reason


def _instead(metric: JudgedMetric) -> str:
    estimate = metric.estimate
    if estimate is None or estimate.baseline is None or estimate.candidate is None or above_largest(metric):
        return ""
    before, after = (format_quantity(value, metric.unit) for value in (estimate.baseline, estimate.candidate))
    return f", {after} instead of {before}"


def _undecided(metrics: Sequence[JudgedMetric]) -> str:
    """`GET /orders p99 needs about 4 more pairs`; of several, as many as the last of them needs."""
    more = len(metrics) - 1
    others = f" and {more} more metric{'' if more == 1 else 's'}" if more else ""
    named = f"{title(metrics[0])}{others}"
    pairs = pairs_needed(metrics)
    return named if pairs is None else f"{named} {'need' if more else 'needs'} {more_pairs(pairs)}"


def pairs_needed(metrics: Sequence[JudgedMetric]) -> int | None:
    """About how many more pairs would settle all of `metrics`; None where of one that is not known."""
    needed = [metric.pairs_needed for metric in metrics]
    return None if None in needed else max((each for each in needed if each), default=None)


def more_pairs(count: int) -> str:
    """`about 4 more pairs`."""
    return f"about {count} more pair{'' if count == 1 else 's'}"


def settling(document: Document) -> str | None:
    """The command that measures about as many pairs as would decide an undecided comparison; None for none."""
    provenance = document.provenance
    undecided = deciding(document.verdict, document.judgements)
    needed = pairs_needed(undecided)
    if document.verdict is not Verdict.INCONCLUSIVE or document.mode != "paired" or needed is None:
        return None
    words = zip(("", *provenance.repeat), provenance.repeat, strict=False)
    repeat = [word for before, word in words if "--pairs" not in (before, word)]
    return shlex.join([*repeat, "--pairs", str(document.pairs_judged + needed)]) if repeat else None


def _others(count: int) -> str:
    return "" if count == 0 else f" (and {count} more metric{'s' if count > 1 else ''})"
