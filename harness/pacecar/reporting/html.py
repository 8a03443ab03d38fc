"""The report: one HTML file that works offline, whose first screen needs no JavaScript.

Its content security policy allows no request at all and only the one style and the one script whose digests it
names, so that even text that escaped from a build's name would not run.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.reporting import staircase_charts
from pacecar.reporting.bounds import strip
from pacecar.reporting.diff_view import diff_view
from pacecar.reporting.document import Document, cause_words, wording
from pacecar.reporting.document.profile_shapes import (
    EventRow,
    EventSource,
    FlameRow,
    FrameRow,
    PairTimeline,
    Profiles,
    RequestRow,
    SideCurves,
)
from pacecar.reporting.document.warning_lines import FIRST as FIRST_WARNINGS
from pacecar.reporting.forest import forest
from pacecar.reporting.ledger_bars import ledger_bars
from pacecar.reporting.words import WORDS
from pacecar.system import paths
from pacecar.system.disk import durable
from pacecar.text import units

#: Frames of each kind of profile in the page: what a person can look through. All are in `profiles.json`.
_FRAMES = 120
#: Frames shown before anything is searched for.
_FIRST_FRAMES = 12
#: Findings that stand unfolded.
_FIRST_FINDINGS = 6
#: Where a long name may be broken: before this a class, a method or a part of a path begins.
_JOINT = re.compile(r"(?<=[\w>)\]}])([./])(?=[A-Za-z_$<{])")
#: What is shown of an amount that rounds to nothing, which has no sign.
_ZERO = re.compile(r"[0.]+\D*")
#: Milliseconds up to which a column's decimals stand below each other.
_ALIGNED = 1e9
#: Larger numbers are no shares, and no cores of one machine.
_SHARES = 1e4
#: Percentiles of the table below the curves.
_PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
_MARKS = {
    Verdict.REGRESSED: "▲",
    Verdict.IMPROVED: "▼",
    Verdict.PASSED: "✓",
    Verdict.UNCHANGED: "=",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INVALID: "!",
}


def write_report(document: Document, path: Path) -> None:
    """Write `render(document)` to `path`, whole or not at all."""
    durable.write_text(path, render(document))


def render(document: Document) -> Markup:
    """The report as HTML, every text of the document escaped by the templates.

    Parts for which the document holds nothing are left out.
    """
    style = _own("reports/templates/report.css") + _own("reports/web/dist/report.css")
    script = _own("reports/web/dist/report.js")
    profiles = document.profiles
    return Markup(  # noqa: S704  what a template with autoescape has made
        _environment()
        .get_template("report.html.j2")
        .render(
            document=document,
            profiles=profiles,
            frame_tables=_frame_tables(profiles.frames if profiles else document.frames),
            ledgers=ledger_bars(document.ledgers),
            staircase=staircase_charts.charts(document.climbs),
            box=staircase_charts,
            strip=strip(document.judgements),
            forest=forest(document.judgements),
            curves=_curve_data(profiles) if profiles else None,
            flames=[asdict(flame) for flame in _flames(document, profiles)] if profiles else None,
            cause_frame=_cause_frame(document),
            diff_views=_diff_views(document),
            percentiles=_PERCENTILES,
            repeat=shlex.join(document.provenance.repeat),
            style=Markup(style),  # noqa: S704  our own files, nothing of a build
            script=Markup(script),  # noqa: S704
            policy=_policy(style=style, script=script),
        )
    )


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.brought("reports/templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.globals.update(
        wording=wording,
        cause_words=cause_words,
        marks=_MARKS,
        words=WORDS,
        first_warnings=FIRST_WARNINGS,
        first_findings=_FIRST_FINDINGS,
        Side=Side,
        EventSource=EventSource,
        Verdict=Verdict,
        Role=Role,
    )
    environment.filters.update(
        duration=units.format_duration,
        quantity=units.format_quantity,
        breakable=breakable,
        frame_place=frame_place,
        at_percentile=_at_percentile,
        milliseconds=_milliseconds,
        amount=_amount,
        signed_amount=_signed_amount,
        share=_share,
        cores=_cores,
        noise=within_noise,
        clock_end_s=_clock_end_s,
        clock_place=_clock_place,
        in_order=in_order,
    )
    return environment


def _flames(document: Document, profiles: Profiles) -> list[FlameRow]:
    """The flame graphs, first the one that shows the leading cause, or what moves the leading metric."""
    leading = wording.leading(document)
    if leading is None:
        return list(profiles.flames)
    known = METRICS.get(leading[0].metric.name)
    told = {fact.quantity for cause in leading[0].causes[:1] for fact in cause.facts}
    shown = next((kind for kind in ProfileKind if kind.quantity in told), known.profile if known else None)
    return sorted(profiles.flames, key=lambda flame: flame.event != shown)


def _cause_frame(document: Document) -> str | None:
    """The frame that the leading cause names, which the flame graph leads to; None where it names none."""
    leading = wording.leading(document)
    causes = leading[0].causes[:1] if leading else ()
    scopes = [scope for cause in causes for scope in (cause.scope, *(fact.scope for fact in cause.facts))]
    return next((scope.frame for scope in scopes if scope.frame), None)


@dataclass(frozen=True, kw_only=True)
class FrameTable:
    """The changed frames of one kind of profile."""

    event: ProfileKind
    title: str
    unit: str
    rows: tuple[FrameRow, ...]

    @property
    def blamed(self) -> int:
        """How many are to blame."""
        return sum(row.blamed for row in self.rows)

    @property
    def first(self) -> int:
        """How many rows are shown before anything is searched for: what changed; of nothing but noise, the hottest."""
        changed = sum(not within_noise(row) for row in self.rows)
        return min(_FIRST_FRAMES, changed or len(self.rows))

    @property
    def largest_change(self) -> float:
        """Without sign; bars are drawn as parts of it."""
        return max((abs(row.self_change or 0.0) for row in self.rows), default=0.0)


def _frame_tables(frames: Sequence[FrameRow]) -> list[FrameTable]:
    """A table for each kind of profile, in the order of the frames; what changed stands before what did not."""
    kinds = dict.fromkeys(frame.event for frame in frames)
    frames = sorted(frames, key=lambda frame: (not frame.blamed, within_noise(frame)))
    return [
        FrameTable(
            event=event,
            title=event.quantity,
            unit=event.unit,
            rows=tuple(frame for frame in frames if frame.event == event)[:_FRAMES],
        )
        for event in kinds
    ]


def breakable(text: str) -> Markup:
    """`text` escaped, with places after dots and slashes at which a browser may break a long name."""
    pieces = _JOINT.split(text)
    return Markup("").join(
        Markup("{}<wbr>").format(each) if place % 2 else escape(each) for place, each in enumerate(pieces)
    )


def frame_place(frame: str) -> tuple[str, str]:
    """A frame's package, and its class with the method: what is read first is the latter."""
    package, dot, method = frame.rpartition(".")
    before, inner_dot, owner = package.rpartition(".")
    return before + inner_dot, owner + dot + method


