"""Whether both sides fit onto a machine at once."""

from __future__ import annotations

from dataclasses import replace

from pacecar.measurement.deploy.room import why_not_both
from pacecar.model.experiment import Target

GIB = 1 << 30


def _why(target: Target, *options: str, available: int, total: int) -> str | None:
    return why_not_both(target, ("{java}", *options), available=available, total=total)


def test_two_small_heaps_fit(target: Target) -> None:
    assert _why(target, "-Xmx256m", available=3 * GIB, total=8 * GIB) is None


def test_two_large_heaps_do_not(target: Target) -> None:
    why = _why(target, "-Xmx2g", available=5 * GIB, total=8 * GIB)
    assert why == "two of them may need 6 GB of memory, and 5.37 GB are free"


def test_the_last_largest_heap_counts(target: Target) -> None:
    assert _why(target, "-Xmx9g", "-Xmx100M", available=3 * GIB, total=8 * GIB) is None


def test_a_jvm_that_is_not_told_takes_a_quarter(target: Target) -> None:
    assert _why(target, available=5 * GIB, total=8 * GIB) is not None
    assert _why(target, available=6 * GIB, total=8 * GIB) is None


def test_a_port_belongs_to_one_fork(target: Target) -> None:
    assert why_not_both(replace(target, port=8080), ()) == "the port 8080 is fixed, and only one fork can have it"


def test_a_heap_that_a_variable_names_counts(target: Target) -> None:
    told = replace(target, env={"JAVA_OPTS": "-Xmx100M"})
    assert _why(told, available=3 * GIB, total=64 * GIB) is None


def test_what_is_started_beside_each_counts_where_it_is_a_jvm(target: Target) -> None:
    def why(*beside: tuple[str, ...], available: int) -> str | None:
        return why_not_both(target, ("java", "-Xmx256m"), beside=beside, available=available, total=8 * GIB)

    assert why(("postgres", "{port}"), available=3 * GIB) is None
    assert why(("{java}", "-Xmx1g", "Store"), available=3 * GIB) is not None
    assert why(("{java}", "-Xmx128m", "Store"), available=3 * GIB) is None
    assert why(("{java}", "Store"), available=5 * GIB) is not None
