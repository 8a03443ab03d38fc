"""One metric brought before the judge: its evidence and what it is held against."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.verdicts.budgets import allowance_of, margin_of
from pacecar.analysis.verdicts.evidence import Evidence
from pacecar.model.comparison import Metric, Role, Scale
from pacecar.model.experiment import Budget


@dataclass(frozen=True, kw_only=True)
class Case:
    """Evidence and budget of one metric.

    Attributes:
        evidence: what was measured.
        budget: what was promised, or None.
        role: what it has to do with the verdict of the whole.
        may_be_weak: where its scatter is out of any plan's reach, what can be ruled out is enough.
    """

    evidence: Evidence
    budget: Budget | None
    role: Role
    may_be_weak: bool = False

    @property
    def metric(self) -> Metric:
        """What is judged."""
        return self.evidence.metric

    @property
    def margin(self) -> float | None:
        """Largest tolerated worsening on the scale of the effect; None when nothing was promised."""
        return margin_of(self.metric, self.budget)

    @property
    def allowance(self) -> float | None:
        """The worsening that must be ruled out, on the scale of the effect; None when nothing was promised."""
        return allowance_of(self.metric, self.budget)

    @property
    def worsening(self) -> Effect | None:
        """The change, turned so that above zero is worse; None when there is nothing to test it on.

        Also None when the budget speaks of the candidate's value alone.
        """
        effect = self.evidence.tested
        if effect is None or self.evidence.nothing or (self.budget is not None and self.budget.relative is None):
            return None
        return effect if self.metric.lower_is_better else effect.reversed()

    @property
    def excess(self) -> Effect | None:
        """How far the candidate's own value lies above the largest tolerated one; None when none was named."""
        if self.budget is None or self.budget.absolute is None or self.evidence.level is None:
            return None
        largest = self.budget.absolute
        if self.metric.scale is Scale.RATIO:
            largest = math.log(max(largest, 1e-12))
        return self.evidence.level.minus(largest)

    @property
    def p_changed(self) -> float | None:
        """Two-sided p of "no change"; None when no change may be claimed, so that there is no test to correct for.

        That holds for evidence with a caveat, and for zeros on both sides: a test that cannot reject costs the others
        nothing (Tarone, "A modified Bonferroni method for discrete data", Biometrics 46, 1990).
        """
        return None if self.worsening is None or self.evidence.caveat else self.worsening.p_value()

    @property
    def p_exceeded(self) -> float | None:
        """One-sided p of "the candidate's value is tolerated", doubled so that it stands beside two-sided ones."""
        return None if self.excess is None or self.evidence.caveat else min(1.0, 2 * self.excess.p_above())
