"""The end of a run in a terminal: the verdict in words, the few rows that matter, the next command."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.document import Document, cause_words, wording
from pacecar.reporting.document.shapes import FindingRow, JudgedMetric
from pacecar.reporting.document.warning_lines import FIRST as FIRST_WARNINGS
from pacecar.reporting.request_words import slowest
from pacecar.text.plain import Plain, plain
from pacecar.text.units import format_duration

_ROWS = 8
_NAMED = 3
#: Lines of evidence below a cause.
_EVIDENCE = 3
#: Ledgers of which it is told which parts took each other's place.
_EXCHANGES = 1
#: Verdicts whose sentence says what their rows do not: what is ruled out, or what it takes to know.
_WITH_REASON = (Verdict.PASSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE)
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INVALID)
_STYLES = {
    Verdict.REGRESSED: "bold red",
    Verdict.IMPROVED: "bold cyan",
    Verdict.PASSED: "bold green",
    Verdict.UNCHANGED: "bold green",
    Verdict.INCONCLUSIVE: "bold yellow",
    Verdict.INVALID: "bold magenta",
}


def summary(document: Document, *, colour: bool, unfinished: str | None = None) -> Plain:
    """The summary as text, without a newline at its end.

    Args:
        document: the comparison.
        colour: whether ANSI colours may be used; the caller knows about pipes and `NO_COLOR`.
        unfinished: the run's id where it was interrupted, and may go on; else None.
    """
    lines = [
        _verdict(document),
        *_reason(document),
        *_rows(document),
        *_the_rest(document),
        *_causes(document),
        *_exchanged(document),
        *_single_requests(document),
        *_warnings(document),
        *_runtimes(document),
        _shown(_circumstances(document), "dim"),
        _shown("Next: ").append_text(_shown(_next(document, unfinished), "bold")),
    ]
    return _rendered(lines, colour=colour)


def _next(document: Document, unfinished: str | None) -> str:
    if not document.measured:
        return "pacecar compare --measure-equal"
    if unfinished is not None and document.verdict is Verdict.INCONCLUSIVE:
        return f"pacecar resume {unfinished}, which measures the missing pairs"
    if (command := wording.settling(document)) is not None:
        return command
    # What disturbed a measurement is often still there, and a report of nothing helps nobody.
    return "pacecar doctor, then measure again" if document.verdict is Verdict.INVALID else "pacecar open"


def _verdict(document: Document) -> Text:
    accepted = ", ACCEPTED" if document.accepted else ""
    line = _shown(document.verdict.value.upper() + accepted, _STYLES[document.verdict])
    return line.append_text(_shown(f"  {document.headline}", "bold"))


def _reason(document: Document) -> list[Text]:
    if document.verdict not in _WITH_REASON or document.reason == document.headline:
        return []
    return [_shown(document.reason)]


def _shown(text: str, style: str | None = None) -> Text:
    """The only way from text to what is printed: the text may be anybody's."""
    return Text(plain(text), style=style or "")


