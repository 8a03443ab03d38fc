"""Two tiers of one comparison told as one: a verdict that is never better than what was counted exactly, a comment."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.model.comparison import Verdict
from pacecar.model.tiers import Tier
from pacecar.reporting.blocks import fitted
from pacecar.reporting.comment import COMMENT_LIMIT, CUT, MARKS, body, heading
from pacecar.reporting.document import Document
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.reporting.document.tidy import clean_text
from pacecar.reporting.markdown import Markdown, folded, prose, table

#: Characters of why there is no full tier, and of why it ran or did not.
LONGEST_SAID = 400
#: What decides where both have a word: the worst first.
_WORST = (
    Verdict.REGRESSED,
    Verdict.INVALID,
    Verdict.INCONCLUSIVE,
    Verdict.PASSED,
    Verdict.UNCHANGED,
    Verdict.IMPROVED,
)
#: Of the quick tier: what leaves the answer to the full one.
_OPEN = (Verdict.INCONCLUSIVE, Verdict.INVALID)
_FOUND = {
    Verdict.REGRESSED: "found a regression",
    Verdict.IMPROVED: "found an improvement",
    Verdict.PASSED: "passed",
    Verdict.UNCHANGED: "passed",
    Verdict.INCONCLUSIVE: "could not decide",
    Verdict.INVALID: "cannot be trusted",
}
_LOOKED_AT = {
    Tier.QUICK: "exact counts, endpoint by endpoint; no latency, no CPU",
    Tier.FULL: "latency and CPU under load, and everything else measured there",
}
_BROKEN = "\N{CROSS MARK}"
_NOTHING = Markdown("")


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """What the tiers of one comparison have found, the quick one first.

    Attributes:
        quick: the document of the quick tier.
        full: that of the full tier; None where it was not called for, or could not be measured.
        failure: why it could not be, one sentence; None where it was, and where nothing called for it.
        why: why it was called for or not, one sentence; None where nobody says.
    """

    quick: Document
    full: Document | None = None
    failure: str | None = None
    why: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict of both: the worse, but that the full tier answers what the quick one left open."""
        return _of_both(self.quick.verdict, self.full.verdict if self.full else None)

    @property
    def standing(self) -> Verdict:
        """The same with what is accepted left aside, which exit codes go by."""
        return _of_both(self.quick.standing, self.full.standing if self.full else None)

    @property
    def decided(self) -> Tier:
        """The tier whose verdict that is; the full one where both say the same."""
        if self.full is None:
            return Tier.QUICK
        agreeing = {
            tier: (document.standing is self.standing, document.verdict is self.verdict)
            for tier, document in ((Tier.FULL, self.full), (Tier.QUICK, self.quick))
        }
        return max(agreeing, key=lambda tier: agreeing[tier])

    @property
    def deciding(self) -> Document:
        """The document of that tier."""
        return self.full if self.full is not None and self.decided is Tier.FULL else self.quick

    @property
    def other(self) -> Document | None:
        """The document of the other tier; None where there is none."""
        return self.quick if self.decided is Tier.FULL else self.full

    @property
    def measured(self) -> dict[Tier, Document]:
        """The documents there are, by their tiers."""
        return {Tier.QUICK: self.quick} | ({Tier.FULL: self.full} if self.full is not None else {})

    @property
    def regressions(self) -> tuple[JudgedMetric, ...]:
        """What regressed in either tier, counts, and is not accepted; the deciding tier's first, each metric once."""
        first = self.deciding.regressions
        known = {(metric.name, metric.endpoint) for metric in first}
        second = self.other.regressions if self.other else ()
        return (*first, *(metric for metric in second if (metric.name, metric.endpoint) not in known))


def _of_both(quick: Verdict, full: Verdict | None) -> Verdict:
    if full is None:
        return quick
    return full if quick in _OPEN else min(quick, full, key=_WORST.index)


def finding_phrase(document: Document) -> str:
    """What a tier has done, to go on with after its name: `found a regression`, `passed`, `could not decide`."""
    return "found nothing but what is accepted" if document.accepted else _FOUND[document.standing]


