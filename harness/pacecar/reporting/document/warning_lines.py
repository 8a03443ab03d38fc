"""The warnings of a document: few lines, what matters most first, each with what to do.

The judge tells of each pair by itself. A reader wants to know once that the forks of five pairs were never steady, and
what helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.model.caution import Caution, Figure, Subject
from pacecar.reporting.document.tidy import TEXT_LIMIT, clean_text

#: Lines that a reader is shown before anything is unfolded.
FIRST = 3


def warning_lines(cautions: Sequence[Caution]) -> tuple[str, ...]:
    """`cautions` as a reader gets them: the same of several pairs in one line, the gravest first, with a remedy."""
    groups: dict[Caution, list[Caution]] = {}
    for caution in cautions:
        groups.setdefault(_alike(caution), []).append(caution)
    return tuple(map(_line, sorted(groups.values(), key=lambda group: group[0].kind)))


def _alike(caution: Caution) -> Caution:
    """What cautions have in common that differ in their pair and their figures alone."""
    if caution.about is None:
        return caution
    blank = tuple(Figure(value=0, shown="") for _ in caution.statement.figures)
    statement = replace(caution.statement, figures=blank)
    return replace(caution, statement=statement, about=replace(caution.about, number=0))


def _line(group: Sequence[Caution]) -> str:
    """One line for cautions of one kind: `Pairs 2, 4 and 5: it still fell by 18% to 26% in 10 s. Warm up longer.`"""
    subjects = [caution.about for caution in group if caution.about is not None]
    text = _ranging(group).rstrip(".")
    text = f"{_of_whom(subjects)}: {text}" if subjects else text
    remedy = group[0].remedy
    if remedy is None:
        return f"{text}."
    cut = clean_text(text, limit=TEXT_LIMIT - len(remedy) - 2)
    return f"{cut}{'' if cut.endswith('…') else '.'} {remedy}"


def _of_whom(subjects: Sequence[Subject]) -> str:
    first = subjects[0]
    numbers = sorted({subject.number for subject in subjects})
    several = len(numbers) > 1
    side = f" of the {first.side}" if first.side else ""
    left_out = f" {'were' if several else 'was'} left out" if first.left_out else ""
    return f"{first.unit.capitalize()}{'s' if several else ''} {_listed(numbers)}{side}{left_out}"


def _ranging(group: Sequence[Caution]) -> str:
    """Statements of the same words as one, each figure from its smallest to its largest."""
    columns = zip(*(caution.statement.figures for caution in group), strict=True)
    return group[0].statement.shown(tuple(_spread(column) for column in columns))


def _spread(figures: Sequence[Figure]) -> str:
    low, high = (end(figures, key=lambda figure: figure.value).shown for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _listed(numbers: Sequence[int]) -> str:
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last
