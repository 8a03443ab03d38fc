"""How the machine is divided."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.deploy.cores import Cores, siblings, split_cores


def alone(core: int) -> frozenset[int]:
    return frozenset({core})


def threads_of_two(core: int) -> frozenset[int]:
    return frozenset({core & ~1, core | 1})


def halves_of_eight(core: int) -> frozenset[int]:
    return frozenset({core % 4, core % 4 + 4})


@pytest.mark.parametrize(
    ("available", "target", "generator"),
    [
        ({0, 1}, (0,), (1,)),
        ({2, 5}, (2,), (5,)),
        ({0, 1, 2, 3}, (0, 1, 2), (3,)),
        (set(range(8)), tuple(range(6)), (6, 7)),
        (set(range(16)), tuple(range(12)), (12, 13, 14, 15)),
    ],
)
def test_the_generator_gets_a_quarter_and_at_least_one(
    available: set[int], target: tuple[int, ...], generator: tuple[int, ...]
) -> None:
    assert split_cores(available, siblings_of=alone) == Cores(target=target, generator=generator)


def test_threads_of_a_physical_core_stay_together() -> None:
    assert split_cores({0, 1, 2, 3}, siblings_of=threads_of_two) == Cores(target=(0, 1), generator=(2, 3))
    assert split_cores(range(8), siblings_of=halves_of_eight) == Cores(target=(0, 1, 2, 4, 5, 6), generator=(3, 7))


def test_the_threads_of_a_single_physical_core_are_divided() -> None:
    assert split_cores({0, 1}, siblings_of=threads_of_two) == Cores(target=(0,), generator=(1,))


@pytest.mark.parametrize("available", [set(), {0}, {7}])
def test_one_core_is_not_divided(available: set[int]) -> None:
    assert split_cores(available, siblings_of=alone) == Cores()


def test_nothing_is_pinned_unless_wanted() -> None:
    assert split_cores(range(8), wanted=False) == Cores()


@given(st.sets(st.integers(0, 7), min_size=2), st.sampled_from([alone, threads_of_two, halves_of_eight]))
def test_every_core_has_one_use(available: set[int], siblings_of: Callable[[int], frozenset[int]]) -> None:
    cores = split_cores(available, siblings_of=siblings_of)
    assert sorted(cores.target + cores.generator) == sorted(available)
    assert cores.target
    assert cores.generator


def test_on_this_machine() -> None:
    own = os.sched_getaffinity(0)
    cores = split_cores()
    assert set(cores.target + cores.generator) == (own if len(own) > 1 else set())
    assert all(core in siblings(core) for core in own)
    assert siblings(10_000) == {10_000}
