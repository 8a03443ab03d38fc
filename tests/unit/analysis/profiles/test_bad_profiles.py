"""Profiles that nobody would wish for: the comparison still comes to its end and says what is missing."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.profiles.flames import MOST_NODES
from pacecar.model.comparison import Comparison
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, ProfileQuality
from pacecar.model.tables import TABLES
from pacecar.reporting.document.warning_lines import warning_lines

PRICE = "java.lang.Thread.run\nshop.Orders.price"


def _compared(pairs: list[Pair]) -> Comparison:
    return compare_pairs(pairs, Criteria(application=("shop.",)))


def _told(comparison: Comparison, beginning: str) -> list[str]:
    return [line for line in warning_lines(comparison.cautions) if line.startswith(beginning)]


def test_neither_side_has_a_profile(make_pairs) -> None:
    comparison = _compared(make_pairs(3))
    assert _told(comparison, "Neither side has a profile, so no frame can be blamed. ")
    assert (comparison.frames, comparison.flames) == ((), ())


def test_one_side_has_no_profile(make_pairs, truth) -> None:
    comparison = _compared(make_pairs(3, candidate=truth(stacks_ms={PRICE: 1.0})))
    assert _told(comparison, "The baseline has no CPU samples, so no frame can be blamed for a change in them. ")
    assert comparison.frames == ()
    (flame,) = comparison.flames
    assert flame.nodes["baseline"].sum() == 0
    assert flame.nodes["candidate"].sum() > 0


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (60, "The profiler could not see what ran in 1% of the baseline's CPU samples and 6% of the candidate's; "),
        (40, ""),
    ],
)
def test_samples_that_say_nothing_of_what_ran(make_pairs, truth, failed: int, said: str) -> None:
    pairs = make_pairs(3, baseline=truth(stacks_ms={PRICE: 1.0}), candidate=truth(stacks_ms={PRICE: 1.0}))
    seen = {Side.BASELINE: 10, Side.CANDIDATE: failed}
    told = _told(_compared([_with_failed(pair, seen) for pair in pairs]), "The profiler could not see")
    assert [warning.startswith(said) for warning in told] == ([True] if said else [])


def _with_failed(pair: Pair, failed: dict[Side, int]) -> Pair:
    """With so many failed ones of 1,000 CPU samples."""
    forks = {}
    for side, fork in pair.forks.items():
        quality = ProfileQuality(
            chunks=1,
            unreadable=0,
            samples=1_000,
            failed_stacks=failed[side],
            truncated_stacks=0,
            sampled_cpu_s=1.0,
            accounted_cpu_s=1.0,
        )
        forks[side] = replace(fork, record=replace(fork.record, profile=quality))
    return replace(pair, forks=forks)


def test_waits_for_locks_on_one_side_only_are_a_change(make_pairs, truth) -> None:
    locked = "java.lang.Thread.run\nshop.Orders.hold"
    candidate = truth(stacks_ms={PRICE: 1.0}, locks_ms={locked: 2.0})
    comparison = _compared(make_pairs(4, baseline=truth(stacks_ms={PRICE: 1.0}), candidate=candidate))
    (hold,) = [frame for frame in comparison.frames if frame.event == "lock"]
    assert (hold.frame, hold.self_baseline, hold.blamed) == ("shop.Orders.hold", 0.0, True)


@pytest.mark.parametrize(
    "name", ["shop.Ünï.cödé", "shop.\U0001f980.run", "shop.\u202eevil.run", "shop.A" + "a" * 5_000 + ".run"]
)
def test_names_in_any_script(make_pairs, truth, name: str) -> None:
    stack = f"java.lang.Thread.run\n{name}"
    pairs = make_pairs(4, baseline=truth(stacks_ms={stack: 1.0}), candidate=truth(stacks_ms={stack: 3.0}))
    comparison = _compared(pairs)
    assert comparison.frames[0].frame == name
    assert name in comparison.flames[0].frames


def test_the_deepest_stack_the_profiler_records(make_pairs, truth) -> None:
    stack = "\n".join(f"shop.Deep.m{number}" for number in range(2_048))
    pairs = make_pairs(3, baseline=truth(stacks_ms={stack: 1.0}), candidate=truth(stacks_ms={stack: 3.0}))
    comparison = _compared(pairs)
    assert comparison.frames[0].frame == "shop.Deep.m2047"
    assert len(comparison.flames[0].nodes) == 1 + 2_048


def test_more_distinct_frames_than_a_flame_graph_shows(make_pairs, truth) -> None:
    stacks = {f"java.lang.Thread.run\nshop.Many.m{number}": 0.001 for number in range(MOST_NODES + 20_000)}
    comparison = _compared(make_pairs(2, baseline=truth(stacks_ms=stacks), candidate=truth(stacks_ms=stacks)))
    (flame,) = comparison.flames
    assert len(flame.nodes) == MOST_NODES
    assert flame.omitted > 20_000
    assert flame.nodes["baseline"].sum() > 120, "what is cut still counts for who called it"


@pytest.mark.parametrize(("counted", "told"), [(0.9, False), (0.6, True)])
def test_threads_that_came_or_went_used_much(make_pairs, truth, counted: float, told: bool) -> None:
    def with_pools(pair: Pair) -> Pair:
        forks = {}
        for side, fork in pair.forks.items():
            used = MeasuredFork.of(pair, side).growth("cpu_ns")
            pools = pd.DataFrame({"window": used.index, "pool": "exec", "cpu_ns": counted * used, "threads": 1})
            table = pools.assign(changed=0).astype(TABLES["pool_cpu"])
            forks[side] = replace(fork, tables={**fork.tables, "pool_cpu": table})
        return replace(pair, forks=forks)

    profiled = truth(stacks_ms={PRICE: 1.0})
    pairs = [with_pools(pair) for pair in make_pairs(3, baseline=profiled, candidate=profiled)]
    sentences = _told(_compared(pairs), "Threads that began or ended within a window used ")
    assert ["used 40% of the baseline's CPU time and 40% of the candidate's" in each for each in sentences] == [
        True
    ] * told
