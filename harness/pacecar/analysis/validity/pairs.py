"""Which pairs take part. Every rule here is blind to the outcome: it never looks at what is compared.

A pair is voided for causes outside the builds: the load generator, other tenants of the machine, a fork that never
came up. That a build cannot keep up with the load is not such a cause but a result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.validity.stalls import Stalls, with_one_build, without_stalls
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Largest tolerated gap between requests recorded and arrivals planned, as a fraction.
SHORTFALL = 0.10
#: Largest tolerated 99th percentile of the generator's own delay, in rounds that take part (`stalls`).
LAG_MS = 50.0
#: How far from its window's edge a counter may be read, outside and inside the window.
COUNTERS_OUTSIDE_S = 2.0
COUNTERS_INSIDE_S = 0.05
#: Largest tolerated share of CPU time that the hypervisor gave to others.
STEAL = 0.10
#: Largest tolerated share of the machine's CPU time that neither the service nor the load generator used.
FOREIGN = 0.20
#: Share of the other side's windows that a service may work for without a word: it still collects and compiles.
BACKLOG = 0.10
#: Largest tolerated share of its cores that the load generator used, and of the time that its collections took.
GENERATOR_CPU = 0.90
GENERATOR_PAUSES = 0.05
#: Share of its cores above which latencies of the baseline are mostly waiting: with random arrivals a request waits for
#: busy / (1 - busy) times what it takes (Kleinrock, Queueing Systems I, 1975, section 3.2).
BUSY = 0.70


@dataclass(frozen=True, kw_only=True)
class Sifted:
    """Pairs that take part, without rounds that do not; pair number -> why another does not; remarks on those that do.

    `unit` is the word for them: "pair", or "fork" where one side alone was asked for.
    """

    taking_part: tuple[Pair, ...]
    voided: dict[int, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    unit: str = "pair"


def sift(pairs: Sequence[Pair], *, sides: Sequence[Side] = tuple(Side)) -> Sifted:
    """Separate the pairs that can be trusted from those that cannot; `sides` must be present in each."""
    taking_part: list[Pair] = []
    voided: dict[int, str] = {}
    remarks: list[str] = []
    stalls: list[Stalls] = []
    unit = "pair" if len(sides) > 1 else "fork"
    for pair in pairs:
        if reason := _incomplete(pair, sides):
            voided[pair.record.number] = reason
            continue
        forks = {side: MeasuredFork.of(pair, side) for side in sides}
        steady, left_out = without_stalls(pair, sides)
        if reason := _late(steady, sides) or _disturbed(forks) or _generator_busy(pair, forks):
            voided[pair.record.number] = reason
        else:
            taking_part.append(steady)
            stalls.append(left_out)
            found = [*_fell_short(forks), *_unsettled(forks), *_backlogs(forks), *filter(None, [left_out.remark])]
            remarks += [f"{unit.capitalize()} {pair.record.number}: {remark}." for remark in found]
    of_all = [*(_overloaded(taking_part) if Side.BASELINE in sides else []), *filter(None, [with_one_build(stalls)])]
    return Sifted(taking_part=tuple(taking_part), voided=voided, remarks=(*of_all, *remarks), unit=unit)


def busy(pairs: Sequence[Pair]) -> float:
    """The share of its cores that the baseline used in its windows, median over pairs; NaN where that is not known."""
    shares = [MeasuredFork.of(pair, Side.BASELINE).busy for pair in pairs]
    known = [share for share in shares if not math.isnan(share)]
    return float(np.median(known)) if known else math.nan


def _overloaded(pairs: Sequence[Pair]) -> list[str]:
    """That the load leaves the baseline no room; what it does to the candidate alone is a result."""
    share = busy(pairs)
    if not share > BUSY:
        return []
    return [
        f"The baseline kept its cores busy for {100 * share:.0f}% of its windows: its latency is mostly waiting, which "
        "scatters from pair to pair by more than builds differ. Lower the rate or the users, warm up longer, add cores."
    ]


def _incomplete(pair: Pair, sides: Sequence[Side]) -> str | None:
    for side in sides:
        if side not in pair.forks:
            return f"the {side} was not measured"
        if (died := pair.forks[side].record.died) is not None:
            return f"the {side} died: {died}"
        if not any(window.side is side for window in pair.record.windows):
            return f"no window of the {side} was measured"
        if MeasuredFork.of(pair, side).requests.empty:  # a request that fails is recorded too
            return f"no request to the {side} was recorded"
    return None


def _late(pair: Pair, sides: Sequence[Side]) -> str | None:
    for side in sides:
        if (lag := _lag_ms(MeasuredFork.of(pair, side))) > LAG_MS:
            return f"the load generator was late on the {side}: 99th percentile {lag:.0f} ms, tolerated {LAG_MS:.0f} ms"
    return None


def _disturbed(forks: Mapping[Side, MeasuredFork]) -> str | None:
    for side, fork in forks.items():
        if late := _late_counters(fork):
            return f"the counters of the {side} were read {late:.1f} s away from the edge of a window"
        if (steal := _steal(fork)) > STEAL:
            return f"other tenants took {100 * steal:.0f}% of the CPU during windows of the {side}"
        others = [other for name, other in forks.items() if name is not side]
        if (foreign := _foreign(fork, others)) > FOREIGN:
            return f"other processes took {100 * foreign:.0f}% of the CPU during windows of the {side}"
    # Both sides short of requests: the generator did not deliver. One side alone: that build did not keep up.
    if len(forks) > 1 and len(_fell_short(forks)) == len(forks):
        return "the load generator did not deliver the load: " + ", ".join(_fell_short(forks))
    return None


def _generator_busy(pair: Pair, forks: Mapping[Side, MeasuredFork]) -> str | None:
    cores = len(pair.record.generator_cpus)
    for side, fork in forks.items():
        if fork.inside("arrivals").empty:  # see `_foreign`; such windows also hold the generator's start
            continue
        seconds = sum(window.seconds for window in fork.windows)
        used = float(fork.growth("generator_cpu_ns").sum()) / 1e9
        if cores and used > GENERATOR_CPU * cores * seconds:
            return f"the load generator was busy for {100 * used / seconds / cores:.0f}% of the windows of the {side}"
        if (paused := fork.pause_ms("generator") / 1e3) > GENERATOR_PAUSES * seconds:
            return (
                f"the load generator collected garbage for {100 * paused / seconds:.0f}% of the windows of the {side}"
            )
    return None


def _unsettled(forks: Mapping[Side, MeasuredFork]) -> list[str]:
    return [
        f"the {side} was not steady yet when it was measured: {fork.data.record.unsettled}"
        for side, fork in forks.items()
        if fork.data.record.unsettled is not None
    ]


def _backlogs(forks: Mapping[Side, MeasuredFork]) -> list[str]:
    found = []
    for side, fork in forks.items():
        used_s, lasted_s = fork.aside_s
        if used_s > BACKLOG * lasted_s:
            found.append(
                f"the {side} worked for {100 * used_s / lasted_s:.0f}% of the time of the other side's windows, which "
                "it slowed: it did not keep up with the load, or has work of its own"
            )
    return found


def _fell_short(forks: Mapping[Side, MeasuredFork]) -> list[str]:
    found = []
    for side, fork in forks.items():
        offered, recorded = len(fork.inside("arrivals")), len(fork.requests)
        if offered and abs(recorded - offered) > SHORTFALL * offered:
            found.append(f"{recorded:,} requests were recorded of {offered:,} arrivals planned for the {side}")
    return found


def _lag_ms(fork: MeasuredFork) -> float:
    lags = fork.inside("arrivals")["lag_ms"].dropna().to_numpy(dtype="float64")
    return float(np.quantile(lags, 0.99)) if len(lags) else 0.0


def _late_counters(fork: MeasuredFork) -> float:
    """Seconds by which the worst reading missed its window's edge; 0 when all are near enough.

    A machine too busy for the harness to be on time would charge one window with another's work.
    """
    rows = fork.inside("counters")
    edges: dict[str, dict[int, int]] = {"start": {}, "end": {}}
    for window in fork.windows:
        edges["start"][window.index], edges["end"][window.index] = window.start_ns, window.end_ns
    worst = 0.0
    for edge, outwards in (("start", -1), ("end", 1)):
        at_edge = rows[rows["edge"] == edge]
        outside_s = outwards * (at_edge["time_ns"] - at_edge["window"].map(edges[edge])) / 1e9
        late = outside_s[~outside_s.between(-COUNTERS_INSIDE_S, COUNTERS_OUTSIDE_S)].abs()
        worst = max(worst, float(late.max()) if len(late) else 0.0)
    return worst


def _steal(fork: MeasuredFork) -> float:
    spent = _machine_time(fork)
    total = sum(spent.values())
    return spent["steal_s"] / total if total > 0 else 0.0


def _foreign(fork: MeasuredFork, others: Sequence[MeasuredFork]) -> float:
    """Share of the machine's CPU time that went to neither the service under load, nor what works for it, nor the
    generator, nor to `others`, the services that are not under load.

    0 where that is not known: windows of a simulation without the kit hold whole processes of the generator, whose CPU
    time nobody can read once they have ended.
    """
    if fork.inside("arrivals").empty:
        return 0.0
    spent = _machine_time(fork)
    total = sum(spent.values())
    beside = fork.growth("beside_cpu_ns", table="containers").sum()
    ours = float(fork.growth("cpu_ns").sum() + fork.growth("generator_cpu_ns").sum() + beside) / 1e9
    ours += sum(other.aside_s[0] for other in others)
    return (spent["user_s"] + spent["system_s"] - ours) / total if total > 0 and ours > 0 else 0.0


def _machine_time(fork: MeasuredFork) -> dict[str, float]:
    """Seconds inside windows, over all cores, by what they were spent on."""
    return {
        column: float(fork.growth(column, table="host").sum())
        for column in ("user_s", "system_s", "idle_s", "iowait_s", "steal_s")
    }
