"""Verdicts: what the evidence on each metric amounts to.

- regressed: the corrected p-value is below its level and the estimate is at or beyond the budget; or the candidate's
  own value is above the largest tolerated one, at the same level.
- improved: the mirror image of the first.
- passed: a worsening by the metric's allowance is ruled out, and the estimate is inside the budget. A tail that
  scatters too much for that, whatever the plan, passes with the bound it has, unless it looks worse.
- inconclusive: none of these; or only what rules out or improves, of a metric that the candidate lacks in a pair; or
  nothing but "passed" of what was noted too coarsely to see a change.

A significant change smaller than the budget is no regression: given enough pairs, every change is significant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pacecar.analysis.stats.looks import ONE_LOOK, Stage
from pacecar.analysis.stats.multiplicity import benjamini_hochberg, holm
from pacecar.analysis.stats.noninferiority import bound_level, upper_bound, within_reach
from pacecar.analysis.stats.pairs import chances, pairs_to_settle, reaches
from pacecar.analysis.verdicts import reasons
from pacecar.analysis.verdicts.case import Case
from pacecar.model.comparison import SEVERITY, Estimate, Judgement, Role, RuledOut, Verdict

#: Two-sided levels over all looks: together with that of forks that die (`deaths.LEVEL`), any false `regressed` in at
#: most 1 % of comparisons. Most of it goes to the guaranteed metrics, which are few. Of what decides nothing it is the
#: share of false ones among those told.
LEVELS = {Role.GUARANTEED: 0.010, Role.TRIPWIRE: 0.006, Role.OBSERVED: 0.01}
#: A tail that is weakly guaranteed passes unless it looks worse: below this one-sided p-value it does.
LOOKS_WORSE = 0.05
#: Below this chance of being decided in the pairs that are left, a metric is not waited for.
FUTILE = 0.05


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """A verdict on one of the two limits of a budget, with its reason."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What one case is held to at this look.

    Attributes:
        level: of adjusted p-values.
        single: two-sided level of one test at this look, were it the most significant.
        single_at_end: the same at the plan's last look.
        changed: adjusted p-value of "no change"; None where there was no test.
        exceeded: that of "the candidate's own value is tolerated"; likewise.
        tests: that share the level.
        kin: how many bounds hold together: of a tripwire those of all endpoints, so that the largest holds of any.
        stage: which look this is.
    """

    level: float
    single: float
    single_at_end: float
    changed: float | None
    exceeded: float | None
    tests: int
    kin: int
    stage: Stage


def judge(cases: Sequence[Case], *, stage: Stage = ONE_LOOK, comparisons: int = 1) -> tuple[Judgement, ...]:
    """A judgement per case: by role, then by severity, else in the order given.

    Args:
        cases: all metrics of the comparison.
        stage: which look this is.
        comparisons: that share the levels.
    """
    judgements = [
        _judgement(case, thresholds)
        for role in Role
        for case, thresholds in _thresholds([case for case in cases if case.role is role], role, stage, comparisons)
    ]
    return tuple(sorted(judgements, key=order))


def order(judgement: Judgement) -> tuple[int, int]:
    """Where a judgement stands among others: guaranteed ones first, the gravest of each role first."""
    return list(Role).index(judgement.role), SEVERITY.index(judgement.verdict)


def single_level(role: Role, *, tests: int, stage: Stage, comparisons: int = 1) -> float:
    """The two-sided level of one of `tests` tests at this look, were it the most significant of them."""
    level = _level(role, comparisons) / max(1, tests)
    return stage.nominal(level) if role.decides else level


def _level(role: Role, comparisons: int) -> float:
    """Two-sided, of all metrics of a role. Comparisons share it by Bonferroni, however they depend on each other."""
    return LEVELS[role] / comparisons if role.decides else LEVELS[role]


def _adjusted(p_values: Sequence[float], role: Role, stage: Stage, *, level: float) -> tuple[float, ...]:
    if role.decides:
        return holm(p_values, level=level, nominal=stage.nominal)
    return benjamini_hochberg(p_values)


def _thresholds(cases: Sequence[Case], role: Role, stage: Stage, comparisons: int) -> list[tuple[Case, Thresholds]]:
    tests = [p for case in cases for p in (case.p_changed, case.p_exceeded)]
    known = [p for p in tests if p is not None]
    level = _level(role, comparisons)
    corrected = iter(_adjusted(known, role, stage, level=level))
    names = Counter(case.metric.name for case in cases)
    both = [None if p is None else next(corrected) for p in tests]
    single, at_end = (
        single_level(role, tests=len(known), stage=each, comparisons=comparisons) for each in (stage, stage.end)
    )
    return [
        (
            case,
            Thresholds(
                level=level,
                single=single,
                single_at_end=at_end,
                changed=changed,
                exceeded=exceeded,
                tests=len(known),
                kin=1 if role is Role.GUARANTEED else names[case.metric.name],
                stage=stage,
            ),
        )
        for case, changed, exceeded in zip(cases, both[0::2], both[1::2], strict=True)
    ]


def _judgement(case: Case, thresholds: Thresholds) -> Judgement:
    estimate = case.evidence.estimate(level=thresholds.single, margin=case.margin or 0.0)
    ruled_out = _ruled_out(case, thresholds)
    more = _more_pairs(case, thresholds)
    largest = _on_largest(case, thresholds)
    if estimate is None:
        unknown = Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.not_measurable(case))
        opinion = largest if largest and largest.verdict is Verdict.REGRESSED else unknown
    elif case.evidence.nothing:
        opinion = Opinion(verdict=Verdict.PASSED, reason=reasons.nothing(estimate))
    else:
        opinions = (_on_change(case, estimate, thresholds, ruled_out=ruled_out, more=more), largest)
        # The worse of the two limits decides; a budget makes at least one of them.
        opinion = min((o for o in opinions if o), key=lambda o: SEVERITY.index(o.verdict))
    if estimate is not None and case.evidence.lacking:
        opinion, more = _of_a_part(case, opinion), None
    undecided = opinion.verdict is Verdict.INCONCLUSIVE
    return Judgement(
        metric=case.metric,
        verdict=opinion.verdict,
        reason=opinion.reason,
        role=case.role,
        budget=case.budget,
        estimate=estimate,
        ruled_out=ruled_out,
        pairs_needed=more if undecided else None,
        futile=undecided and _futile(case, thresholds),
    )


def _ruled_out(case: Case, thresholds: Thresholds) -> RuledOut | None:
    """What this look rules out of the metric; None where nothing can be."""
    if case.evidence.nothing:
        return RuledOut(bound=case.evidence.largest_unseen, allowance=_shown(case, case.allowance))
    effect, allowance, stage = case.worsening, case.allowance, thresholds.stage
    if effect is None or not effect.certain:
        return None
    weak = (
        case.may_be_weak
        and allowance is not None
        and not within_reach(effect, allowance=allowance, stage=thresholds.stage)
    )
    bound = upper_bound(effect, level=bound_level(stage) / thresholds.kin)
    return RuledOut(bound=case.evidence.as_change(bound), allowance=_shown(case, allowance), weak=weak)


def _shown(case: Case, amount: float | None) -> float | None:
    return None if amount is None else case.evidence.as_change(amount)


def _of_a_part(case: Case, opinion: Opinion) -> Opinion:
    """What the pairs that carry a metric say, and that they are not all."""
    if case.evidence.one_sided and opinion.verdict in (Verdict.PASSED, Verdict.IMPROVED):
        return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.candidate_lacks(case, opinion.reason))
    return Opinion(verdict=opinion.verdict, reason=reasons.in_part(case, opinion.reason))


def _on_change(
    case: Case, estimate: Estimate, thresholds: Thresholds, *, ruled_out: RuledOut | None, more: int | None
) -> Opinion | None:
    """What the change against the baseline says; None when only the candidate's own value was budgeted."""
    effect, margin = case.worsening, case.margin
    if effect is None:
        return None
    chance = thresholds.changed is None or thresholds.changed >= thresholds.level
    if not chance and reaches(effect, margin or 0.0):
        worse = effect.mean > 0
        tell = reasons.regressed if worse else reasons.improved
        return Opinion(
            verdict=Verdict.REGRESSED if worse else Verdict.IMPROVED,
            reason=tell(case, estimate, p=thresholds.changed or 0.0, tests=thresholds.tests),
        )
    if ruled_out is not None and _passes(case, ruled_out):
        reason = reasons.passed(case, estimate, ruled_out, chance=chance)
        if case.evidence.coarse:
            return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.too_coarse(case, reason))
        return Opinion(verdict=Verdict.PASSED, reason=reason)
    p = 1.0 if thresholds.changed is None else thresholds.changed
    words = reasons.may_be_chance(estimate, p=p, tests=thresholds.tests) if chance else None
    return Opinion(
        verdict=Verdict.INCONCLUSIVE, reason=reasons.undecided(case, estimate, ruled_out, chance=words, more=more)
    )


