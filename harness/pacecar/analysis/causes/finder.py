"""For each change worth a reader's time, its causes; none where nothing is certain.

Naming the wrong cause costs a reader more than naming none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from pacecar.analysis.causes.engine import causes_of, explained, not_looked
from pacecar.analysis.causes.explains import takes_cpu_time
from pacecar.analysis.causes.kind import CauseKind
from pacecar.analysis.causes.registry import all_kinds
from pacecar.analysis.quantities.all_code import all_code
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.catalogue import is_latency
from pacecar.model.causes import AllCode, Cause, NotLooked
from pacecar.model.comparison import Finding, Judgement, Role, Verdict
from pacecar.model.profiles import ProfileKind

_OF_PROFILES = frozenset(event.quantity for event in ProfileKind)


class CauseFinder:
    """Looks for causes in what was recorded beside the metrics.

    Args:
        quantities: what was recorded, of forks that were measured side by side; of others nothing is certain.
        profiled: the same of forks that were profiled for the causes alone; None where there are none.
        kinds: the kinds of causes to ask, in any order; all there are unless given.
    """

    def __init__(
        self,
        quantities: Quantities,
        *,
        profiled: Quantities | None = None,
        kinds: Iterable[CauseKind] | None = None,
    ) -> None:
        self._quantities = quantities
        self._profiled = profiled
        self._kinds = tuple(all_kinds() if kinds is None else kinds)

    def findings(self, judgements: Sequence[Judgement]) -> tuple[Finding, ...]:
        """A finding for each change, in the order of `judgements`.

        Of tripwires only those that tell something new: one slow method moves a dozen quantiles.
        """
        found: list[Finding] = []
        told: set[tuple[object, ...]] = set()
        for judgement in judgements:
            if judgement.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
                continue
            causes = self.causes(judgement)
            # Of what nothing explains, too: the first latency, the first of any other metric.
            unexplained = "latency" if is_latency(judgement.metric.name) else judgement.metric.name
            reasons = tuple(map(_reason, causes)) or (unexplained,)
            if judgement.role is Role.GUARANTEED or reasons not in told:
                left = () if judgement.estimate is None else self._not_looked(judgement, causes)
                alike = self._of_all_code(judgement, causes)
                found.append(Finding(judgement=judgement, causes=causes, not_looked=left, all_code=alike))
                told.add(reasons)
        return tuple(found)

    def causes(self, judgement: Judgement) -> tuple[Cause, ...]:
        """The roots of one change, the surest first; empty when none is certain or likely."""
        if judgement.estimate is None or not self._quantities.pairs:  # forks died; the verdict's own reason says how
            return ()
        found = causes_of(judgement, self._quantities, self._kinds)
        if explained(found) or self._profiled is None:
            return found
        return causes_of(judgement, self._profiled, self._kinds) or found

    def _not_looked(self, judgement: Judgement, causes: Sequence[Cause]) -> tuple[NotLooked, ...]:
        return not_looked(judgement, causes, self._profiled or self._quantities, self._kinds)

    def _of_all_code(self, judgement: Judgement, causes: Sequence[Cause]) -> AllCode | None:
        if judgement.estimate is None or explained(causes) or not takes_cpu_time(judgement):
            return None
        found = self._all_code
        return found if found is not None and found.change * judgement.estimate.change > 0 else None

    @cached_property
    def _all_code(self) -> AllCode | None:
        return all_code(self._quantities)


def _reason(cause: Cause) -> object:
    """What makes a cause news: a frame that a profile blames is no other one for costing the next endpoint another
    amount.
    """
    first = cause.facts[0] if cause.facts else None
    if first is None or first.scope.frame is None or first.quantity not in _OF_PROFILES:
        return cause.statement
    return cause.name, first.quantity, first.scope.frame, first.scope.pool
