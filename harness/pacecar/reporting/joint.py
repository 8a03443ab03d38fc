"""Several comparisons told as one: a heading that answers the merge question, a table, and each of them folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pacecar.model.comparison import SEVERITY, Verdict
from pacecar.reporting.blocks import fitted
from pacecar.reporting.comment import COMMENT_LIMIT, MARKS, comment
from pacecar.reporting.document import Document
from pacecar.reporting.document.tidy import clean_text
from pacecar.reporting.markdown import Markdown, folded, link, prose, table

#: Characters of why there is no verdict.
_LONGEST_FAILURE = 400
_NOTHING = Markdown("")
_CUT = Markdown("*The rest did not fit into a comment; it is in the reports.*\n")
_BROKEN = "\N{CROSS MARK}"


@dataclass(frozen=True, kw_only=True)
class ServiceResult:
    """One of several comparisons, by the name of its service.

    Attributes:
        name: of the service.
        document: its verdict; None where there is none.
        failure: why there is none; None where there is one, and for a service that is new.
    """

    name: str
    document: Document | None = None
    failure: str | None = None

    @property
    def word(self) -> str:
        """The verdict in a word."""
        if self.document is None:
            return "failed" if self.failure else "new"
        if not self.document.measured:
            return "the same"
        return self.document.verdict.value + (", accepted" if self.document.accepted else "")

    @property
    def sentence(self) -> str:
        """What there is to say of it."""
        if self.document is not None:
            passed = self.document.verdict is Verdict.PASSED
            return self.document.reason if passed else self.document.headline
        return clean_text(self.failure or "Nothing to compare it with yet.", limit=_LONGEST_FAILURE)


def verdict_of(parts: Sequence[ServiceResult]) -> Verdict | None:
    """The gravest verdict, what is accepted left aside; None where there is none at all."""
    verdicts = [part.document.standing for part in parts if part.document is not None]
    return min(verdicts, key=SEVERITY.index, default=None)


def headline(parts: Sequence[ServiceResult]) -> str:
    """One sentence on all of them: `1 of 20 services regressed, 1 failed, 2 passed; 16 are the same`."""
    order = {verdict.value: rank for rank, verdict in enumerate(SEVERITY)}
    words = [part.word for part in parts if part.word != "the same"]
    found = sorted(dict.fromkeys(words), key=lambda word: order.get(word.partition(",")[0], -1))
    said = [f"{words.count(word)} {word}" for word in found]
    same = len(parts) - len(words)
    of_all = f"{len(parts)} service{'' if len(parts) == 1 else 's'}"
    if not said:
        return f"Nothing to measure: the builds of {of_all} are the same"
    return f"{of_all}: {', '.join(said)}" + (f"; {same} the same" if same else "")


def joint_comment(
    parts: Sequence[ServiceResult], *, marker: Markdown, limit: int = COMMENT_LIMIT, report_url: str | None = None
) -> Markdown:
    """All comparisons as one comment.

    Args:
        parts: the comparisons; their texts may be anybody's.
        marker: what the comment is found again by; invisible.
        limit: most characters. Heading and table come first, then the gravest.
        report_url: where the reports can be fetched; None where they cannot.
    """
    ordered = sorted(parts, key=_gravity)
    verdict = verdict_of(parts)
    broken = any(part.failure for part in parts)
    mark = MARKS[verdict] if verdict in _GRAVE or (verdict is not None and not broken) else _BROKEN
    rows = [[prose(part.word), prose(part.name), prose(part.sentence)] for part in ordered]
    blocks = [
        [marker, Markdown.of("### {mark} {headline}", mark=mark, headline=headline(parts))],
        table(["", "service", ""], rows),
        [link(Markdown("Reports with flame graphs"), report_url)] if report_url else [],
        *(_folded(part, limit) for part in ordered if part.document is not None and part.document.measured),
    ]
    return fitted(blocks, limit=limit, cut=_CUT)


_GRAVE = (Verdict.REGRESSED, Verdict.INVALID)


def _folded(part: ServiceResult, limit: int) -> list[Markdown]:
    assert part.document is not None
    whole = comment(part.document, limit=limit // 2, marker=_NOTHING)
    return folded(Markdown.of("{name}: {word}", name=part.name, word=part.word), [whole])


def _gravity(part: ServiceResult) -> tuple[int, str]:
    if part.document is not None:
        return (1 + SEVERITY.index(part.document.standing) + 10 * (not part.document.measured), part.name)
    return (0 if part.failure else 30, part.name)