def _passes(case: Case, ruled_out: RuledOut) -> bool:
    effect, margin = case.worsening, case.margin
    if effect is None or margin is None or ruled_out.allowance is None:
        return False
    if ruled_out.weak:
        return effect.p_above() >= LOOKS_WORSE
    return ruled_out.bound <= ruled_out.allowance and effect.mean < margin


def _on_largest(case: Case, thresholds: Thresholds) -> Opinion | None:
    """What the candidate's own value says about the largest tolerated one; None when none was named."""
    excess = case.excess
    if excess is None:
        return None
    if thresholds.exceeded is not None and thresholds.exceeded < thresholds.level:
        return Opinion(
            verdict=Verdict.REGRESSED, reason=reasons.above_largest(case, p=thresholds.exceeded, tests=thresholds.tests)
        )
    level = bound_level(thresholds.stage)
    if upper_bound(excess, level=level) <= 0:
        return Opinion(verdict=Verdict.PASSED, reason=reasons.below_largest(case, confidence=1 - level))
    return Opinion(verdict=Verdict.INCONCLUSIVE, reason=reasons.around_largest(case))


def _more_pairs(case: Case, thresholds: Thresholds) -> int | None:
    margin, allowance = case.margin, case.allowance
    if case.worsening is None or margin is None or allowance is None or case.evidence.caveat or case.evidence.coarse:
        return None
    return pairs_to_settle(
        case.worsening,
        margin=margin,
        allowance=allowance,
        level=thresholds.single_at_end,
        bound_level=bound_level(thresholds.stage.end),
    )


def _futile(case: Case, thresholds: Thresholds) -> bool:
    """Whether the pairs that are left of the plan will hardly decide the metric, either way."""
    effect, margin, allowance = case.worsening, case.margin, case.allowance
    if effect is None or margin is None or allowance is None or not effect.certain or thresholds.stage.most is None:
        return False
    if case.evidence.caveat or case.evidence.coarse or case.excess is not None:
        return False
    likely = chances(
        effect,
        margin=margin,
        allowance=allowance,
        level=thresholds.single_at_end,
        bound_level=bound_level(thresholds.stage.end),
        most=thresholds.stage.most,
    )
    return likely.regressed + likely.passed < FUTILE