def sentence(tiers: Tiers) -> str:
    """Which tier the verdict of both comes from, and what the other one says."""
    quick = f"quick tier {finding_phrase(tiers.quick)}"
    if tiers.full is None:
        if not tiers.failure:
            return f"The {quick}; the full one was not run."
        failure = clean_text(tiers.failure, limit=LONGEST_SAID)
        return f"The {quick}; the full one was called for and could not be measured: {failure}"
    full = finding_phrase(tiers.full)
    if tiers.decided is Tier.QUICK:
        if tiers.quick.verdict is Verdict.REGRESSED:
            return f"The {quick} by exact counts; the full one {full}, which does not overrule them."
        return f"The {quick}, and its exact counts are the best answer of both; the full one {full}."
    if tiers.quick.standing in _OPEN:
        return f"The full tier decides: it {full}, while the {quick}."
    return f"The full tier {full}; the {quick}."


def headline(tiers: Tiers) -> str:
    """The verdict of both, the tier it comes from and what the other one says, on a line."""
    accepted = ", accepted" if tiers.verdict is not tiers.standing else ""
    return f"{tiers.verdict.value.upper()}{accepted.upper()}  by the {tiers.decided.value} tier. {sentence(tiers)}"


def tiers_comment(
    tiers: Tiers, *, marker: Markdown, limit: int = COMMENT_LIMIT, report_url: str | None = None
) -> Markdown:
    """Both tiers as one comment: the deciding one as if it stood alone, the other one folded below it.

    Args:
        tiers: what they have found; all texts may be anybody's.
        marker: what the comment is found again by; invisible.
        limit: most characters. What matters least is left out first; the heading always stays.
        report_url: where the HTML reports can be fetched; None where they cannot.
    """
    why = clean_text(tiers.why or "", limit=LONGEST_SAID)
    blocks = [
        [marker, Markdown.of("### {heading}", heading=_heading(tiers))],
        [prose(sentence(tiers))],
        table(["tier", "", "looked at", "found"], _rows(tiers)),
        [prose(why)] if why else [],
        *body(tiers.deciding, report_url=report_url),
        _folded(tiers, limit // 3),
    ]
    return fitted(blocks, limit=limit, cut=CUT)


def _heading(tiers: Tiers) -> Markdown:
    if tiers.failure and tiers.standing not in (Verdict.REGRESSED, Verdict.INVALID):
        said = f"The full tier could not be measured; the quick one {finding_phrase(tiers.quick)}"
        return Markdown.of("{mark} {said}", mark=_BROKEN, said=said)
    return heading(tiers.deciding)


def _rows(tiers: Tiers) -> list[list[Markdown]]:
    rows = [
        [tier.value, _word(document), _looked_at(tier, document), _said(document)]
        for tier, document in tiers.measured.items()
    ]
    if tiers.failure:
        rows.append([Tier.FULL.value, f"{_BROKEN} failed", "", clean_text(tiers.failure, limit=LONGEST_SAID)])
    return [[prose(cell) for cell in row] for row in rows]


def _word(document: Document) -> str:
    return f"{MARKS[document.verdict]} {document.verdict.value}{', accepted' if document.accepted else ''}"


def _looked_at(tier: Tier, document: Document) -> str:
    if not document.measured:
        return "the builds, file by file"
    pairs = f"{document.pairs_judged} pair{'' if document.pairs_judged == 1 else 's'}"
    metrics = len(document.judgements) + document.omitted.judgements
    return f"{_LOOKED_AT[tier]}: {metrics} metric{'' if metrics == 1 else 's'} in {pairs}"


def _said(document: Document) -> str:
    return document.reason if document.verdict is Verdict.PASSED else document.headline


def _folded(tiers: Tiers, limit: int) -> list[Markdown]:
    """All that there is to say of the other tier."""
    other = tiers.other
    if other is None:
        return []
    title = Markdown("The quick tier") if tiers.decided is Tier.FULL else Markdown("The full tier")
    return folded(title, [fitted([[heading(other)], *body(other)], limit=limit, cut=CUT)])
