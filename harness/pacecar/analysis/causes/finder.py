"""For each change worth a reader's time, the cause that explains most of it; none where nothing is certain.

Naming the wrong cause costs a reader more than naming none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pacecar.analysis.causes.kind import CauseKind, Claim, Evidence
from pacecar.analysis.causes.registry import all_kinds
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.comparison import Cause, Finding, Judgement, Role, Verdict
from pacecar.model.frames import FrameChange


class CauseFinder:
    """Looks for causes in what was recorded beside the metrics.

    Args:
        baseline: the baseline's forks that take part.
        candidate: the candidate's.
        frames: as `profiles.changes` gives them.
        kinds: the kinds of causes to ask, in any order; all there are unless given.
    """

    def __init__(
        self,
        *,
        baseline: Sequence[MeasuredFork],
        candidate: Sequence[MeasuredFork],
        frames: Sequence[FrameChange],
        kinds: Iterable[CauseKind] | None = None,
    ) -> None:
        blamed = tuple(frame for frame in frames if frame.blamed and frame.application)
        self._evidence = Evidence(baseline=baseline, candidate=candidate, blamed=blamed)
        self._kinds = sorted(all_kinds() if kinds is None else kinds, key=lambda kind: kind.name)

    def findings(self, judgements: Sequence[Judgement]) -> tuple[Finding, ...]:
        """A finding for each change, in the order of `judgements`.

        Of tripwires only those that tell something new: one slow method moves a dozen quantiles.
        """
        found: list[Finding] = []
        told: set[tuple[str, ...]] = set()
        for judgement in judgements:
            if judgement.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
                continue
            causes = self.causes(judgement)
            statements = tuple(cause.statement for cause in causes)
            if judgement.role is Role.GUARANTEED or statements not in told:
                found.append(Finding(judgement=judgement, causes=causes))
                told.add(statements)
        return tuple(found)

    def causes(self, judgement: Judgement) -> tuple[Cause, ...]:
        """The cause that explains most of one change; empty when none is certain.

        Only one, because claims hold each other: wall-clock time holds CPU time and waiting for locks.
        """
        if judgement.estimate is None:  # forks died; the verdict's own reason says how
            return ()
        claims = [(kind, claim) for kind in self._kinds for claim in kind.claims(judgement, self._evidence)]
        if not claims:
            return ()
        return (_cause(*max(claims, key=lambda each: each[1].weight)),)  # of equals the first by the kind's name


def _cause(kind: CauseKind, claim: Claim) -> Cause:
    return Cause(name=kind.name, title=kind.title, statement=claim.statement, scope=claim.scope, amounts=claim.amounts)
