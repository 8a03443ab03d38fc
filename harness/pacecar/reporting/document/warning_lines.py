"""The warnings of a document: few lines, what matters most first, each with what to do.

The judge tells of each pair by itself. A reader wants to know once that the forks of five pairs were never steady, and
what helps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pacecar.reporting.document.tidy import TEXT_LIMIT, clean_text

#: Lines that a reader is shown before anything is unfolded.
FIRST = 3
#: What a warning of one pair (or fork) begins with.
_OF_ONE = re.compile(r"^(Pair|Fork) (\d+)( was left out)?: ")
_FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?%?", re.ASCII)
#: A phrase of a warning, and what to do about it; what spoils most first. What is not listed stands behind.
ADVICE = (
    ("failed on both sides", ""),
    ("So did those to", ""),
    ("kept its cores busy", ""),
    ("a build may cause that", ""),
    ("Asked of the", "Name the endpoints in the scenario alike for both builds."),
    (
        "Neither side has a profile",
        "See that target.env and the builds leave the profiling agent in place: pacecar doctor.",
    ),
    ("samples, so no frame can be blamed", "See what the service printed about the profiling agent."),
    ("of the CPU during windows", "End what else runs on the machine, or use a quieter one."),
    ("died", "See the service's log in the run's folder."),
    ("stood still", "A quieter machine has fewer of such moments."),
    ("the load generator", "Lower the rate, or give the load generator a core of its own."),
    ("not steady yet", "Warm up longer: plan.warmup."),
    ("worked for", "Lower the rate, or make plan.gap longer."),
    ("requests were recorded", "Lower the rate until both builds keep up."),
    ("could not see what ran", "Read small changes of frames with care."),
    ("for a fixed piece of work", "Measure both builds side by side where that matters."),
    ("was left out", "See the pairs in the report."),
    ("Nothing is guaranteed of", "Raise the rate or plan.side, or name in gate.metrics what can be measured."),
    ("compilers' CPU time", "Measure both builds with this version."),
    ("busiest of", "Name the others under [[budgets]] if they matter."),
    ("but has not regressed", "Remove it from [[accepted]]."),
)


def warning_lines(warnings: Sequence[str]) -> tuple[str, ...]:
    """`warnings` as a reader gets them: the same of several pairs in one line, the gravest first, with a remedy."""
    groups: dict[str, list[str]] = {}
    for warning in warnings:
        groups.setdefault(_kind(warning), []).append(warning)
    return tuple(_with_advice(_together(group)) for group in sorted(groups.values(), key=lambda group: _rank(group[0])))


def _kind(warning: str) -> str:
    """What warnings have in common that differ in their pair and their figures alone."""
    found = _OF_ONE.match(warning)
    return _FIGURE.sub("#", warning) if found else warning


def _together(group: Sequence[str]) -> str:
    """One line for warnings of one kind: `Pairs 2, 4 and 5: it still fell by 18% to 26% in 10 s.`"""
    found = [match for match in map(_OF_ONE.match, group) if match is not None]
    if len(group) == 1 or len(found) < len(group):
        return group[0]
    unit, _, left_out = found[0].groups()
    numbers = sorted({int(match[2]) for match in found})
    texts = [warning[match.end() :] for warning, match in zip(group, found, strict=True)]
    return f"{unit}s {_listed(numbers)}{' were left out' if left_out else ''}: {_ranging(texts)}"


def _ranging(texts: Sequence[str]) -> str:
    """Texts that differ in their figures alone as one, each figure from its smallest to its largest."""
    columns = iter(zip(*(_FIGURE.findall(text) for text in texts), strict=True))

    def spread(_: re.Match[str]) -> str:
        figures = sorted(set(next(columns)), key=_value)
        return figures[0] if len(figures) == 1 else f"{figures[0]} to {figures[-1]}"

    return _FIGURE.sub(spread, texts[0])


def _value(figure: str) -> float:
    return float(figure.replace(",", "").rstrip("%"))


def _listed(numbers: Sequence[int]) -> str:
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def _with_advice(warning: str) -> str:
    advice = next((advice for phrase, advice in ADVICE if phrase in warning), "")
    if not advice:
        return warning
    text = clean_text(warning, limit=TEXT_LIMIT - len(advice) - 2)
    return f"{text}{'' if text.endswith(('.', '…')) else '.'} {advice}"


def _rank(warning: str) -> int:
    return next((rank for rank, (phrase, _) in enumerate(ADVICE) if phrase in warning), len(ADVICE))