def _rows(document: Document) -> list[Text]:
    metrics = _changed(document)
    # Cleaned before they are measured: what is taken out has another width.
    unit = _unit(document)
    cells = [tuple(map(plain, _cells(metric, unit=unit))) for metric in metrics[:_ROWS]]
    # What stands last in its row makes no column wider: why there is no figure may be a long sentence.
    widths = [
        max((cell_len(row[place]) for row in cells if any(row[place + 1 :])), default=0)
        for place in range(len(cells[0]) if cells else 0)
    ]
    lines = []
    for metric, row in zip(metrics, cells, strict=False):
        padded = [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        line = _shown("  ").append_text(_shown(padded[0], _STYLES[metric.verdict]))
        lines.append(line.append_text(_shown("  " + "  ".join(padded[1:]).rstrip())))
    if len(metrics) > _ROWS:
        lines.append(_shown(f"  and {len(metrics) - _ROWS} more in the report"))
    return lines


def _changed(document: Document) -> list[JudgedMetric]:
    """What changed; of an undecided comparison the guaranteed metrics that are undecided stand before it."""
    changed = [metric for metric in document.judgements if metric.verdict in _CHANGED]
    if document.verdict is Verdict.INCONCLUSIVE:
        return [*wording.deciding(document.verdict, document.judgements), *changed]
    return changed


def _unit(document: Document) -> str:
    return "pair" if document.mode == "paired" else "fork"


def _cells(metric: JudgedMetric, *, unit: str) -> tuple[str, ...]:
    """Direction, title, change with interval, both values, and what it was held against."""
    estimate = metric.estimate
    if estimate is None or metric.verdict is Verdict.INVALID:
        return (metric.verdict.value, wording.title(metric), metric.reason, "", "")
    plain_word = metric.verdict in (Verdict.PASSED, Verdict.UNCHANGED, Verdict.INCONCLUSIVE)
    notes = [
        wording.budget(metric),
        f"{estimate.pairs} {unit}{'' if estimate.pairs == 1 else 's'}",
        "decides nothing" if metric.role is Role.OBSERVED else "",
        "tripwire" if metric.role is Role.TRIPWIRE else "",
        "accepted" if metric.accepted else "",
    ]
    change = f"{wording.change(metric, estimate.change)} {wording.interval(metric, estimate)}"
    return (
        metric.verdict.value if plain_word or wording.above_largest(metric) else wording.direction(metric),
        wording.title(metric),
        change.strip(),
        wording.values(metric, estimate, arrow="->"),
        f"({', '.join(filter(None, notes))})",
    )


def _the_rest(document: Document) -> list[Text]:
    """Beside a regression or an improvement: how the other guaranteed metrics did."""
    if document.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
        return []
    guaranteed = [metric for metric in document.judgements if metric.role is Role.GUARANTEED]
    passed = len(_with_verdict(guaranteed, Verdict.PASSED, Verdict.UNCHANGED))
    open_ones = _with_verdict(guaranteed, Verdict.INCONCLUSIVE)
    parts = []
    if passed:
        parts.append(f"passed: {passed} other guaranteed metric{'s' if passed > 1 else ''}")
    if open_ones:
        named = ", ".join(_open_one(metric) for metric in open_ones[:_NAMED])
        more = f" and {len(open_ones) - _NAMED} more" if len(open_ones) > _NAMED else ""
        parts.append(f"inconclusive: {named}{more}")
    return [_shown("   ".join(parts))] if parts else []


def _open_one(metric: JudgedMetric) -> str:
    needed = f" ({wording.more_pairs(metric.pairs_needed)})" if metric.pairs_needed else ""
    return f"{wording.title(metric)}{needed}"


def _causes(document: Document) -> list[Text]:
    leading = wording.leading(document)
    if leading is None:
        return []
    first, what = leading
    if not first.causes:
        return [_shown(wording.likely_cause(first)), *_all_code(first), *_not_looked(first)]
    lines = [
        _shown(f"Likely cause{f' of {what}' if what else ''}: ", "bold").append_text(
            _shown(wording.likely_cause(first))
        )
    ]
    for root in first.causes[:1]:
        evidence = [cause_words.share(root, first.metric), *(cause_words.fact(each, arrow="->") for each in root.facts)]
        lines += [_shown(f"  {each}") for each in [*filter(None, evidence)][:_EVIDENCE]]
        lines += [_shown(f"  follows from it: {each.statement}") for each in root.consequences]
    return [*lines, *_all_code(first), *_not_looked(first)]


def _exchanged(document: Document) -> list[Text]:
    return [_shown(told) for each in document.ledgers if (told := cause_words.exchange(each)) is not None][:_EXCHANGES]


def _all_code(finding: FindingRow) -> list[Text]:
    return [_shown(cause_words.all_code(finding.all_code))] if finding.all_code else []


def _not_looked(finding: FindingRow) -> list[Text]:
    rest = len(finding.not_looked) - _NAMED
    lines = [_shown(f"  not looked for: {cause_words.not_looked(each)}") for each in finding.not_looked[:_NAMED]]
    more = f"  and {rest} more kind{' of cause' if rest == 1 else 's of causes'}"
    return [*lines, _shown(more)] if rest > 0 else lines


def _single_requests(document: Document) -> list[Text]:
    """Beside a regression, of the endpoint that the report tells of first."""
    regressed = document.verdict is Verdict.REGRESSED
    told = document.profiles.requests[:1] if document.profiles and regressed else ()
    return [_shown(sentence) for both in told if (sentence := slowest(both)) is not None]


def _warnings(document: Document) -> list[Text]:
    hidden = len(document.warnings) - FIRST_WARNINGS + document.omitted.warnings
    lines = [_shown(f"Warning: {warning}", "yellow") for warning in document.warnings[:FIRST_WARNINGS]]
    more = f"and {hidden} more warning{'' if hidden == 1 else 's'} in the report"
    return [*lines, _shown(more, "yellow")] if hidden > 0 else lines


def _runtimes(document: Document) -> list[Text]:
    """What the sides ran on, where that differs."""
    ran = [f"{build.side.value} on {build.jvm}" for build in document.provenance.builds if build.jvm]
    return [_shown(f"JVMs: {', '.join(ran)}")] if document.jvms_differ else []


def _circumstances(document: Document) -> str:
    provenance = document.provenance
    if not document.measured:
        return f"built and compared file by file in {format_duration(provenance.duration_s)}"
    paired = document.mode == "paired"
    how = (
        "side by side" if paired else " ".join(filter(None, ("against the stored baseline", document.baseline_run_id)))
    )
    pairs = f"{document.pairs_judged} {_unit(document)}{'' if document.pairs_judged == 1 else 's'} {how}"
    machine = provenance.machine
    voided = sum(1 for pair in document.pairs if pair.voided)
    share = provenance.harness_share
    return "; ".join(
        filter(
            None,
            (
                ", ".join(filter(None, (pairs, f"{voided} voided" if voided else "", document.stopped))),
                f"{machine.cpu_model}, {machine.cores} core{'' if machine.cores == 1 else 's'}",
                f"{format_duration(provenance.duration_s)}"
                + (f", harness {100 * share:.0f}%" if share is not None else ""),
            ),
        )
    )


def _with_verdict(judgements: Iterable[JudgedMetric], *verdicts: Verdict) -> list[JudgedMetric]:
    return [metric for metric in judgements if metric.verdict in verdicts]


def _rendered(lines: Iterable[Text], *, colour: bool) -> Plain:
    output = io.StringIO()
    console = Console(
        file=output,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        highlight=False,
        _environ={},
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    return Plain(output.getvalue().rstrip("\n"))
