"""From the readings of all forks to judgements: which metrics, what evidence, which verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.looks import ONE_LOOK, Stage
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import ERRORS, Evidence
from pacecar.analysis.verdicts.noise import informed, noise_of
from pacecar.analysis.verdicts.roles import assign, unmatched_judgement
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Judgement, Metric, Noise, Role

#: Endpoints that a caution names.
_NAMED = 3

_Readings = dict[Metric, Reading]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Judgements on metrics, and what a reader should know about how they were chosen.

    `earlier_runs` tells how many earlier runs' scatter the verdicts also rest on.
    """

    judgements: tuple[Judgement, ...]
    cautions: tuple[Caution, ...]
    noise: Noise
    earlier_runs: int = 0


@dataclass(frozen=True, kw_only=True)
class SideReadings:
    """What was read from the forks of both sides.

    Attributes:
        baseline: readings of each of its forks.
        candidate: the same, of the same metrics.
        endpoints: all of them, busiest first.
        pace_apart: see `Comparison`.
    """

    baseline: Sequence[_Readings]
    candidate: Sequence[_Readings]
    endpoints: Sequence[str]
    pace_apart: float | None = None

    @property
    def forks(self) -> tuple[_Readings, ...]:
        """Those of both sides."""
        return (*self.baseline, *self.candidate)


def judge_metrics(
    read: SideReadings,
    evidence_on: Callable[[Metric], Evidence],
    *,
    criteria: Criteria,
    history: Sequence[Noise] = (),
    stage: Stage = ONE_LOOK,
) -> Judged:
    """Judge every metric of which an instrument was there, all guaranteed ones, and every gate entry that names none.

    Args:
        read: of the forks that take part.
        evidence_on: what those readings say about one metric.
        criteria: budgets and gate.
        history: noise of earlier runs.
        stage: see `rules.judge`.
    """
    roles = assign(criteria, baseline=read.baseline)
    evidence = [
        evidence_on(metric)
        for metric in read.baseline[0]
        if roles.of[metric] is Role.GUARANTEED or any(not _absent(fork[metric]) for fork in read.forks)
    ]
    cases = [
        Case(
            evidence=each,
            budget=budget_for(each.metric, criteria.budgets),
            role=roles.of[each.metric],
            may_be_weak=roles.may_be_weak(each.metric),
        )
        for each in informed(evidence, history, criteria.tier)
    ]
    unmatched = tuple(unmatched_judgement(entry, endpoints=read.endpoints) for entry in roles.unmatched)
    return Judged(
        judgements=(*unmatched, *judge(cases, stage=stage, comparisons=criteria.comparisons)),
        cautions=(
            *roles.remarks,
            *_too_many(read.endpoints),
            *_on_one_side("baseline", read.baseline, "candidate", read.candidate),
            *_on_one_side("candidate", read.candidate, "baseline", read.baseline),
        ),
        noise=noise_of(evidence),
        earlier_runs=sum(map(bool, history)),
    )


def _absent(reading: Reading) -> bool:
    return isinstance(reading, Missing) and reading.absent


def _too_many(endpoints: Sequence[str]) -> list[Caution]:
    if len(endpoints) <= MOST_ENDPOINTS:
        return []
    return [
        Caution.of(
            CautionKind.TOO_MANY_ENDPOINTS,
            "Only the {most} busiest of {endpoints} endpoints, and those that the gate or a budget names, were "
            "judged one by one",
            most=MOST_ENDPOINTS,
            endpoints=f"{len(endpoints):,}",
            remedy="Name the others under [[budgets]] if they matter.",
        )
    ]


def _on_one_side(here: str, asked: Sequence[_Readings], there: str, unasked: Sequence[_Readings]) -> list[Caution]:
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
    return [
        Caution.of(
            CautionKind.ASKED_OF_ONE_SIDE,
            "Only the {here} got requests to these endpoints, so nothing is known about the {there}: {names}",
            here=here,
            there=there,
            names=", ".join(names[:_NAMED]) + more,
            remedy="Give the endpoints the same names for both builds.",
        )
    ]


def with_deaths(judgements: Sequence[Judgement], deaths: Judgement | None) -> tuple[Judgement, ...]:
    """The judgements, that on deaths first where there is one."""
    return tuple(judgements) if deaths is None else (deaths, *judgements)
