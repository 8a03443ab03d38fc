"""From the readings of all forks to judgements: which metrics, what evidence, which verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import ERRORS, Evidence
from pacecar.analysis.verdicts.gate import choose, unmatched_judgement
from pacecar.analysis.verdicts.noise import informed, noise_of
from pacecar.analysis.verdicts.rules import ONE_LOOK, Levels, judge
from pacecar.model.comparison import Judgement, Metric, Noise

#: Endpoints that a warning names.
_NAMED = 3

_Readings = dict[Metric, Reading]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Judgements on metrics, and what a reader should know about how they were chosen."""

    judgements: tuple[Judgement, ...]
    warnings: tuple[str, ...]
    noise: Noise


def judge_metrics(
    baseline: Sequence[_Readings],
    candidate: Sequence[_Readings],
    evidence_on: Callable[[Metric], Evidence],
    *,
    endpoints: Sequence[str],
    criteria: Criteria,
    history: Sequence[Noise] = (),
    levels: Levels = ONE_LOOK,
) -> Judged:
    """Judge every metric of which an instrument was there, all gated ones, and every gate entry that names none.

    Args:
        baseline: readings of each of its forks.
        candidate: the same, of the same metrics.
        evidence_on: what those readings say about one metric.
        endpoints: all of them, busiest first.
        criteria: budgets and gate.
        history: noise of earlier runs.
        levels: see `verdicts.judge`.
    """
    chosen = choose(criteria.gate, baseline=baseline, endpoints=endpoints, budgets=criteria.budgets)
    evidence = [
        evidence_on(metric)
        for metric in baseline[0]
        if metric in chosen.metrics or any(not _absent(fork[metric]) for fork in (*baseline, *candidate))
    ]
    cases = [
        Case(evidence=each, budget=budget_for(each.metric, criteria.budgets), gated=each.metric in chosen.metrics)
        for each in informed(evidence, history)
    ]
    unmatched = tuple(unmatched_judgement(entry, endpoints=endpoints) for entry in chosen.unmatched)
    return Judged(
        judgements=(*unmatched, *judge(cases, levels=levels)),
        warnings=(
            *chosen.warnings,
            *_too_many(endpoints),
            *_on_one_side("baseline", baseline, "candidate", candidate),
            *_on_one_side("candidate", candidate, "baseline", baseline),
            *_rests_on(cases, history),
        ),
        noise=noise_of(evidence),
    )


def _absent(reading: Reading) -> bool:
    return isinstance(reading, Missing) and reading.absent


def _too_many(endpoints: Sequence[str]) -> list[str]:
    if len(endpoints) <= MOST_ENDPOINTS:
        return []
    return [
        f"Only the {MOST_ENDPOINTS} busiest of {len(endpoints):,} endpoints were judged one by one, and those that the "
        "gate or a budget names."
    ]


def _on_one_side(here: str, asked: Sequence[_Readings], there: str, unasked: Sequence[_Readings]) -> list[str]:
    """Endpoints with requests on one side only."""
    names = [
        metric.endpoint
        for metric in asked[0]
        if metric.name == ERRORS
        and any(isinstance(fork[metric], Value) for fork in asked)
        and not any(isinstance(fork[metric], Value) for fork in unasked)
    ]
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"Asked of the {here} only, so nothing is known of the {there}: {', '.join(names[:_NAMED])}{more}."]


def _rests_on(cases: Sequence[Case], history: Sequence[Noise]) -> list[str]:
    if not any(case.evidence.prior for case in cases):
        return []
    return [
        f"Verdicts also rest on how much the pairs of {sum(map(bool, history))} earlier runs scattered; "
        "the intervals shown rest on this run's pairs alone."
    ]


def with_deaths(judgements: Sequence[Judgement], deaths: Judgement | None) -> tuple[Judgement, ...]:
    """The judgements, that on deaths first where there is one."""
    return tuple(judgements) if deaths is None else (deaths, *judgements)
