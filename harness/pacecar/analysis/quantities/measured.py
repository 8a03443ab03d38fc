"""All that was recorded of pairs beside the metrics; each family is read once, when a kind of cause asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pacecar.analysis.metrics.counted import COUNTED
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import READERS
from pacecar.analysis.metrics.reading import ALL, Value
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.quantity import Lacking, Moved, Quantity
from pacecar.analysis.stats.arrays import Numbers
from pacecar.model.catalogue import METRICS
from pacecar.model.causes import Scope
from pacecar.model.comparison import Scale
from pacecar.model.frames import FrameChange
from pacecar.model.tiers import Tier
from pacecar.text.units import Unit


@dataclass(frozen=True, kw_only=True)
class Quantities:
    """What kinds of causes may ask.

    Attributes:
        pairs: (baseline, candidate) of each; none where forks were not measured side by side.
        frames: as `profiles.changes` gives them.
        sampled: the samples of the same pairs; None where there are none.
        tier: what was measured: the quick tier profiles none of the pairs that it counts.
    """

    pairs: Sequence[tuple[MeasuredFork, MeasuredFork]]
    frames: Sequence[FrameChange] = ()
    sampled: Sampled | None = None
    tier: Tier = Tier.FULL
    _read: dict[str, Quantity | Lacking] = field(default_factory=dict)

    @cached_property
    def labelled(self) -> frozenset[str]:
        """The endpoints that samples name; empty where they carry no labels."""
        if self.sampled is None:
            return frozenset()
        served = {self.sampled.names[number] for number in self.sampled.rows["endpoint"].unique().tolist()}
        # What names none has the name of all of them.
        return frozenset((served & {name for pair in self.pairs for fork in pair for name in fork.outcomes}) - {ALL})

    def of(self, family: Family) -> Quantity | Lacking:
        """What was recorded of a family."""
        if family.name not in self._read:
            self._read[family.name] = family.read(self)
        return self._read[family.name]

    def moved(self, family: Family) -> tuple[Moved, ...]:
        """What of a family moved beyond chance, largest first; nothing where it is missing."""
        found = self.of(family)
        return found.moved if isinstance(found, Quantity) else ()

    def lacks(self, family: Family) -> str | None:
        """Why a family is missing, as the end of a sentence; None where it is there."""
        found = self.of(family)
        return found.reason if isinstance(found, Lacking) else None

    def change(self, metric: str, endpoint: str) -> Numbers:
        """(pairs,) by how much a metric of the catalogue changed, in its unit; NaN where a fork does not tell."""
        before, after = self._measured(metric, endpoint)
        found: Numbers = after - before
        return found

    def level(self, metric: str) -> Numbers:
        """(pairs,) a metric of the whole service on the baseline, in its unit; NaN where a fork does not tell."""
        before, _ = self._measured(metric, ALL)
        found: Numbers = before
        return found

    def assumed_variance(self, metric: str, endpoint: str) -> float:
        """Of one pair's change of such a metric, in its unit, as the catalogue assumes it; 0 where it assumes none."""
        kind, measured = METRICS.get(metric), self._measured(metric, endpoint)
        known = measured[np.isfinite(measured)]
        if kind is None or kind.scatter is None or kind.scale is not Scale.RATIO or not len(known):
            return 0.0
        return float((kind.scatter * known.mean()) ** 2)

    def requests(self, endpoint: str) -> tuple[Numbers, Numbers]:
        """(pairs,) each: requests to an endpoint on either side; `ALL` for all."""
        counts = [[fork.outcomes.get(endpoint, (0, 0))[1] for fork in pair] for pair in self.pairs]
        both = np.array(counts, dtype=float).reshape(len(self.pairs), 2)
        return both[:, 0], both[:, 1]

    def _measured(self, metric: str, endpoint: str) -> Numbers:
        """(2, pairs) of the baseline and of the candidate."""
        amounts = [[_amount(fork, metric, endpoint) for fork in pair] for pair in self.pairs]
        return np.array(amounts, dtype=float).reshape(len(self.pairs), 2).T


#: What one fork says: amounts by where they were measured.
OfFork = Callable[[MeasuredFork], Mapping[Scope, float] | Lacking]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Something that recordings may carry.

    Attributes:
        name: no two share one.
        read: what it was in all pairs, or why it is missing.
        switch_on: the key of the configuration that records it; None where there is none.
    """

    name: str
    read: Callable[[Quantities], Quantity | Lacking]
    switch_on: str | None = None


def family(name: str, quantity: str, unit: Unit, of_fork: OfFork, *, switch_on: str | None = None) -> Family:
    """A family that every fork tells of by itself; one that does not makes all of it missing."""

    def read(quantities: Quantities) -> Quantity | Lacking:
        sides: list[list[Mapping[Scope, float]]] = [[], []]
        for pair in quantities.pairs:
            for side, fork in zip(sides, pair, strict=True):
                found = of_fork(fork)
                if isinstance(found, Lacking):
                    return found
                side.append(found)
        keys = tuple(dict.fromkeys(key for side in sides for amounts in side for key in amounts))
        before, after = (
            np.array([[amounts.get(key, 0.0) for key in keys] for amounts in side]).reshape(len(side), len(keys))
            for side in sides
        )
        return Quantity(name=quantity, unit=unit, keys=keys, baseline=before, candidate=after)

    return Family(name=name, read=read, switch_on=switch_on)


def _amount(fork: MeasuredFork, metric: str, endpoint: str) -> float:
    counted = bool(fork.windows) and all(window.endpoint is not None for window in fork.windows)
    read = (COUNTED if counted else READERS).get(metric)
    found = read(fork, endpoint) if read is not None else None
    return found.amount if isinstance(found, Value) else np.nan
