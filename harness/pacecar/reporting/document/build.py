"""From what was recorded and concluded to one document."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.frames import FrameChange
from pacecar.model.recording import LibraryChange, Manifest, Pair
from pacecar.reporting.document import conclusion, wording
from pacecar.reporting.document.cause_rows import ledger_row
from pacecar.reporting.document.curves import latency_curves
from pacecar.reporting.document.files import tidied
from pacecar.reporting.document.flames import flame_row
from pacecar.reporting.document.profile_shapes import (
    POOLED_GRID,
    PROFILES_VERSION,
    WINDOW_GRID,
    OmittedProfiles,
    Profiles,
)
from pacecar.reporting.document.provenance import pair_rows, provenance
from pacecar.reporting.document.provenance_shapes import LibraryRow
from pacecar.reporting.document.shapes import (
    DOCUMENT_VERSION,
    UNMEASURED,
    Document,
    JudgedMetric,
    Omitted,
    PairRow,
    PyroscopeLinks,
)
from pacecar.reporting.document.staircase import climb_rows
from pacecar.reporting.document.tidy import cut
from pacecar.reporting.document.timeline import timelines
from pacecar.reporting.document.warning_lines import warning_lines

#: Longest lists of `document.json`; `files.write_document` cuts further where even these are too large.
_JUDGEMENTS = 400
_FINDINGS = 25
#: Frames of each kind of profile.
_FRAMES = 10
_PAIRS = 60
_WARNINGS = 50
_LIBRARIES = 100
_LEDGERS = 24
_CLIMBS = 24
#: Longest list of frames in `profiles.json`.
_ALL_FRAMES = 2000


def build_document(
    comparison: Comparison,
    manifest: Manifest,
    baseline_manifest: Manifest | None,
    pairs: Sequence[Pair],
    *,
    baseline_pairs: Sequence[Pair] = (),
    elsewhere: PyroscopeLinks | None = None,
) -> Document:
    """The document of a comparison, with its profiles.

    Args:
        comparison: what was concluded.
        manifest: of the candidate's run.
        baseline_manifest: of the stored baseline; None when both sides ran side by side.
        pairs: all recorded pairs, voided ones too.
        baseline_pairs: those of the stored baseline, its forks on the baseline's side; numbers may be those of `pairs`.
        elsewhere: a server on which the profiles can be browsed.
    """
    more: dict[str, int] = {}
    judgements, more["judgements"] = cut([*map(conclusion.judged_metric, comparison.judgements)], limit=_JUDGEMENTS)
    findings, more["findings"] = cut([*map(conclusion.finding_row, comparison.findings)], limit=_FINDINGS)
    frames = _hottest(comparison.frames)
    more["frames"] = len(comparison.frames) - len(frames)
    rows, more["pairs"] = cut(_all_pairs(comparison, baseline_pairs, pairs), limit=_PAIRS)
    warnings, more["warnings"] = cut(warning_lines(comparison.cautions), limit=_WARNINGS)
    libraries, more["libraries"] = _libraries(manifest.changed_libraries)
    ledgers, more["ledgers"] = cut([*map(ledger_row, comparison.ledgers)], limit=_LEDGERS)
    climbs, more["climbs"] = cut(climb_rows([*baseline_pairs, *pairs]), limit=_CLIMBS)
    document = Document(
        schema_version=DOCUMENT_VERSION,
        run_id=manifest.run_id,
        baseline_run_id=baseline_manifest.run_id if baseline_manifest else None,
        created=manifest.created,
        mode=comparison.mode,
        verdict=comparison.verdict,
        headline=_headline(comparison, judgements),
        reason=comparison.reason,
        pairs_judged=comparison.pairs,
        pairs_planned=comparison.planned,
        earlier_runs=comparison.earlier_runs,
        pace_apart=comparison.pace_apart,
        judgements=judgements,
        findings=findings,
        ledgers=ledgers,
        climbs=climbs,
        frames=tuple(map(conclusion.frame_row, frames)),
        pairs=rows,
        warnings=warnings,
        libraries=libraries,
        provenance=provenance(manifest, baseline=baseline_manifest, pairs=[*baseline_pairs, *pairs]),
        omitted=Omitted(**more),
        elsewhere=elsewhere,
        profiles=_profiles(comparison, manifest, pairs, baseline_pairs),
    )
    return tidied(document)


def _libraries(changes: Sequence[LibraryChange]) -> tuple[tuple[LibraryRow, ...], int]:
    rows = [LibraryRow(name=each.name, baseline=each.baseline, candidate=each.candidate) for each in changes]
    return cut(rows, limit=_LIBRARIES)


def _headline(comparison: Comparison, judgements: Sequence[JudgedMetric]) -> str:
    if comparison.mode == UNMEASURED:
        return "The builds are the same"
    return wording.headline(comparison.verdict, reason=comparison.reason, judgements=judgements)


def _all_pairs(comparison: Comparison, baseline: Sequence[Pair], candidate: Sequence[Pair]) -> list[PairRow]:
    rows = [
        *pair_rows(baseline, voided=comparison.baseline_voided),
        *pair_rows(candidate, voided=comparison.voided),
    ]
    return sorted(rows, key=lambda row: row.number)


def _hottest(frames: Sequence[FrameChange]) -> list[FrameChange]:
    """The first of each kind of profile."""
    by_kind: dict[str, list[FrameChange]] = {}
    for frame in frames:
        by_kind.setdefault(frame.event, []).append(frame)
    return [frame for of_kind in by_kind.values() for frame in of_kind[:_FRAMES]]


def _profiles(
    comparison: Comparison, manifest: Manifest, pairs: Sequence[Pair], baseline_pairs: Sequence[Pair]
) -> Profiles:
    frames, more_frames = cut([conclusion.frame_row(each) for each in comparison.frames], limit=_ALL_FRAMES)
    times, more_times = cut(timelines([*baseline_pairs, *pairs]), limit=_PAIRS)
    trusted = [
        *(pair for pair in baseline_pairs if pair.record.number not in comparison.baseline_voided),
        *(pair for pair in pairs if pair.record.number not in comparison.voided),
    ]
    moved = [each for each in comparison.judgements if each.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)]
    curves, more_endpoints = latency_curves(trusted, first=[each.metric.endpoint for each in moved])
    return Profiles(
        schema_version=PROFILES_VERSION,
        run_id=manifest.run_id,
        frames=frames,
        pooled_grid=POOLED_GRID,
        window_grid=WINDOW_GRID,
        curves=curves,
        timelines=times,
        flames=tuple(flame_row(each) for each in comparison.flames),
        requests=(),
        omitted=OmittedProfiles(frames=more_frames, curves=more_endpoints, timelines=more_times),
    )
