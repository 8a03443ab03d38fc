"""At most ten notes beside code: the budgets that were broken, and what was changed in the methods to blame for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pacecar.github.budget_lines import BudgetLines
from pacecar.github.diff import ChangedLines
from pacecar.github.job_log import WorkflowCommand, command
from pacecar.model.comparison import Verdict
from pacecar.reporting.document import Document, wording
from pacecar.reporting.document.profile_shapes import FrameRow
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.text.units import format_quantity

#: GitHub shows no more of a step.
MOST = 10
_BUDGETS = 5
_FRAMES = 3
_PIECES = 3
Level = Literal["error", "warning", "notice"]
#: `Orders.lambda$list$0`, `Orders.access$000`: what the compiler made of a method.
_MADE = re.compile(r"(?:lambda|access)\$([A-Za-z_]\w*)?.*")


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """A note of GitHub's: on lines of a file, on a file, or on the run alone.

    Attributes:
        level: error, warning or notice.
        title, message: of it.
        path: from the top of the repository; None belongs to no file.
        first, last: lines; None where no line is known.
    """

    level: Level
    title: str
    message: str
    path: str | None = None
    first: int | None = None
    last: int | None = None

    def command(self) -> WorkflowCommand:
        """The workflow command that makes it."""
        place = {"file": self.path, "line": self.first, "endLine": self.last, "title": self.title}
        return command(self.level, self.message, place)


def notes_on(
    documents: Sequence[Document],
    *,
    config: str,
    budgets: BudgetLines,
    changed: Callable[[str], Sequence[ChangedLines]],
) -> list[Annotation]:
    """The notes for a comparison.

    Args:
        documents: the comparison; of several tiers those of each, the deciding one first. What two of them say of one
            metric is noted once.
        config: path of the configuration from the top of the repository.
        budgets: where they stand in it.
        changed: name of a class -> what the pull request changes in its file.

    Returns:
        At most `MOST`; budgets first.
    """
    regressed = [document for document in documents if document.standing is Verdict.REGRESSED]
    broken: dict[tuple[str, str], JudgedMetric] = {}
    for metric in (metric for document in regressed for metric in document.regressions):
        broken.setdefault((metric.name, metric.endpoint), metric)
    notes = [_broken(metric, config, budgets) for metric in list(broken.values())[:_BUDGETS]]
    return (notes + [note for document in regressed for note in _blamed(document, changed)])[:MOST]


def class_and_method(frame: str) -> tuple[str, str]:
    """`shop.Orders` and `list` of `shop.Orders.list`; of a lambda or a constructor, the name in the source."""
    owner, _, method = frame.rpartition(".")
    if made := _MADE.fullmatch(method):
        method = made[1] or ""
    elif method == "<init>":
        method = re.split(r"[.$]", owner)[-1]
    return owner, method


def _broken(metric: JudgedMetric, config: str, budgets: BudgetLines) -> Annotation:
    candidate = metric.estimate.candidate if metric.estimate else None
    beyond = metric.budget_absolute is not None and candidate is not None and candidate > metric.budget_absolute
    budget = wording.budget(metric)
    return Annotation(
        level="error",
        title=wording.phrase(metric),
        message=metric.reason + (f" ({budget})" if budget else ""),
        path=config,
        first=budgets.line(metric.name, metric.endpoint, absolute=beyond) or 1,
    )


def _blamed(document: Document, changed: Callable[[str], Sequence[ChangedLines]]) -> list[Annotation]:
    """Notes on the lines that the pull request changes in the methods that cost more now, the hottest first."""
    hotter = [frame for frame in document.frames if frame.blamed and frame.application and (frame.self_change or 0) > 0]
    notes: list[Annotation] = []
    for frame in hotter[:_FRAMES]:
        owner, method = class_and_method(frame.frame)
        pieces = changed(owner)
        inside = [piece for piece in pieces if method and piece.mention(method)]
        notes += [_on(piece, frame) for piece in (inside or pieces)[:_PIECES]]
    return notes


def _on(piece: ChangedLines, frame: FrameRow) -> Annotation:
    amount = format_quantity(frame.self_change or 0.0, frame.event.unit)
    pool = f" on {frame.pool}" if frame.pool else ""
    return Annotation(
        level="warning",
        title=f"{frame.frame} costs more",
        message=f"{frame.event.quantity}: {amount} more in {frame.frame}{pool}, which this change touches.",
        path=piece.path,
        first=piece.first,
        last=piece.last,
    )