def within_noise(frame: FrameRow) -> bool:
    """Whether the interval of the change reaches zero, or none is claimed."""
    if frame.low is None or frame.high is None or frame.descriptive:
        return not frame.descriptive
    return frame.low <= 0 <= frame.high


def _diff_views(document: Document) -> list[tuple[str, str]]:
    """Title and address of each diff that the server named in the document can show."""
    if document.elsewhere is None:
        return []
    drawn = {flame.event for flame in document.profiles.flames} if document.profiles else set()
    shown = [kind for kind in ProfileKind if kind in drawn] or list(ProfileKind)
    return [(kind.quantity, diff_view(document.elsewhere, kind)) for kind in shown]


def _own(relative: str) -> str:
    return paths.brought(relative).read_text(encoding="utf-8")


def _policy(*, style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _curve_data(profiles: Profiles) -> dict[str, Any]:
    """What the script draws, with the names of the profiles' own shapes; four digits are finer than a pixel."""
    data = {
        "pooled_grid": profiles.pooled_grid,
        "window_grid": profiles.window_grid,
        "curves": [asdict(curves) for curves in profiles.curves],
    }
    return {name: _short(value) for name, value in data.items()}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.4g}")
        return short if math.isfinite(short) else value  # the largest numbers round to none
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_short(item) for item in value]
    return value


def _clock_end_s(timeline: PairTimeline) -> float:
    return max((window.end_s for window in timeline.windows), default=0.0)


def _clock_place(seconds: float, whole_s: float) -> str:
    """A time in percent of a width that stands for `whole_s`, at its edge where it lies beyond."""
    share = seconds / whole_s if whole_s else 0.0
    return f"{100 * min(1.0, max(0.0, share)):.2f}"


def in_order(request: RequestRow) -> list[EventRow]:
    """What happened during a request: spans before what they hold, then by time."""
    return sorted(request.events, key=lambda event: (math.inf if event.at_ms is None else event.at_ms, event.depth))


def _at_percentile(curve: SideCurves, percentile: float, profiles: Profiles) -> str:
    values = dict(zip(profiles.pooled_grid, curve.pooled, strict=False))
    return _milliseconds(values.get(percentile))


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else units.format_quantity(value, "ms")


def _amount(value: float | None, unit: str) -> str:
    """In a column of milliseconds the decimals stand below each other; bytes carry their unit."""
    if value is None:
        return "–"
    return f"{value:.3f}" if unit == "ms" and abs(value) < _ALIGNED else units.format_quantity(value, unit)


def _share(value: float | None) -> str:
    """Of cores in whole percents; what is no share is shown as it is."""
    if value is None:
        return "–"
    return f"{100 * value:.0f}%" if abs(value) < _SHARES else units.format_quantity(100 * value, "%")


def _cores(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if abs(value) < _SHARES else units.format_quantity(value, "1")


def _signed_amount(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    shown = _amount(abs(value), unit)
    return shown if _ZERO.fullmatch(shown) else ("−" if value < 0 else "+") + shown
