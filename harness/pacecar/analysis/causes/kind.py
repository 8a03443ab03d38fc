"""What every kind of cause is given, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.dispersion import Scatter
from pacecar.model.causes import Fact, Scope
from pacecar.model.comparison import Judgement


class Layer(IntEnum):
    """Where in a service something happens; what is lower can move what is higher, never the other way."""

    #: What it has gathered since it started, through which every look at it has to go.
    GATHERED = 0
    #: What is asked of it: work, calls, allocation, a setting.
    DEMAND = 1
    #: What it has: heap, threads, connections.
    SUPPLY = 2
    #: What gets into each other's way.
    CONTENTION = 3
    #: What stands behind threads to which any of these happens.
    BEHIND = 4
    #: What is seen of it.
    SYMPTOM = 5


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One explanation of a judged change. The engine works out what share of it that is, and how sure.

    Attributes:
        statement: one sentence for people.
        scope: where it holds.
        facts: what it rests on, the deciding one first; each has moved beyond chance.
        each: (pairs,) what it claims in each pair, in the unit of `of`; None where it is in no metric's unit.
        of: the metric whose change it is a part of; None for the judged one.
        whole: (pairs,) the change that it is a part of, where that is no metric's.
        scatter: of one pair's claim; None where it was not sampled.
        proved: it passed the test that rules other kinds out.
        most: the largest share that it can be in earnest; what claims more is something else.
        alone: it explains something by itself. What does not, such as a setting, is told only as the root of what
            follows from it.
        layer: where this one happens, where that is not where its kind does.
        moves: what this one moves, where that is not what its kind does.
        follows_from: what moves this one beside what moves its kind.
        of_any_pool: threads of every pool stand behind it, not only those of the pool that is to blame for it.
    """

    statement: str
    scope: Scope
    facts: tuple[Fact, ...]
    each: Numbers | None = None
    of: str | None = None
    whole: Numbers | None = None
    scatter: Scatter | None = None
    proved: bool = True
    most: float = float("inf")
    alone: bool = True
    layer: Layer | None = None
    moves: frozenset[str] | None = None
    follows_from: frozenset[str] = frozenset()
    of_any_pool: bool = False


@dataclass(frozen=True, kw_only=True)
class CauseKind:
    """A kind of cause; a module in `kinds` holds one as `KIND`. It does no statistics and knows no other kind.

    Attributes:
        name: as documents call it, such as `hot-frame`; no two kinds share one.
        title: as people read it, in a word or two.
        layer: where in a service it happens.
        explains: whether it may explain such a judgement at all.
        needs: what must have been recorded, all of it.
        claims: what it claims of a judgement that it explains; nothing where it has nothing to say.
        moves: what it moves beside the metric, in words that kinds share, such as `allocation`.
        follows_from: what moves it, in the same words.
        on_top: the time that it claims is none in which a request is served, by this service or another: what it
            follows from has taken its own beside it.
        needs_for: what must have been recorded beside that to explain such a judgement.
    """

    name: str
    title: str
    layer: Layer
    explains: Callable[[Judgement], bool]
    needs: tuple[Family, ...]
    claims: Callable[[Judgement, Quantities], Iterable[Claim]]
    moves: frozenset[str] = frozenset()
    follows_from: frozenset[str] = frozenset()
    on_top: bool = False
    needs_for: Callable[[Judgement], tuple[Family, ...]] = lambda _: ()
