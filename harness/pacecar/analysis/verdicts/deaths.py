"""Forks that died. A pair with a dead fork measures nothing, but a build that keeps dying says enough."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.model.catalogue import DEATHS
from pacecar.model.comparison import Judgement, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: One death can be an accident of the machine.
ENOUGH = 2


def deaths_of(pairs: Sequence[Pair], side: Side) -> list[str]:
    """How each fork of `side` that died came to its end."""
    return [fork.record.died for pair in pairs if (fork := pair.forks.get(side)) and fork.record.died]


def judge_deaths(*, baseline: Sequence[str], candidate: Sequence[str], forks: tuple[int, int]) -> Judgement | None:
    """The verdict that deaths alone decide, or None when they decide nothing.

    A baseline that dies makes the comparison invalid: whatever kills it may have killed the candidate too.

    Args:
        baseline: how each of its forks that died came to its end.
        candidate: the same.
        forks: of the baseline and of the candidate, dead or not.
    """
    for side, died, of, verdict in (
        (Side.BASELINE, baseline, forks[0], Verdict.INVALID),
        (Side.CANDIDATE, candidate, forks[1], Verdict.REGRESSED),
    ):
        if len(died) >= ENOUGH:
            return Judgement(
                metric=DEATHS.metric(),
                verdict=verdict,
                reason=f"the {side} died in {len(died)} of {of} forks: {died[0].rstrip('.')}",
                gated=True,
                budget=None,
                estimate=None,
            )
    return None
