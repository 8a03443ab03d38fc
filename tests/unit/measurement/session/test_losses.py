"""When a run gives up on pairs that lose their injectors or forks."""

from __future__ import annotations

import pytest

from pacecar.measurement.session.losses import LossError, require_unbroken
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkRecord, InjectorRecord, Pair, PairRecord


def _pair(number: int, *, lost: bool) -> Pair:
    how = f"Injector 2 of 2 was killed by SIGKILL in pair {number}." if lost else None
    injectors = (InjectorRecord(number=0), InjectorRecord(number=1, lost=how))
    record = PairRecord(number=number, first=Side.BASELINE, windows=(), forks={}, injectors=injectors)
    return Pair(record=record, forks={})


@pytest.mark.parametrize("lost", [(True, True), (True, True, False), (True, False, True, True), ()])
def test_a_run_goes_on_while_pairs_come_through(lost: tuple[bool, ...]) -> None:
    require_unbroken([_pair(number, lost=each) for number, each in enumerate(lost, start=1)])


def test_three_in_a_row_end_it() -> None:
    pairs = [_pair(number, lost=number > 1) for number in range(1, 5)]
    with pytest.raises(LossError, match=r"3 pairs in a row were lost; in the last one: .* in pair 4"):
        require_unbroken(pairs)


def test_a_fork_that_is_taken_away_counts_as_well() -> None:
    def taken(number: int) -> Pair:
        fork = ForkRecord(side=Side.CANDIDATE, command=(), lost=f"Its node was drained in pair {number}.")
        record = PairRecord(number=number, first=Side.BASELINE, windows=(), forks={Side.CANDIDATE: fork})
        return Pair(record=record, forks={})

    with pytest.raises(LossError, match="drained in pair 3"):
        require_unbroken([_pair(1, lost=True), taken(2), taken(3)])
