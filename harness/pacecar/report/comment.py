"""The comment under a pull request, also a job's summary: the document as Markdown that answers the merge question."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from datetime import date, timedelta

from pacecar.comparison import Verdict
from pacecar.experiment import Side
from pacecar.report.document import Document, wording
from pacecar.report.document.profile_shapes import FrameRow
from pacecar.report.document.shapes import BuildRow, JudgedMetric
from pacecar.report.markdown import code, folded, prose, table
from pacecar.units import format_duration, format_quantity

#: The longest comment GitHub takes, in characters.
COMMENT_LIMIT = 65_536
#: What a comment is found again by; invisible.
MARKER = "<!-- pacecar: comparison -->"

_ROWS = 5
#: How long an acceptance that is proposed holds.
_ACCEPTED_FOR = timedelta(days=60)
_FRAMES = 3
#: Rows of the folded tables.
_ALL_ROWS = 60
_MARKS = {
    Verdict.REGRESSED: "\N{LARGE RED CIRCLE}",
    Verdict.IMPROVED: "\N{LARGE BLUE CIRCLE}",
    Verdict.UNCHANGED: "\N{LARGE GREEN CIRCLE}",
    Verdict.INCONCLUSIVE: "\N{LARGE YELLOW CIRCLE}",
    Verdict.INVALID: "\N{MEDIUM WHITE CIRCLE}",
}
_ACCEPTED = "\N{LARGE ORANGE CIRCLE}"
_HEADINGS = ["", "metric", "change", "before → now", "budget"]
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INVALID)


def comment(document: Document, *, limit: int = COMMENT_LIMIT, report_url: str = "") -> str:
    """The document as Markdown.

    Args:
        document: the comparison; its texts may be anybody's.
        limit: most characters. What matters least is left out first; the heading always stays.
        report_url: where the HTML report can be fetched, or "".
    """
    blocks = [
        [MARKER, f"### {_heading(document)}"],
        [_compared(document)],
        _metrics(document),
        _frames(document),
        _what_now(document, report_url),
        _all_metrics(document),
        _circumstances(document),
    ]
    text, cut = "", False
    for block in filter(None, blocks):
        added = "\n".join(block) + "\n"
        if len(text) + len(added) + len(_CUT) + 1 > limit:
            cut = True
            continue
        text += ("\n" if text else "") + added
    return text + (f"\n{_CUT}" if cut else "")


_CUT = "*The rest did not fit into a comment; it is in the report.*\n"


def _heading(document: Document) -> str:
    decisive = [metric for metric in document.judgements if metric.gated and metric.verdict is document.verdict]
    mark = _MARKS[document.verdict]
    if document.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED) or not decisive or not decisive[0].estimate:
        return f"{mark} {prose(document.headline)}"
    first = decisive[0]
    if document.accepted:
        return f"{_ACCEPTED} Accepted: {prose(wording.phrase(first))}"
    budget = wording.budget(first)
    change = wording.change(first, decisive[0].estimate.change)
    more = f" and {len(decisive) - 1} more" if len(decisive) > 1 else ""
    word = wording.direction(first).capitalize()
    return f"{mark} {word}: {prose(wording.title(first))} {change}{f' ({budget})' if budget else ''}{more}"


def _compared(document: Document) -> str:
    builds = {side: document.build(side) for side in Side}
    machine = document.provenance.machine
    how = "side by side" if document.mode == "paired" else "against the stored baseline"
    count = document.pairs_judged
    noun = ("pair" if document.mode == "paired" else "fork") + ("" if count == 1 else "s")
    stopped = f" ({document.stopped})" if document.stopped else ""
    return (
        f"{_build(builds[Side.CANDIDATE])} against {_build(builds[Side.BASELINE])}: {count} {noun} {how}{stopped} on "
        f"{prose(machine.cpu_model)} with {machine.cores} cores, in {format_duration(document.provenance.duration_s)}."
    )


def _build(build: BuildRow | None) -> str:
    if build is None:
        return "a build without a name"
    return code(build.label) + (f" ({code(build.commit[:10])})" if build.commit else "")


def _metrics(document: Document) -> list[str]:
    gated = [metric for metric in document.judgements if metric.gated]
    shown = ([metric for metric in gated if metric.verdict in _CHANGED] or gated)[:_ROWS]
    accepted = [f"- {prose(wording.title(m))} is accepted {prose(m.accepted)}" for m in shown if m.accepted]
    return [*table(_HEADINGS, map(_row, shown)), *(["", *accepted] if accepted else [])] if shown else []


def _row(metric: JudgedMetric) -> list[str]:
    mark = f"{_ACCEPTED} accepted" if metric.accepted else f"{_MARKS[metric.verdict]} {metric.verdict.value}"
    if metric.estimate is None:
        return [mark, prose(wording.title(metric)), prose(metric.reason), "", wording.budget(metric)]
    change = f"{wording.change(metric, metric.estimate.change)} {wording.interval(metric, metric.estimate)}".strip()
    return [
        mark,
        prose(wording.title(metric)),
        prose(change),
        wording.values(metric, metric.estimate),
        wording.budget(metric),
    ]


def _frames(document: Document) -> list[str]:
    blamed = [frame for frame in document.frames if frame.blamed]
    blamed.sort(key=lambda frame: not frame.application)
    return ["Hottest changed frames:", "", *(f"- {_frame(frame)}" for frame in blamed[:_FRAMES])] if blamed else []


def _frame(frame: FrameRow) -> str:
    unit = wording.profile_unit(frame.event)
    amounts = [_signed(amount, unit) for amount in (frame.self_change, frame.low, frame.high)]
    interval = f" [{amounts[1]}, {amounts[2]}]" if frame.low is not None and frame.high is not None else ""
    pool = f", on {code(frame.pool)}" if frame.pool else ""
    touched = "; its code differs between the builds" if frame.touched else ""
    where = "below " if frame.diffuse else ""
    return f"{where}{code(frame.frame)}: {wording.profile(frame.event)} {amounts[0]}{interval}{pool}{touched}"


def _signed(amount: float | None, unit: str) -> str:
    if amount is None:
        return "not known"
    return ("−" if amount < 0 else "+") + format_quantity(abs(amount), unit)


def _what_now(document: Document, report_url: str) -> list[str]:
    repeat = shlex.join(document.provenance.repeat)
    open_ones = [m for m in document.judgements if m.gated and m.verdict is Verdict.REGRESSED and not m.accepted]
    lines = [f"[Report with flame graphs]({report_url})", ""] if report_url else []
    if open_ones and repeat:
        lines += [f"If that is surprising, measure it again: {code(repeat)}", ""]
    if open_ones:
        lines += folded(
            "If it is expected, accept it for a time in <code>pacecar.toml</code>",
            _accepting(open_ones[0], document.created),
        )
    return lines


def _accepting(metric: JudgedMetric, created: str) -> list[str]:
    # A string of JSON is a basic string of TOML too, and has no end of a line in it.
    entries = {"metric": metric.name, "endpoint": metric.endpoint, "reason": "why it is worth it", "by": "who decides"}
    texts = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items() if value]
    return ["```toml", "[[accepted]]", *texts, f"until = {_later(created)}  # the last day", "```"]


def _later(created: str) -> date:
    try:
        day = date.fromisoformat(created[:10])
    except ValueError:
        day = date(2027, 1, 1)
    return day + _ACCEPTED_FOR


def _all_metrics(document: Document) -> list[str]:
    rest = document.judgements[:_ALL_ROWS]
    more = len(document.judgements) - len(rest) + document.omitted.judgements
    if not rest:
        return []
    lines = table(_HEADINGS, map(_row, rest))
    return folded(f"All {len(document.judgements)} metrics", lines + ([f"and {more} more"] if more > 0 else []))


def _circumstances(document: Document) -> list[str]:
    told = "".join(document.warnings)
    voided = [
        f"Pair {pair.number} was left out: {prose(pair.voided)}"
        for pair in document.pairs
        if pair.voided and pair.voided not in told
    ]
    tools = ", ".join(f"{prose(tool.name)} {prose(tool.version)}" for tool in document.provenance.tools)
    lines = [*_bullets([prose(warning) for warning in document.warnings] + voided), *([tools] if tools else [])]
    return folded("How it was measured", lines) if lines else []


def _bullets(lines: Sequence[str]) -> list[str]:
    return [*(f"- {line}" for line in lines), ""] if lines else []
