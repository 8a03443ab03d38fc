"""What every kind of cause is given, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.comparison import Amount, CauseScope, Judgement
from pacecar.model.frames import FrameChange


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was recorded beside the metrics.

    Attributes:
        baseline: the baseline's forks that take part.
        candidate: the candidate's.
        blamed: the application's frames that are to blame by all pairs together, of each kind of profile the largest
            change first. Of forks that were not measured side by side none is to blame.
    """

    baseline: Sequence[MeasuredFork]
    candidate: Sequence[MeasuredFork]
    blamed: Sequence[FrameChange]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One explanation of a judged change.

    Attributes:
        statement: one sentence for people.
        scope: where it holds.
        amounts: what it rests on, the deciding one first.
        weight: how much of the change it explains, at least zero; of one judgement, kinds weigh in one unit.
    """

    statement: str
    scope: CauseScope
    amounts: tuple[Amount, ...]
    weight: float


@dataclass(frozen=True, kw_only=True)
class CauseKind:
    """A kind of cause; a module in `kinds` holds one as `KIND`.

    Attributes:
        name: as documents call it, such as `hot-frame`; no two kinds share one.
        title: as people read it, in a word or two.
        claims: what it claims of a judgement that regressed or improved and has an estimate; nothing where it has
            nothing to say.
    """

    name: str
    title: str
    claims: Callable[[Judgement, Evidence], Iterable[Claim]]
