"""When a fork is steady: its CPU per request has stopped falling, and its JIT compilers have little left to do.

A fixed time is never right: a JVM compiles by how often a method was called, so what it needs depends on the service,
the load and the core it shares. Forks that are measured too early differ by more than most regressions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from pacecar.model.experiment import Plan
from pacecar.model.recording import PairRecord

#: Seconds over which CPU per request must be flat, and of which the JIT's share is taken.
SPAN_S = 10.0
#: Fewest seconds before a fork is believed to be steady: compilers pause between their tiers.
SOONEST_S = 15.0
#: Largest fall of CPU per request over the span, as a fraction: seconds differ by a tenth when nothing falls any more.
FLAT = 0.10
#: Largest share of CPU time that compiling may take, in the median second of the span: compilers work in spurts.
JIT_SHARE = 0.30
_FEWEST = 5
#: By how much the next pair is warmed for longer after one that was not steady.
_LENGTHENED = 1.5


@dataclass(frozen=True, kw_only=True)
class Warmth:
    """What a fork has done until now; all counts are cumulative.

    Attributes:
        time_s: since the start of load.
        requests: sent to it.
        cpu_s: CPU time used, by other threads than the compilers where they can be told apart.
        jit_s: CPU time of the compilers, else the time they took; NaN where the JVM does not say.
    """

    time_s: float
    requests: float
    cpu_s: float
    jit_s: float


@dataclass(kw_only=True)
class Steadiness:
    """One fork on its way to being steady."""

    seen: list[Warmth] = field(default_factory=list)

    def add(self, warmth: Warmth) -> None:
        """Take note of the fork as it is now."""
        self.seen.append(warmth)

    @property
    def steady(self) -> bool:
        """Whether CPU per request has stopped falling and the JIT is quiet, over the last `SPAN_S` seconds."""
        if not self.seen or self.seen[-1].time_s < SOONEST_S:
            return False
        recent = self._recent()
        fall = _fall(recent)
        return fall is not None and fall < FLAT and _jit_share(recent) <= JIT_SHARE

    def _recent(self) -> list[Warmth]:
        return [warmth for warmth in self.seen if warmth.time_s >= self.seen[-1].time_s - SPAN_S]

    @property
    def unsettled(self) -> str | None:
        """In what way the fork is not steady, in a few words; None when it is."""
        if self.steady:
            return None
        recent = self._recent()
        fall = _fall(recent)
        if fall is None:
            return "too few requests to tell"
        if fall >= FLAT:
            return f"CPU per request still fell by {100 * fall:.0f}% in {SPAN_S:.0f} s"
        if _jit_share(recent) > JIT_SHARE:
            return f"compilers still took {100 * _jit_share(recent):.0f}% of its CPU time"
        return f"it was under load for less than {SOONEST_S:.0f} s"

    @property
    def state(self) -> str:
        """In a few words, for the display."""
        if len(self.seen) < 2:
            return "starting"
        before, now = self.seen[-2], self.seen[-1]
        requests = now.requests - before.requests
        if requests <= 0:
            return "no requests yet"
        return f"{1e3 * (now.cpu_s - before.cpu_s) / requests:.2g} ms CPU per request"


def lengthened(plan: Plan, record: PairRecord) -> Plan:
    """`plan` for the pairs after `record`: with a longer warm-up where a fork was not steady at the end of this one."""
    limit = plan.warmup_s if plan.warmup_at_most_s is None else plan.warmup_at_most_s
    longer_s = min(_LENGTHENED * plan.warmup_s, limit)
    if longer_s <= plan.warmup_s or all(fork.unsettled is None for fork in record.forks.values()):
        return plan
    return replace(plan, warmup_s=longer_s, burst_s=plan.burst_s + longer_s - plan.warmup_s if plan.burst_s else 0.0)


def _fall(recent: Sequence[Warmth]) -> float | None:
    """By which fraction CPU per request fell over `recent`, by the slope of a robust line; None when unknown.

    Theil-Sen (Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63, 1968): a collection or a
    stolen slice in one of the seconds must not look like a trend.
    """
    from scipy.stats import theilslopes  # here: every command would wait for scipy.stats

    steps = [
        (now.time_s, (now.cpu_s - before.cpu_s) / (now.requests - before.requests))
        for before, now in pairwise(recent)
        if now.requests > before.requests and now.cpu_s > before.cpu_s
    ]
    if len(steps) < _FEWEST:
        return None
    times, costs = np.array(steps).T
    slope = float(theilslopes(np.log(costs), times).slope)
    return -math.expm1(slope * float(times[-1] - times[0]))


def _jit_share(recent: Sequence[Warmth]) -> float:
    """The median of the JIT's shares of all CPU time; 0 where the JVM does not tell."""
    shares = [
        (now.jit_s - before.jit_s) / (now.cpu_s - before.cpu_s + now.jit_s - before.jit_s)
        for before, now in pairwise(recent)
        if now.cpu_s > before.cpu_s and now.jit_s >= before.jit_s
    ]
    return float(np.median(shares)) if shares else 0.0
