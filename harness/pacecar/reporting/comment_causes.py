"""Causes in a comment: the root of what decided in one bullet, what it rests on and all else folded."""

from __future__ import annotations

from pacecar.reporting.document import Document, cause_words, wording
from pacecar.reporting.document.cause_shapes import ConsequenceRow
from pacecar.reporting.document.shapes import FindingRow, JudgedMetric
from pacecar.reporting.markdown import Markdown, folded

#: Findings whose causes are told.
_FINDINGS = 5
#: Kinds of causes that could not be looked for.
_NOT_LOOKED = 3
#: Ledgers of which it is told which parts took each other's place.
_EXCHANGES = 2
_FOLLOWS = Markdown("follows from it: ")
_NOTHING = Markdown("")
_UNDER_FINDING = Markdown("  ")
_UNDER_CAUSE = Markdown("    ")


def cause_lines(document: Document) -> list[Markdown]:
    """The block of causes; empty where nothing explains what decided, and nothing more could be said of it."""
    leading = wording.leading(document)
    if leading is None:
        return []
    first, what = leading
    alike = [Markdown.of("- {told}", told=cause_words.all_code(first.all_code))] if first.all_code else []
    if not first.causes:
        return [*alike, *_not_looked(first)]
    root = first.causes[0]
    bullet = Markdown.of(
        "- Likely cause{what}: {statement}{told}",
        what=Markdown.of(" of {what}", what=what) if what else _NOTHING,
        statement=wording.likely_cause(first),
        told=_in_brackets(cause_words.share(root, first.metric)),
    )
    decided = [each for each in document.findings if each.metric.verdict is document.verdict and each.causes]
    evidence = [line for finding in decided[:_FINDINGS] for line in _finding(finding)]
    return [bullet, *alike, _NOTHING, *folded(Markdown("What that rests on"), evidence)]


def _not_looked(finding: FindingRow) -> list[Markdown]:
    kinds = [
        Markdown.of("{indent}- not looked for: {what}", indent=_UNDER_FINDING, what=cause_words.not_looked(kind))
        for kind in finding.not_looked[:_NOT_LOOKED]
    ]
    return [Markdown.of("- {none}", none=wording.likely_cause(finding)), *kinds] if kinds else []


def exchange_lines(document: Document) -> list[Markdown]:
    """Parts of mean latencies that took each other's place; of the first few ledgers in which some did."""
    told = [sentence for each in document.ledgers if (sentence := cause_words.exchange(each)) is not None]
    return [Markdown.of("- {sentence}", sentence=sentence) for sentence in told[:_EXCHANGES]]


def _finding(finding: FindingRow) -> list[Markdown]:
    lines = [Markdown.of("- {phrase}", phrase=wording.phrase(finding.metric))]
    for cause in finding.causes:
        lines += _cause(cause, finding.metric, indent=_UNDER_FINDING)
        for each in cause.consequences:
            lines += _cause(each, finding.metric, indent=_UNDER_CAUSE, lead=_FOLLOWS)
    return lines


def _cause(
    cause: ConsequenceRow, metric: JudgedMetric, *, indent: Markdown, lead: Markdown = _NOTHING
) -> list[Markdown]:
    first = Markdown.of(
        "{indent}- {lead}{statement}{sure}",
        indent=indent,
        lead=lead,
        statement=cause.statement,
        sure=_in_brackets(cause_words.strength(cause), cause_words.share(cause, metric)),
    )
    facts = [Markdown.of("{indent}  - {fact}", indent=indent, fact=cause_words.fact(f)) for f in cause.facts]
    return [first, *facts]


def _in_brackets(*told: str) -> Markdown:
    said = ", ".join(filter(None, told))
    return Markdown.of(" ({said})", said=said) if said else _NOTHING
