from __future__ import annotations

import math
from dataclasses import replace

from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import BuiltSide, Pair
from pacecar.model.tables import empty_table
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.document.shapes import DependencyRow
from pacecar.reporting.document.wording import likely_cause
from support.documents import HOSTILE, Run, estimate


def test_the_conclusion_is_carried_over(document: Document, example: Run) -> None:
    assert document.verdict is Verdict.REGRESSED
    assert document.reason == example.comparison.reason
    assert len(document.judgements) == len(example.comparison.judgements)
    assert document.judgements[0].estimate is not None
    assert document.judgements[0].estimate.per_pair == tuple(
        float(f"{change:.7g}") for change in example.comparison.judgements[0].estimate.per_pair
    )
    assert likely_cause(document.findings[0]) == example.comparison.findings[0].causes[0].statement


def test_every_pair_is_listed_the_voided_one_with_its_reason(document: Document) -> None:
    assert [pair.number for pair in document.pairs] == [1, 2, 3, 4, 5, 6]
    assert [bool(pair.voided) for pair in document.pairs] == [False, False, True, False, False, False]
    assert document.pairs[0].forks[0].measured_s == 20
    assert document.pairs[0].forks[0].profile is not None
    assert document.pairs[0].forks[0].profile.cpu_ms_per_sample == float(f"{23_600 / 2_327:.7g}")


def test_what_was_started_for_a_fork_is_told_with_what_it_used(document: Document) -> None:
    for fork in document.pairs[0].forks:
        assert fork.dependencies == (DependencyRow(name="store", cpu_s=0.4),)


def test_what_nobody_could_read_of_it_is_not_known(example: Run) -> None:
    pair = example.pairs[0]
    unread = {
        side: replace(fork, tables=fork.tables | {"dependencies": empty_table("dependencies")})
        for side, fork in pair.forks.items()
    }
    document = build_document(example.comparison, example.manifest, None, [replace(pair, forks=unread)])
    assert document.pairs[0].forks[0].dependencies == (DependencyRow(name="store", cpu_s=None),)


def test_a_voided_pair_of_which_nothing_was_kept_is_listed_too(example: Run) -> None:
    comparison = replace(example.comparison, voided={9: "The fork died before its first window."})

    document = build_document(comparison, example.manifest, None, example.pairs)

    assert document.pairs[-1].number == 9
    assert document.pairs[-1].forks == ()
    assert document.pairs[-1].voided == "The fork died before its first window."


def test_the_harness_answers_for_what_is_not_build_deploy_warm_up_or_load(document: Document) -> None:
    provenance = document.provenance

    assert provenance.duration_s == 888.7
    assert provenance.harness_share is not None
    assert math.isclose(provenance.harness_share, 48.5 / 888.7, rel_tol=1e-6)
    assert [phase.name for phase in provenance.phases] == ["load", "warm-up", "harness", "deploy", "build"]


def test_numbers_that_json_cannot_hold_become_none(example: Run) -> None:
    first = example.comparison.judgements[0]
    endless = replace(estimate(0.1, 0.1, 1.0), low=-math.inf, high=math.inf, p_value=math.nan)
    comparison = replace(
        example.comparison,
        judgements=(replace(first, estimate=endless),),
        frames=(replace(example.comparison.frames[0], low=-math.inf, high=math.inf),),
    )

    document = build_document(comparison, example.manifest, None, ())

    assert document.judgements[0].estimate is not None
    assert document.judgements[0].estimate.low is None
    assert document.judgements[0].estimate.p_value is None
    assert document.frames[0].high is None


def test_lists_are_cut_and_say_so(example: Run) -> None:
    comparison = replace(
        example.comparison,
        frames=example.comparison.frames * 10,
        cautions=tuple(Caution.of(CautionKind.STALLS, "warning {n}", n=n) for n in range(70)),
    )

    document = build_document(comparison, example.manifest, None, ())

    assert [frame.event for frame in document.frames] == ["cpu"] * 10 + ["alloc"] * 10, "the first of each kind"
    assert document.omitted.frames == 90 - 20
    assert document.profiles is not None
    assert len(document.profiles.frames) == 90
    assert (len(document.warnings), document.omitted.warnings) == (50, 20)


