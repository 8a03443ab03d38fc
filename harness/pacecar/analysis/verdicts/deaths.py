"""Forks that died. A pair with a dead fork measures nothing, but a build that keeps dying says enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pacecar.model.catalogue import DEATHS
from pacecar.model.comparison import Judgement, Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: One-sided level of the test, part of the 1 % that all false `regressed` share (`rules.LEVELS`).
LEVEL = 0.002
#: One death can be an accident of the machine.
ENOUGH = 2


@dataclass(frozen=True, kw_only=True)
class Death:
    """How a fork came to its end; `at_limit` as `recording.ForkRecord` has it."""

    how: str
    at_limit: bool = False


def deaths_of(pairs: Sequence[Pair], side: Side) -> list[Death]:
    """How each fork of `side` that died came to its end."""
    records = [fork.record for pair in pairs if (fork := pair.forks.get(side))]
    return [Death(how=record.died, at_limit=record.at_limit) for record in records if record.died]


def judge_deaths(*, baseline: Sequence[Death], candidate: Sequence[Death], forks: tuple[int, int]) -> Judgement | None:
    """The verdict that deaths alone decide, or None when they say nothing.

    A candidate regressed when chance hardly explains how many more of its forks died. Before that it is undecided: a
    build whose forks die must not pass. A baseline that dies as well makes the comparison invalid: whatever kills it
    may have killed the candidate too. What the kernel kills at the limit of its own container needs no test where it
    happens to the candidate alone: no other process counts towards that limit.

    Args:
        baseline: how each of its forks that died came to its end.
        candidate: the same.
        forks: of the baseline and of the candidate, dead or not.
    """
    before, after = len(baseline), len(candidate)
    if sum(death.at_limit for death in candidate) >= ENOUGH and not before:
        return _judgement(Verdict.REGRESSED, _told(Side.CANDIDATE, candidate, forks[1]))
    p = more_often(before, after, forks=forks)
    if p < LEVEL:
        return _judgement(Verdict.REGRESSED, f"{_told(Side.CANDIDATE, candidate, forks[1])} (p = {p:.1g})")
    if before >= ENOUGH:
        return _judgement(Verdict.INVALID, _told(Side.BASELINE, baseline, forks[0]))
    if after >= ENOUGH:
        reason = f"{_told(Side.CANDIDATE, candidate, forks[1])}, which may be chance (p = {p:.1g})"
        return _judgement(Verdict.INCONCLUSIVE, reason)
    return None


def more_often(baseline: int, candidate: int, *, forks: tuple[int, int]) -> float:
    """One-sided probability that so many of all deaths are the candidate's, if its forks died no more often.

    Fisher, "Statistical methods for research workers", 5th edition 1934, section 21.02: the hypergeometric tail.
    """
    dead, whole = baseline + candidate, sum(forks)
    ways = sum(
        math.comb(forks[1], of_candidate) * math.comb(forks[0], dead - of_candidate)
        for of_candidate in range(candidate, min(dead, forks[1]) + 1)
    )
    return ways / math.comb(whole, dead)


def _told(side: Side, died: Sequence[Death], forks: int) -> str:
    return f"the {side} died in {len(died)} of {forks} forks: {died[0].how.rstrip('.')}"


def _judgement(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(
        metric=DEATHS.metric(), verdict=verdict, reason=reason, role=Role.GUARANTEED, budget=None, estimate=None
    )
