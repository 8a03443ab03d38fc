"""Who else used the machine while a fork was measured: other tenants, other processes, and what works for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import LiteralString

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.experiment import Side

#: Largest tolerated share of CPU time that the hypervisor gave to others.
STEAL = 0.10
#: Largest tolerated share of the machine's CPU time that neither the service nor the load generator used.
FOREIGN = 0.20
#: Share of the load generator's cores above which what was started for a service is what it waits for, see `room.BUSY`.
BUSY = 0.70
_REMEDY = "Stop whatever else runs on the machine, or use a quieter one."


def taken_by_others(fork: MeasuredFork, side: Side, *, others: Sequence[MeasuredFork]) -> Caution | None:
    """Why a fork cannot be trusted for what others took of the CPU; None where it was little.

    Args:
        fork: that was under load.
        side: its side.
        others: services of the same pair that were not under load in its windows.
    """
    if (steal := _steal(fork)) > STEAL:
        return _taken("other tenants used {share} of the CPU during windows of the {side}", steal, side)
    if (foreign := _foreign(fork, others)) > FOREIGN:
        return _taken("other processes used {share} of the CPU during windows of the {side}", foreign, side)
    return None


def taken_by_connected(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    """What a service is connected to and takes so much CPU time that it would be foreign if it were not."""
    found = []
    for side, fork in forks.items():
        total = sum(_machine_time(fork).values())
        taken = {name: used / total for name, used in fork.peers_s.items()} if total > 0 else {}
        if sum(taken.values()) > FOREIGN:
            found.append(
                Caution.of(
                    CautionKind.CPU_OF_CONNECTED,
                    "processes that the {side} is connected to used {share} of the CPU during its windows ({name} "
                    "most of it), which counts as its own work",
                    side=side,
                    share=Figure.percent(sum(taken.values())),
                    name=max(taken, key=lambda each: taken[each]),
                )
            )
    return found


def kept_busy(forks: Mapping[Side, MeasuredFork], *, cores: int) -> list[Caution]:
    """That what was started for a service had too little to run on: then its latency is mostly theirs.

    Args:
        forks: by side.
        cores: of the load generator, which are theirs as well; 0 where nobody was kept to any.
    """
    found = []
    for side, fork in forks.items():
        room_s = cores * sum(window.seconds for window in fork.windows)
        used = fork.dependencies_s
        if room_s and sum(used.values()) > BUSY * room_s:
            found.append(
                Caution.of(
                    CautionKind.CPU_OF_CONNECTED,
                    "dependencies of the {side} share the load generator's cores and kept them busy for {share} of "
                    "its windows ({name} most of it), so its latency is mostly waiting for them",
                    remedy="Lower the rate, or use a machine with more cores.",
                    side=side,
                    share=Figure.percent(sum(used.values()) / room_s),
                    name=max(used, key=lambda each: used[each]),
                )
            )
    return found


def _taken(template: LiteralString, share: float, side: Side) -> Caution:
    return Caution.of(CautionKind.CPU_OF_OTHERS, template, share=Figure.percent(share), side=side, remedy=_REMEDY)


def _steal(fork: MeasuredFork) -> float:
    spent = _machine_time(fork)
    total = sum(spent.values())
    return spent["steal_s"] / total if total > 0 else 0.0


def _foreign(fork: MeasuredFork, others: Sequence[MeasuredFork]) -> float:
    """Share of the machine's CPU time that went to neither the service under load, nor what works for it (the
    containers it depends on, the processes that were started for it or that it is connected to), nor the generator, nor
    to `others`, the services that are not under load, with what was started for them.

    0 where that is not known: windows of a simulation without the kit hold whole processes of the generator, whose CPU
    time nobody can read once they have ended.
    """
    if fork.inside("arrivals").empty:
        return 0.0
    spent = _machine_time(fork)
    total = sum(spent.values())
    beside = fork.growth("beside_cpu_ns", table="containers").sum()
    here = fork.data.record.node is None  # elsewhere the machine's time is not that of the generator's machine
    generator = fork.growth("generator_cpu_ns").sum() if here else 0.0
    ours = float(fork.growth("cpu_ns").sum() + generator + beside) / 1e9
    ours += sum(fork.peers_s.values()) + sum(fork.dependencies_s.values())
    ours += sum(other.aside_s[0] + other.dependencies_aside_s for other in others)
    return (spent["user_s"] + spent["system_s"] - ours) / total if total > 0 and ours > 0 else 0.0


def machine_busy(fork: MeasuredFork) -> float:
    """Share of the machine's CPU that was used inside windows, by whomever; NaN when unknown."""
    spent = _machine_time(fork)
    total = sum(spent.values())
    return 1 - (spent["idle_s"] + spent["iowait_s"]) / total if total > 0 else math.nan


def _machine_time(fork: MeasuredFork) -> dict[str, float]:
    """Seconds inside windows, over all cores, by what they were spent on."""
    return {
        column: float(fork.growth(column, table="host").sum())
        for column in ("user_s", "system_s", "idle_s", "iowait_s", "steal_s")
    }
