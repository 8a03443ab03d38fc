"""Whether the CPU time of JIT compilers can be told from the service's own, in every fork that is compared.

Per fork it could not be decided: one side would have its compilers counted, and be slower for that alone. Recordings
of earlier versions know only the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pacecar.model.caution import Caution, CautionKind
from pacecar.model.recording import ForkData, Pair


def knows_compilers(fork: ForkData) -> bool:
    """Whether the compilers' CPU time was read in this fork."""
    return bool(fork.tables["counters"]["jit_cpu_ns"].notna().any())


def told_apart(*runs: Iterable[Pair]) -> bool:
    """Whether it was read in every fork of these runs."""
    return all(_known(*runs))


def remarks(*runs: Sequence[Pair]) -> list[Caution]:
    """What a reader should know where it was read in some of the forks only."""
    known = _known(*runs)
    if all(known) or not any(known):
        return []
    return [
        Caution.of(
            CautionKind.COMPILERS,
            "In {lacking} of {forks} forks the JIT compilers' CPU time was not read, so CPU per request includes the "
            "compilers on both sides",
            lacking=len(known) - sum(known),
            forks=len(known),
            remedy="Measure both builds with this version.",
        )
    ]


def _known(*runs: Iterable[Pair]) -> list[bool]:
    return [knows_compilers(fork) for pairs in runs for pair in pairs for fork in pair.forks.values()]
