"""Amounts of one quantity by key in every pair, what of them moved beyond chance, and why a quantity is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.dispersion import Differences, Scatter, tested
from pacecar.analysis.stats.effect import CONFIDENCE
from pacecar.analysis.stats.multiplicity import benjamini_hochberg
from pacecar.analysis.stats.pairs import RESOLUTION, paired_effect
from pacecar.model.causes import Fact, Scope
from pacecar.text.units import Unit

#: Expected share of false ones among the keys of a family that are said to have moved; where nothing changed, this is
#: the chance that any is.
FALSE_DISCOVERIES = 0.005


@dataclass(frozen=True, kw_only=True)
class Lacking:
    """Why a quantity is not known, as the end of a sentence."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A key that moved.

    Attributes:
        fact: what it was on both sides, with the place where.
        each: (pairs,) by how much in each pair, in the fact's unit; NaN in pairs that do not tell.
        scatter: of one pair's difference; None where nothing was sampled.
    """

    fact: Fact
    each: Numbers
    scatter: Scatter | None = None

    @property
    def scope(self) -> Scope:
        """Where."""
        return self.fact.scope

    @property
    def agreeing(self) -> int:
        """Pairs in which it moved the way it did on average."""
        return int(np.count_nonzero(self.each * self.fact.change > 0))

    def per_request_to(self, endpoint: str) -> Moved:
        """With a fact in what `each` counts, where those are requests to `endpoint`, and the fact is of any request."""
        known = self.each[np.isfinite(self.each)]
        factor = float(known.mean()) / self.fact.change if known.size and self.fact.change else 0.0
        return replace(self, fact=self.fact.scaled(factor, endpoint)) if factor > 0 else self


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One quantity, by key.

    Attributes:
        name: what it is, such as `Threads`.
        unit: of all amounts.
        keys: where each was measured.
        baseline: (pairs, keys) amounts; 0 where a fork has no such key.
        candidate: (pairs, keys) likewise.
        poisson: (keys,) variance of one pair's difference by counting samples alone; None where nothing was sampled.
        kin: the frames of the samples that were added up; None where nothing was.
    """

    name: str
    unit: Unit
    keys: tuple[Scope, ...]
    baseline: Numbers
    candidate: Numbers
    poisson: Numbers | None = None
    kin: Differences | None = None

    @cached_property
    def moved(self) -> tuple[Moved, ...]:
        """What moved beyond chance, largest first; nothing of a single pair, of which nobody knows."""
        if len(self.baseline) < 2 or not self.keys:
            return ()
        facts, p_values = self._tested()
        found = [
            Moved(fact=fact, each=each, scatter=scatter)
            for fact, each, p, scatter in zip(
                facts, self._each.T, self._corrected(p_values), self._scatters, strict=True
            )
            if p < FALSE_DISCOVERIES
        ]
        return tuple(sorted(found, key=lambda each: abs(each.fact.change), reverse=True))

    def _corrected(self, p_values: Sequence[float]) -> list[float]:
        """The same, corrected for the number of keys that differ in any pair.

        One that differs in none can never be rejected, so it takes nothing from the others: Gilbert, "A modified false
        discovery rate multiple-comparisons procedure for discrete data", J. of the Royal Statistical Society C 54,
        2005.
        """
        differs = np.flatnonzero(np.nan_to_num(self._each).any(axis=0))
        corrected = np.ones(len(self.keys))
        corrected[differs] = benjamini_hochberg(np.asarray(p_values)[differs].tolist())
        return corrected.tolist()

    @property
    def _each(self) -> Numbers:
        return self.candidate - self.baseline

    @property
    def _level(self) -> Numbers:
        found: Numbers = (self.baseline + self.candidate).mean(axis=0) / 2
        return found

    @property
    def _scatters(self) -> list[Scatter | None]:
        if self.poisson is None:
            return [None] * len(self.keys)
        counted, level = self.poisson.tolist(), self._level.tolist()
        return [Scatter.of(variance, level=cost) for variance, cost in zip(counted, level, strict=True)]

    def _tested(self) -> tuple[list[Fact], list[float]]:
        before, after = self.baseline.mean(axis=0), self.candidate.mean(axis=0)
        low, high, p_values = self._plain() if self.poisson is None else self._sampled(self.poisson)
        exact = (self._each == self._each[0]).all(axis=0) & (self.poisson is None)
        facts = [
            Fact(
                quantity=self.name,
                unit=self.unit,
                scope=scope,
                baseline=float(before[key]),
                candidate=float(after[key]),
                change=float(after[key] - before[key]),
                low=low[key],
                high=high[key],
                pairs=len(self.baseline),
                exact=bool(exact[key]),
            )
            for key, scope in enumerate(self.keys)
        ]
        return facts, p_values

    def _sampled(self, poisson: Numbers) -> tuple[list[float], list[float], list[float]]:
        differences = Differences(each=self._each, level=self._level, poisson=poisson, kin=self.kin)
        found = tested(differences, whole=float((self.kin or differences).level.sum()))
        low, high = found.interval(CONFIDENCE)
        return low.tolist(), high.tolist(), found.p_values.tolist()

    def _plain(self) -> tuple[list[float], list[float], list[float]]:
        level = np.maximum(np.abs(self.baseline), np.abs(self.candidate)).max(axis=0)
        floors = np.where(level > 0, RESOLUTION * level, 1.0)
        effects = [
            paired_effect(each.tolist(), resolution=float(floor))
            for each, floor in zip(self._each.T, floors, strict=True)
        ]
        ends = [effect.interval(CONFIDENCE) for effect in effects]
        p_values = [effect.p_value() for effect in effects]
        for key in np.flatnonzero(self._as_ratios):
            ratios = np.log(self.candidate[:, key] / self.baseline[:, key])
            p_values[key] = paired_effect(ratios.tolist()).p_value()
        return [low for low, _ in ends], [high for _, high in ends], p_values

    @property
    def _as_ratios(self) -> npt.NDArray[np.bool_]:
        """(keys,) times that every fork has some of: they scatter in proportion to what they are, as latencies do."""
        if self.unit != "ms":
            return np.zeros(len(self.keys), dtype=np.bool_)
        return np.asarray((np.minimum(self.baseline, self.candidate) > 0).all(axis=0), dtype=np.bool_)


def scaled(moved: Moved, factors: Numbers) -> Moved:
    """The same per something else: `factors`, (pairs,), of it in each pair."""
    scatter = None if moved.scatter is None else moved.scatter.scaled(float(factors.mean()))
    return replace(moved, each=moved.each * factors, scatter=scatter)
