"""Whether both sides fit onto a machine at once."""

from __future__ import annotations

from dataclasses import replace

from pacecar.deploy.room import why_not_both
from pacecar.experiment import Target

GIB = 1 << 30


def _with(target: Target, *command: str) -> Target:
    return replace(target, command=("{java}", *command), env={})


def test_two_small_heaps_fit(target: Target) -> None:
    assert why_not_both(_with(target, "-Xmx256m"), available=3 * GIB, total=8 * GIB) == ""


def test_two_large_heaps_do_not(target: Target) -> None:
    why = why_not_both(_with(target, "-Xmx2g"), available=5 * GIB, total=8 * GIB)
    assert why == "two of them may need 6 GB of memory, and 5.37 GB are free"


def test_the_last_largest_heap_counts(target: Target) -> None:
    assert why_not_both(_with(target, "-Xmx9g", "-Xmx100M"), available=3 * GIB, total=8 * GIB) == ""


def test_a_jvm_that_is_not_told_takes_a_quarter(target: Target) -> None:
    assert why_not_both(_with(target), available=5 * GIB, total=8 * GIB) != ""
    assert why_not_both(_with(target), available=6 * GIB, total=8 * GIB) == ""


def test_a_port_belongs_to_one_fork(target: Target) -> None:
    assert why_not_both(replace(target, port=8080)) == "the port 8080 is fixed, and only one fork can have it"
