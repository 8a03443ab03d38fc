"""The comment under a pull request, also a job's summary: the document as Markdown that answers the merge question."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from pacecar.model.comparison import Role, Verdict
from pacecar.model.experiment import Side
from pacecar.reporting.blocks import fitted
from pacecar.reporting.comment_causes import cause_lines, exchange_lines
from pacecar.reporting.document import Document, wording
from pacecar.reporting.document.profile_shapes import FrameRow
from pacecar.reporting.document.provenance_shapes import BuildRow, LibraryRow
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.reporting.document.warning_lines import FIRST as FIRST_WARNINGS
from pacecar.reporting.forest import in_front
from pacecar.reporting.markdown import Markdown, code, fenced, folded, link, prose, table
from pacecar.text.units import format_duration, format_quantity, rounded_like

#: The longest comment GitHub takes, in characters.
COMMENT_LIMIT = 65_536
#: What a comment is found again by; invisible.
MARKER = Markdown("<!-- pacecar: comparison -->")

_ROWS = 5
#: How long an acceptance that is proposed holds.
_ACCEPTED_FOR = timedelta(days=60)
_FRAMES = 3
#: Libraries in front; more are folded.
_LIBRARIES = 5
#: Rows of the folded tables.
_ALL_ROWS = 60
MARKS = {
    Verdict.REGRESSED: "\N{LARGE RED CIRCLE}",
    Verdict.IMPROVED: "\N{LARGE BLUE CIRCLE}",
    Verdict.PASSED: "\N{LARGE GREEN CIRCLE}",
    Verdict.UNCHANGED: "\N{LARGE GREEN CIRCLE}",
    Verdict.INCONCLUSIVE: "\N{LARGE YELLOW CIRCLE}",
    Verdict.INVALID: "\N{MEDIUM WHITE CIRCLE}",
}
_ACCEPTED = "\N{LARGE ORANGE CIRCLE}"
_HEADINGS = ["", "metric", "change", "before → now", "budget", "note"]
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INVALID)


def comment(
    document: Document, *, limit: int = COMMENT_LIMIT, report_url: str | None = None, marker: Markdown = MARKER
) -> Markdown:
    """The document as Markdown.

    Args:
        document: the comparison; its texts may be anybody's.
        limit: most characters. What matters least is left out first; the heading always stays.
        report_url: where the HTML report can be fetched; None where it cannot.
        marker: what the comment is found again by; invisible.
    """
    first = [marker, Markdown.of("### {heading}", heading=heading(document))]
    return fitted([first, *body(document, report_url=report_url)], limit=limit, cut=CUT)


def body(document: Document, *, report_url: str | None = None) -> list[list[Markdown]]:
    """What stands below the heading, block by block, what matters most first; some are empty."""
    return [
        _reason(document),
        [_compared(document)],
        _runtimes(document),
        _metrics(document),
        _warnings(document),
        _under(Markdown("Where it comes from:"), cause_lines(document)),
        _under(Markdown("What the mean latency is made of:"), exchange_lines(document)),
        _frames(document),
        _libraries(document),
        _what_now(document, report_url),
        _all_metrics(document),
        _circumstances(document),
    ]


def _under(lead: Markdown, lines: Sequence[Markdown]) -> list[Markdown]:
    """Bullets below a line of their own: GitHub takes two lists with nothing between them for one."""
    return [lead, _NOTHING, *lines] if lines else []


_NOTHING = Markdown("")
CUT = Markdown("*The rest did not fit into a comment; it is in the report.*\n")


def heading(document: Document) -> Markdown:
    """The answer to the merge question, with its mark, in a line."""
    decisive = wording.deciding(document.verdict, document.judgements)
    mark = MARKS[document.verdict]
    if document.verdict is Verdict.PASSED and document.measured:
        return Markdown.of("{mark} {headline}. {reason}", mark=mark, headline=document.headline, reason=document.reason)
    if document.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
        return Markdown.of("{mark} {headline}", mark=mark, headline=document.headline)
    word = document.verdict.value.capitalize()
    if not decisive or not decisive[0].estimate:
        return Markdown.of("{mark} {word}: {headline}", mark=mark, word=word, headline=document.headline)
    first = decisive[0]
    if document.accepted:
        return Markdown.of("{mark} Accepted: {phrase}", mark=_ACCEPTED, phrase=wording.phrase(first))
    budget = "" if wording.above_largest(first) else wording.budget(first)
    return Markdown.of(
        "{mark} {word}: {phrase}{budget}{more}",
        mark=mark,
        word=word,
        phrase=wording.phrase(first),
        budget=Markdown.of(" ({budget})", budget=budget) if budget else _NOTHING,
        more=Markdown.of(" and {count} more", count=len(decisive) - 1) if len(decisive) > 1 else _NOTHING,
    )


def _reason(document: Document) -> list[Markdown]:
    """What an improvement rules out, what it takes to decide, why nothing was measured; the heading says all else."""
    told = document.verdict in (Verdict.IMPROVED, Verdict.INCONCLUSIVE) or not document.measured
    return [prose(document.reason)] if told and document.reason != document.headline else []


def _compared(document: Document) -> Markdown:
    builds = {side: document.build(side) for side in Side}
    machine = document.provenance.machine
    took = format_duration(document.provenance.duration_s)
    if not document.measured:
        return Markdown.of(
            "{candidate} against {baseline}: built and compared file by file in {took}.",
            candidate=_build(builds[Side.CANDIDATE]),
            baseline=_build(builds[Side.BASELINE]),
            took=took,
        )
    noun = ("pair" if document.mode == "paired" else "fork") + ("" if document.pairs_judged == 1 else "s")
    return Markdown.of(
        "{candidate} against {baseline}: {count} {noun} {how}{stopped} on {cpu_model} with {cores}, in {took}.",
        candidate=_build(builds[Side.CANDIDATE]),
        baseline=_build(builds[Side.BASELINE]),
        count=document.pairs_judged,
        noun=noun,
        how="side by side" if document.mode == "paired" else "against the stored baseline",
        stopped=Markdown.of(" ({stopped})", stopped=document.stopped) if document.stopped else _NOTHING,
        cpu_model=machine.cpu_model,
        cores=f"{machine.cores} core{'' if machine.cores == 1 else 's'}",
        took=took,
    )


def _build(build: BuildRow | None) -> Markdown:
    if build is None:
        return Markdown("a build without a name")
    commit = Markdown.of(" ({commit})", commit=code(build.commit[:10])) if build.commit else _NOTHING
    return code(build.label) + commit


def _runtimes(document: Document) -> list[Markdown]:
    if not document.jvms_differ:
        return []
    builds = [build for build in map(document.build, Side) if build]
    ran = [Markdown.of("{side} on {jvm}", side=each.side.value, jvm=code(each.jvm)) for each in builds if each.jvm]
    return [Markdown.of("The {sides}.", sides=Markdown.joined(", ", ran))]


def _libraries(document: Document) -> list[Markdown]:
    lines = [
        Markdown.of(
            "- {name}: {change}",
            name=code(each.name),
            change=Markdown.of("{before} → {after}", before=code(each.baseline), after=code(each.candidate))
            if each.baseline and each.candidate
            else Markdown.of("{which}, {how}", which=_only_version(each), how=_came_or_went(each)),
        )
        for each in document.libraries
    ]
    rest = lines[_LIBRARIES:]
    hidden = len(rest) + document.omitted.libraries
    more = folded(Markdown.of("and {hidden} more", hidden=hidden), rest) if rest else []
    if not lines:
        return []
    return [Markdown("Changed libraries:"), _NOTHING, *lines[:_LIBRARIES], *([_NOTHING, *more] if more else [])]


def _only_version(library: LibraryRow) -> Markdown:
    return code(library.baseline or library.candidate or "")


def _came_or_went(library: LibraryRow) -> str:
    return "new" if library.candidate else "gone"


def _metrics(document: Document) -> list[Markdown]:
    changed = [each for each in document.judgements if each.role.decides and each.verdict in _CHANGED]
    undecided = wording.deciding(document.verdict, document.judgements)
    guaranteed = [each for each in document.judgements if each.role is Role.GUARANTEED]
    first = undecided if document.verdict is Verdict.INCONCLUSIVE else []
    shown = ([*first, *changed] or guaranteed)[:_ROWS]
    accepted = [
        Markdown.of("- {title} is accepted {how}", title=wording.title(metric), how=metric.accepted)
        for metric in shown
        if metric.accepted
    ]
    return [*_table(shown), *([_NOTHING, *accepted] if accepted else [])] if shown else []


def _row(metric: JudgedMetric) -> list[Markdown]:
    weak = ", weak" if wording.is_weak(metric) else ""
    mark = f"{_ACCEPTED} accepted" if metric.accepted else f"{MARKS[metric.verdict]} {metric.verdict.value}{weak}"
    if metric.estimate is None:
        change, values = metric.reason, ""
    else:
        interval = wording.interval(metric, metric.estimate)
        change = f"{wording.change(metric, metric.estimate.change)} {interval}".strip()
        values = wording.values(metric, metric.estimate)
    cells = (mark, wording.title(metric), change, values, wording.promised(metric), _note(metric))
    return [prose(cell) for cell in cells]


def _note(metric: JudgedMetric) -> str:
    """What is ruled out of what passed, why another is undecided; of what changed, its change says it all."""
    if metric.estimate is None or metric.verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        return ""
    return wording.ruled_out(metric) if metric.verdict in (Verdict.PASSED, Verdict.UNCHANGED) else wording.why(metric)


def _table(metrics: Sequence[JudgedMetric]) -> list[Markdown]:
    """The table of `metrics`, without the column of notes where none has one."""
    rows = [_row(metric) for metric in metrics]
    width = len(_HEADINGS) if any(row[-1] for row in rows) else len(_HEADINGS) - 1
    return table(_HEADINGS[:width], [row[:width] for row in rows])


def _frames(document: Document) -> list[Markdown]:
    told = _told(document)
    blamed = [frame for frame in document.frames if frame.blamed and (frame.frame, frame.event.quantity) not in told]
    blamed.sort(key=lambda frame: not frame.application)
    lines = [Markdown.of("- {frame}", frame=_frame(frame)) for frame in blamed[:_FRAMES]]
    return [Markdown("Hottest changed frames, per request over all endpoints:"), _NOTHING, *lines] if blamed else []


def _told(document: Document) -> set[tuple[str | None, str]]:
    """Frames whose figures the leading cause gives, for its own endpoint: others for all of them would only confuse."""
    leading = wording.leading(document)
    causes = leading[0].causes[:1] if leading else ()
    return {(fact.scope.frame, fact.quantity) for cause in causes for fact in cause.facts if fact.scope.endpoint}


def _frame(frame: FrameRow) -> Markdown:
    amounts = [_signed(amount, frame) for amount in (frame.self_change, frame.low, frame.high)]
    interval = Markdown.of(" [{low}, {high}]", low=amounts[1], high=amounts[2])
    return Markdown.of(
        "{where}{frame}: {profile} {amount}{interval}{pool}{touched}",
        where=Markdown("below ") if frame.diffuse else _NOTHING,
        frame=code(frame.frame),
        profile=frame.event.quantity,
        amount=amounts[0],
        interval=interval if frame.low is not None and frame.high is not None else _NOTHING,
        pool=Markdown.of(", on {pool}", pool=code(frame.pool)) if frame.pool else _NOTHING,
        touched=Markdown("; its code differs between the builds") if frame.touched else _NOTHING,
    )


def _signed(amount: float | None, frame: FrameRow) -> str:
    """With the decimals of the change: what is finer is noise beside it."""
    if amount is None:
        return "not known"
    shown = rounded_like(abs(amount), frame.self_change or amount)
    return ("−" if amount < 0 else "+") + format_quantity(shown, frame.event.unit)


def _what_now(document: Document, report_url: str | None) -> list[Markdown]:
    repeat = shlex.join(document.provenance.repeat)
    open_ones = document.regressions
    if not document.measured and repeat:
        return [Markdown.of("To measure them all the same: {repeat}", repeat=code(f"{repeat} --measure-equal"))]
    lines = [link(Markdown("Report with flame graphs"), report_url), _NOTHING] if report_url else []
    if (command := wording.settling(document)) is not None:
        lines += [Markdown.of("To decide it, measure more pairs: {command}", command=code(command)), _NOTHING]
    if document.verdict is Verdict.INVALID and repeat:
        again = Markdown.of("Fix what disturbed it (`pacecar doctor` helps), and measure again: {it}", it=code(repeat))
        lines += [again, _NOTHING]
    if open_ones and repeat:
        lines += [Markdown.of("If that is surprising, measure it again: {repeat}", repeat=code(repeat)), _NOTHING]
    if open_ones:
        lines += folded(
            Markdown("If it is expected, accept it for a time in <code>pacecar.toml</code>"),
            _accepting(open_ones[0], document.created),
        )
    return lines


def _accepting(metric: JudgedMetric, created: str) -> list[Markdown]:
    # A string of JSON is a basic string of TOML too, and has no end of a line in it.
    entries = {"metric": metric.name, "endpoint": metric.endpoint, "reason": "why it is worth it", "by": "who decides"}
    texts = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items() if value]
    return fenced("toml", ["[[accepted]]", *texts, f"until = {_later(created)}  # the last day"])


def _later(created: str) -> date:
    """Some time after the run; after a day that is none, or the last of the calendar, after today."""
    try:
        return date.fromisoformat(created[:10]) + _ACCEPTED_FOR
    except (ValueError, OverflowError):
        return datetime.now(UTC).date() + _ACCEPTED_FOR


def _all_metrics(document: Document) -> list[Markdown]:
    """The metrics that everybody should see; what neither changed nor looks worse would only hide them."""
    front = [metric for metric in document.judgements if in_front(metric)]
    shown = sorted(front, key=lambda metric: metric.verdict is not Verdict.REGRESSED)[:_ALL_ROWS]
    whole = len(document.judgements)
    if not shown:
        return []
    if len(shown) == whole:
        return folded(Markdown.of("All {count} metrics", count=whole), _table(shown))
    more = Markdown.of("and {count} more in the report", count=whole - len(shown))
    return folded(
        Markdown.of("{count} of {whole} metrics", count=len(shown), whole=whole), [*_table(shown), _NOTHING, more]
    )


def _warnings(document: Document) -> list[Markdown]:
    lines = [Markdown.of("- {warning}", warning=warning) for warning in document.warnings]
    shown, rest = lines[:FIRST_WARNINGS], lines[FIRST_WARNINGS:]
    hidden = len(rest) + document.omitted.warnings
    if not shown:
        return []
    more = folded(Markdown.of("and {hidden} more", hidden=hidden), rest) if rest else []
    return [Markdown("Before you rely on it:"), _NOTHING, *shown, *([_NOTHING, *more] if more else [])]


def _circumstances(document: Document) -> list[Markdown]:
    if not document.measured:
        return []
    known = filter(None, (wording.noise_known(document), wording.pace_evened(document)))
    bullets = [Markdown.of("- {line}", line=line) for line in known]
    tools = [
        Markdown.of("{name} {version}", name=tool.name, version=tool.version) for tool in document.provenance.tools
    ]
    lines = [*bullets, *([_NOTHING] if bullets else []), *([Markdown.joined(", ", tools)] if tools else [])]
    return folded(Markdown("How it was measured"), lines) if lines else []
