"""What the profiles lack, in words: where nothing was sampled, nothing can be blamed."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.sampled import Forks
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.profiles import ProfileKind

#: Kinds that every service has some of under load; waits for locks it may have none.
_EXPECTED = (ProfileKind.CPU, ProfileKind.WALL, ProfileKind.ALLOCATION)
_SIDES = ("baseline", "candidate")
#: Share of CPU samples without a stack that is worth a word: a frame that costs a twentieth is worth one.
_UNSEEN = 0.05
#: Share of the CPU time that is worth one when only samples tell who used it.
_UNCOUNTED = 0.25


def profiled(fork: MeasuredFork, event: str) -> bool:
    """Whether `fork` tells what `event` cost it. No wait for a lock among other samples means that there was none."""
    events = fork.samples["event"]
    return not fork.requests.empty and bool((events == event).any() if event in _EXPECTED else len(events))


def gaps(forks: Forks) -> list[Caution]:
    """A caution for each kind of profile that one side alone lacks in all of its forks, or for having none at all, and
    one each for CPU samples that say nothing of what ran, and for threads too short-lived to be counted.
    """
    sides = [[fork for fork in side if fork is not None] for side in zip(*forks, strict=True)]
    has = {event: [any(profiled(fork, event) for fork in side) for side in sides] for event in _EXPECTED}
    if not any(any(found) for found in has.values()):
        return [
            Caution.of(
                CautionKind.NO_PROFILE,
                "Neither side has a profile, so no frame can be blamed",
                remedy="Check that target.env and the builds leave the profiling agent in place: pacecar doctor.",
            )
        ]
    lacking = [
        Caution.of(
            CautionKind.NO_SAMPLES,
            "The {side} has no {kind} samples, so no frame can be blamed for a change in them",
            side=side,
            kind=event.label,
            remedy="Check what the service printed about the profiling agent.",
        )
        for event, found in has.items()
        if any(found)
        for side, there in zip(_SIDES, found, strict=True)
        if not there
    ]
    return [*lacking, *_unseen(*map(_without_stack, sides)), *_uncounted(*map(_of_changing_threads, sides))]


def _unseen(baseline: float, candidate: float) -> list[Caution]:
    if max(baseline, candidate) < _UNSEEN:
        return []
    return [
        Caution.of(
            CautionKind.UNSEEN_SAMPLES,
            "The profiler could not see what ran in {baseline} of the baseline's CPU samples and {candidate} of the "
            "candidate's; frames may cost more than their samples say",
            baseline=f"{baseline:.0%}",
            candidate=f"{candidate:.0%}",
            remedy="Treat small changes of frames with caution.",
        )
    ]


def _uncounted(baseline: float, candidate: float) -> list[Caution]:
    if max(baseline, candidate) < _UNCOUNTED:
        return []
    return [
        Caution.of(
            CautionKind.UNCOUNTED_THREADS,
            "Threads that began or ended within a window used {baseline} of the baseline's CPU time and {candidate} of "
            "the candidate's; only samples tell which pools used it",
            baseline=f"{baseline:.0%}",
            candidate=f"{candidate:.0%}",
            remedy="Treat small changes of frames on short-lived threads with caution.",
        )
    ]


def _of_changing_threads(side: Sequence[MeasuredFork]) -> float:
    """The share of CPU time that no thread used which lived at both edges of a window, over all forks of a side."""
    process = counted = 0.0
    for fork in side:
        pools, used = fork.inside("pool_cpu"), fork.growth("cpu_ns")
        known = used.index.intersection(pd.Index(pools["window"].unique()))
        process += float(used[known].sum())
        counted += float(pools.loc[pools["window"].isin(known), "cpu_ns"].sum())
    return max(0.0, 1 - counted / process) if process else 0.0


def _without_stack(side: Sequence[MeasuredFork]) -> float:
    """The share of CPU samples that failed, over all forks of a side."""
    qualities = [fork.data.record.profile for fork in side]
    samples = sum(quality.samples for quality in qualities if quality)
    return sum(quality.failed_stacks for quality in qualities if quality) / samples if samples else 0.0
