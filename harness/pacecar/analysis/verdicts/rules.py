"""Verdicts: what the evidence on each metric amounts to.

- regressed: the corrected p-value is below its level and the estimate is at or beyond the budget; or the candidate's
  own value is above the largest tolerated one, at the same level.
- improved: the mirror image of the first.
- unchanged: both one-sided bounds lie inside the budget; at 95 %, and higher where a run is looked at more than once.
- inconclusive: none of these; or equality or an improvement of a metric that the candidate lacks in a pair; or equality
  of what was noted too coarsely to see a change.

A significant change smaller than the budget is no regression: given enough pairs, every change is significant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pacecar.analysis.stats import equivalence
from pacecar.analysis.stats.equivalence import equivalent, one_sided_bounds
from pacecar.analysis.stats.looks import late, nominal_level
from pacecar.analysis.stats.multiplicity import benjamini_hochberg, holm
from pacecar.analysis.stats.pairs import pairs_to_settle, reaches
from pacecar.analysis.verdicts import reasons
from pacecar.analysis.verdicts.case import Case
from pacecar.model.comparison import SEVERITY, Estimate, Judgement, Verdict


@dataclass(frozen=True, kw_only=True)
class Correction:
    """How p-values of many metrics become verdicts that hold together.

    Attributes:
        adjust: p-values to adjusted p-values.
        level: two-sided level for adjusted p-values, over all looks at them.
    """

    adjust: Callable[[Sequence[float]], tuple[float, ...]]
    level: float


#: Any false `regressed` in at most 1 % of comparisons: Holm holds the chance of any false rejection at 2 %,
#: half of it in each direction.
GATE = Correction(adjust=holm, level=0.02)
#: Outside the gate verdicts are warnings: at most about one in a hundred of the changes reported there is none, and
#: where nothing changed at all, any is reported in at most one in a hundred comparisons, half of them improvements.
WARNINGS = Correction(adjust=benjamini_hochberg, level=0.01)


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """A verdict on one of the two promises of a budget, with its reason."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, kw_only=True)
class Adjusted:
    """The corrected p-values of one case, None where there was no test, and the number of tests they share."""

    changed: float | None
    exceeded: float | None
    tests: int


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What a look may spend; see `stats.looks`.

    Attributes:
        gate: two-sided, of `GATE.level`: for a change of any gated metric.
        equality: one-sided, of `equivalence.LEVEL`: for each of the two tests of one metric's equality.
    """

    gate: float = GATE.level
    equality: float = equivalence.LEVEL


#: Of a comparison that is looked at once.
ONE_LOOK = Levels()


def levels_of(pairs: int, *, most: int | None, last: bool = False, comparisons: int = 1) -> Levels:
    """What may be spent after so many pairs.

    Args:
        pairs: that were measured.
        most: pairs of the plan that the judge looks at as it goes on; None when it looks once.
        last: see `stats.looks.nominal_level`.
        comparisons: that share the gate's level.
    """
    gate = GATE.level / comparisons  # Bonferroni: whatever the comparisons have to do with each other
    if most is None:
        return Levels(gate=gate)
    # The two tests of equality look at opposite ends, each at half of a two-sided level.
    equality = nominal_level(pairs, most=most, level=2 * equivalence.LEVEL, last=last, spending=late) / 2
    return Levels(gate=nominal_level(pairs, most=most, level=gate, last=last), equality=equality)


def judge(cases: Sequence[Case], *, levels: Levels = ONE_LOOK) -> tuple[Judgement, ...]:
    """A judgement per case: gated ones first, then by severity, else in the order given.

    Args:
        cases: all metrics of the comparison.
        levels: of this look.
    """
    gated = [case for case in cases if case.gated]
    others = [case for case in cases if not case.gated]
    gate = replace(GATE, level=levels.gate)
    adjusted = _adjust(gated, gate)
    single_level = levels.gate / max(1, adjusted[0].tests if adjusted else 1)
    judgements = [
        _judgement(case, p, correction=correction, single_level=single_level, equality_level=levels.equality)
        for group, group_adjusted, correction in (
            (gated, adjusted, gate),
            (others, _adjust(others, WARNINGS), WARNINGS),
        )
        for case, p in zip(group, group_adjusted, strict=True)
    ]
    return tuple(sorted(judgements, key=lambda judgement: (not judgement.gated, SEVERITY.index(judgement.verdict))))


def _adjust(cases: Sequence[Case], correction: Correction) -> list[Adjusted]:
    tests = [p for case in cases for p in (case.p_changed, case.p_exceeded)]
    corrected = iter(correction.adjust([p for p in tests if p is not None]))
    both = [None if p is None else next(corrected) for p in tests]
    count = sum(p is not None for p in tests)
    return [
        Adjusted(changed=changed, exceeded=exceeded, tests=count)
        for changed, exceeded in zip(both[0::2], both[1::2], strict=True)
    ]


def _judgement(
    case: Case, adjusted: Adjusted, *, correction: Correction, single_level: float, equality_level: float
) -> Judgement:
    estimate = case.evidence.estimate(level=single_level, margin=case.margin or 0.0)
    more = _more_pairs(case, single_level=single_level, equality_level=equality_level)
    largest = _on_largest(case, adjusted, level=correction.level, equality_level=equality_level)
    if estimate is None:
        unknown = Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.not_measurable(case))
        opinion = largest if largest and largest.verdict is Verdict.REGRESSED else unknown
    elif case.evidence.nothing:
        opinion = Opinion(verdict=Verdict.UNCHANGED, reason=reasons.nothing(estimate))
    else:
        opinions = (
            _on_change(case, estimate, adjusted, level=correction.level, equality_level=equality_level, more=more),
            largest,
        )
        # The worse of the two promises decides; a budget makes at least one of them.
        opinion = min((o for o in opinions if o), key=lambda o: SEVERITY.index(o.verdict))
    if estimate is not None and case.evidence.lacking:
        opinion, more = _of_a_part(case, opinion), None
    return Judgement(
        metric=case.metric,
        verdict=opinion.verdict,
        reason=opinion.reason,
        gated=case.gated,
        budget=case.budget,
        estimate=estimate,
        pairs_needed=more if opinion.verdict is Verdict.INCONCLUSIVE else None,
    )


def _of_a_part(case: Case, opinion: Opinion) -> Opinion:
    """What the pairs that carry a metric say, and that they are not all."""
    if case.evidence.one_sided and opinion.verdict in (Verdict.UNCHANGED, Verdict.IMPROVED):
        return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.candidate_lacks(case, opinion.reason))
    return Opinion(verdict=opinion.verdict, reason=reasons.in_part(case, opinion.reason))


def _on_change(
    case: Case, estimate: Estimate, adjusted: Adjusted, *, level: float, equality_level: float, more: int | None
) -> Opinion | None:
    """What the change against the baseline says; None when only the candidate's own value was budgeted."""
    effect, margin = case.worsening, case.margin
    if effect is None:
        return None
    if adjusted.changed is not None and adjusted.changed < level and reaches(effect, margin or 0.0):
        worse = effect.mean > 0
        tell = reasons.regressed if worse else reasons.improved
        return Opinion(
            verdict=Verdict.REGRESSED if worse else Verdict.IMPROVED,
            reason=tell(case, estimate, p=adjusted.changed, tests=adjusted.tests),
        )
    if margin is not None and equivalent(effect, margin=margin, level=equality_level):
        turned = effect if case.metric.lower_is_better else effect.reversed()
        bounds = one_sided_bounds(turned, level=equality_level)
        reason = reasons.unchanged(case, estimate, bounds=bounds, confidence=1 - equality_level)
        if case.evidence.coarse:
            return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.too_coarse(case, reason))
        return Opinion(verdict=Verdict.UNCHANGED, reason=reason)
    return Opinion(
        verdict=Verdict.INCONCLUSIVE,
        reason=reasons.undecided(
            case, estimate, chance=adjusted.changed is None or adjusted.changed >= level, more=more
        ),
    )


def _on_largest(case: Case, adjusted: Adjusted, *, level: float, equality_level: float) -> Opinion | None:
    """What the candidate's own value says about the largest tolerated one; None when none was named."""
    excess = case.excess
    if excess is None:
        return None
    if adjusted.exceeded is not None and adjusted.exceeded < level:
        return Opinion(
            verdict=Verdict.REGRESSED,
            reason=reasons.above_largest(case, p=adjusted.exceeded, tests=adjusted.tests),
        )
    if one_sided_bounds(excess, level=equality_level)[1] <= 0:
        reason = reasons.below_largest(case, confidence=1 - equality_level)
        return Opinion(verdict=Verdict.UNCHANGED, reason=reason)
    return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.around_largest(case))


def _more_pairs(case: Case, *, single_level: float, equality_level: float) -> int | None:
    if case.worsening is None or case.margin is None or case.evidence.caveat or case.evidence.coarse:
        return None
    return pairs_to_settle(case.worsening, margin=case.margin, level=single_level, equality_level=equality_level)
