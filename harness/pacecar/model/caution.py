"""What a reader should know before relying on a comparison, in a shape that can be ranked, grouped and worded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from string import Formatter
from typing import LiteralString, Self

from pacecar.model.experiment import Side


class CautionKind(IntEnum):
    """What a caution is about; what spoils a comparison most comes first."""

    NO_LATENCY = auto()
    FAILING_REQUESTS = auto()
    OVERLOAD = auto()
    STALLS_OF_ONE_BUILD = auto()
    ASKED_OF_ONE_SIDE = auto()
    UNDERUSED = auto()
    UNEVEN_PACE = auto()
    NO_PROFILE = auto()
    NO_SAMPLES = auto()
    CPU_OF_OTHERS = auto()
    CPU_OF_CONNECTED = auto()
    DEATH = auto()
    TAKEN_AWAY = auto()
    CLOCKS = auto()
    STALLS = auto()
    GENERATOR = auto()
    UNSTEADY = auto()
    BACKLOG = auto()
    SHORTFALL = auto()
    UNSEEN_SAMPLES = auto()
    NO_PAGE = auto()
    UNCOUNTED_THREADS = auto()
    ANOTHER_SPEED = auto()
    INCOMPLETE = auto()
    NOT_GUARANTEED = auto()
    COMPILERS = auto()
    NEW_CONTENTION = auto()
    TOO_MANY_ENDPOINTS = auto()
    NEEDLESS_ACCEPTANCE = auto()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """An amount within a statement: its value, by which several are ordered, and the text that shows it."""

    value: float
    shown: str

    def __str__(self) -> str:
        return self.shown

    @classmethod
    def percent(cls, share: float) -> Self:
        """A share of 1 as whole percent."""
        return cls(value=share, shown=f"{100 * share:.0f}%")


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A clause, without its full stop, whose figures are kept apart from its words.

    Several statements of the same words can so be told as one, each figure from its smallest to its largest.

    Attributes:
        words: what stands before, between and after the figures; one more than there are figures.
        figures: in their order.
    """

    words: tuple[str, ...]
    figures: tuple[Figure, ...] = ()

    def __post_init__(self) -> None:
        if len(self.words) != len(self.figures) + 1:
            raise ValueError(f"{len(self.words)} pieces of text cannot hold {len(self.figures)} figures.")

    def __str__(self) -> str:
        return self.shown(self.figures)

    def shown(self, figures: tuple[object, ...]) -> str:
        """The statement with `figures` in the places of its own."""
        first, *rest = self.words
        return first + "".join(f"{figure}{words}" for figure, words in zip(figures, rest, strict=True))

    @classmethod
    def of(cls, template: LiteralString, /, **values: object) -> Self:
        """`template` with `values` in the places of their names; a `Figure` stays one, another statement keeps its own.

        Args:
            template: our own words, never data.
            values: by name; what is neither is shown as `str` does.
        """
        words, figures = [""], list[Figure]()
        for literal, name, _, _ in Formatter().parse(template):
            words[-1] += literal
            value = "" if name is None else values[name]
            inner = _parts(value)
            words[-1] += inner.words[0]
            words += inner.words[1:]
            figures += inner.figures
        return cls(words=tuple(words), figures=tuple(figures))


def _parts(value: object) -> Statement:
    if isinstance(value, Statement):
        return value
    if isinstance(value, Figure):
        return Statement(words=("", ""), figures=(value,))
    return Statement(words=(str(value),))


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The one pair or fork that a caution is about.

    Attributes:
        unit: "pair" or "fork".
        number: its number in the run.
        left_out: it takes no part, for what the caution says.
        side: of a fork of a stored baseline, whose numbers are its own; None elsewhere.
    """

    unit: str
    number: int
    left_out: bool = False
    side: Side | None = None


@dataclass(frozen=True, kw_only=True)
class Caution:
    """One thing that a reader should know.

    Attributes:
        kind: what it is about, which ranks it.
        statement: what was found; a whole sentence where there is no subject.
        remedy: what to do about it, as a sentence; None where nothing helps, or nothing has to.
        about: the pair or fork it holds of; None where it holds of the whole comparison.
    """

    kind: CautionKind
    statement: Statement
    remedy: str | None = None
    about: Subject | None = None

    @classmethod
    def of(cls, kind: CautionKind, template: LiteralString, /, *, remedy: str | None = None, **values: object) -> Self:
        """A caution of the whole comparison, or of a subject that is yet to be named; see `Statement.of`."""
        return cls(kind=kind, statement=Statement.of(template, **values), remedy=remedy)