def test_texts_of_a_build_are_cleaned_and_cut(example: Run) -> None:
    frame = replace(example.comparison.frames[0], frame=f"a.b\x1b[31m{HOSTILE}\ud800" + "x" * 900)
    comparison = replace(example.comparison, frames=(frame,))

    shown = build_document(comparison, example.manifest, None, ()).frames[0].frame

    assert len(shown) == 400
    assert shown.startswith(f"a.b�[31m{HOSTILE}�x")
    assert shown.endswith("…")


def test_a_stored_baseline_brings_its_own_build_and_machine(example: Run) -> None:
    candidate = replace(example.manifest, builds={Side.CANDIDATE: example.manifest.builds[Side.CANDIDATE]})
    stored = BuiltSide(label="v1.4", kind="ref", value="v1.4", commit="aa11", artifact_sha256="c0" * 32)
    machine = replace(example.manifest.machine, cpu_model="Intel Xeon")
    baseline = replace(example.manifest, run_id="2025-11-01-aaaa", builds={Side.CANDIDATE: stored}, machine=machine)

    document = build_document(replace(example.comparison, mode="stored"), candidate, baseline, example.pairs)

    assert [(build.side, build.label) for build in document.provenance.builds] == [
        (Side.BASELINE, "v1.4"),
        (Side.CANDIDATE, "faster-json"),
    ]
    assert document.baseline_run_id == "2025-11-01-aaaa"
    assert document.provenance.baseline_machine is not None
    assert document.provenance.baseline_machine.cpu_model == "Intel Xeon"


def test_a_run_without_any_pair_gives_a_document(example: Run) -> None:
    comparison = replace(
        example.comparison,
        verdict=Verdict.INVALID,
        reason="No pair could be measured.",
        judgements=(),
        findings=(),
        frames=(),
        pairs=0,
        voided={},
    )

    document = build_document(comparison, replace(example.manifest, phases_s={}), None, ())

    assert document.headline == "No pair could be measured."
    assert document.provenance.harness_share is None
    assert document.profiles is not None
    assert document.profiles.curves == ()


def test_numbers_of_a_stored_baseline_are_its_own(example: Run) -> None:
    comparison = replace(example.comparison, mode="stored", voided={3: "late"}, baseline_voided={2: "steal"})
    mine = {side: [_only(pair, side) for pair in example.pairs] for side in Side}

    document = build_document(
        comparison, example.manifest, example.manifest, mine[Side.CANDIDATE], baseline_pairs=mine[Side.BASELINE]
    )

    voided = {(fork.side, row.number): row.voided for row in document.pairs for fork in row.forks if row.voided}
    assert voided == {(Side.CANDIDATE, 3): "late", (Side.BASELINE, 2): "steal"}
    assert [row.number for row in document.pairs] == [number for number in range(1, 7) for _ in Side]
    assert document.profiles is not None
    shown = {side.side: {window.pair for window in side.windows} for side in document.profiles.curves[0].sides}
    assert 3 not in shown[Side.CANDIDATE]
    assert 2 in shown[Side.CANDIDATE]
    assert 2 not in shown[Side.BASELINE]
    assert 3 in shown[Side.BASELINE]


def test_what_was_left_of_a_plan_is_said(example: Run) -> None:
    def stopped(planned: int, mode: str = "paired") -> str | None:
        comparison = replace(example.comparison, planned=planned, mode=mode)
        return build_document(comparison, example.manifest, None, example.pairs).stopped

    assert stopped(12) == "stopped after 6 of at most 12"
    assert [stopped(6), stopped(0), stopped(12, "stored")] == [None, None, None]


def _only(pair: Pair, side: Side) -> Pair:
    windows = tuple(window for window in pair.record.windows if window.side is side)
    forks = {side: pair.forks[side]}
    record = replace(pair.record, windows=windows, forks={side: pair.record.forks[side]})
    return Pair(record=record, forks=forks)
