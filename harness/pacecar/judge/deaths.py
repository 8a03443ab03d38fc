"""Forks that died. A pair with a dead fork measures nothing, but a build that keeps dying says enough."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.comparison import Judgement, Metric, Scale, Verdict
from pacecar.experiment import Side
from pacecar.recording import Pair

#: One death can be an accident of the machine.
ENOUGH = 2

_METRIC = Metric(name="deaths", unit="1", scale=Scale.DIFFERENCE, machine_bound=False)


def deaths_of(pairs: Sequence[Pair], side: Side) -> list[str]:
    """How each fork of `side` that died came to its end."""
    return [fork.record.died for pair in pairs if (fork := pair.forks.get(side)) and fork.record.died]


def judge_deaths(*, baseline: Sequence[str], candidate: Sequence[str], pairs: int) -> Judgement | None:
    """The verdict that deaths alone decide, or None when they decide nothing.

    A baseline that dies makes the comparison invalid: whatever kills it may have killed the candidate too.
    """
    for side, died, verdict in (
        (Side.BASELINE, baseline, Verdict.INVALID),
        (Side.CANDIDATE, candidate, Verdict.REGRESSED),
    ):
        if len(died) >= ENOUGH:
            return Judgement(
                metric=_METRIC,
                verdict=verdict,
                reason=f"the {side} died in {len(died)} of {pairs} pairs: {died[0].rstrip('.')}",
                gated=True,
                budget=None,
                estimate=None,
            )
    return None
