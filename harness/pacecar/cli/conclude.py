"""From what a run recorded to what people and scripts get: judged, written, printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console

from pacecar.archive.baselines import Store, list_baselines, resolve
from pacecar.archive.folders import FolderStore
from pacecar.archive.forwarded import Forwarded, forwarded
from pacecar.archive.history import design_of, recall, remember
from pacecar.archive.runs import RunDirectory
from pacecar.cli.exits import FailOn, exit_code
from pacecar.comparison import Comparison, Noise
from pacecar.experiment import Experiment, Side
from pacecar.judge.acceptance import with_acceptances
from pacecar.judge.paired import compare_pairs
from pacecar.judge.stored import as_baseline, compare_stored
from pacecar.recording import Fingerprint, Manifest, Pair, RunState
from pacecar.report.document import Document, build_document, write_document
from pacecar.report.document.shapes import Elsewhere, ForwardedSide
from pacecar.report.html import write_report
from pacecar.report.metrics import write_metrics
from pacecar.report.terminal import summary
from pacecar.session.progress import Phase

REPORT_NAME = "report.html"
METRICS_NAME = "metrics.prom"
#: Earlier baselines of a branch that show how much days differ.
_RECENT = 9
#: Of so many it is looked whether they were made on a machine of this kind: each may have to be fetched.
_FETCHED = 20


def conclude(
    run: RunDirectory,
    *,
    experiment: Experiment,
    archive: Path,
    store: Store | None = None,
    just_measured: bool = False,
) -> Document:
    """Judge `run`, write document, report and metrics into its folder, and return the document.

    Args:
        run: a run with at least one pair.
        experiment: budgets, gate and application prefixes to judge by.
        archive: where the noise of earlier runs is found.
        store: where the baseline of a stored comparison is found; None means in the archive.
        just_measured: count the judging as part of the run's own time.
    """
    started = time.monotonic()
    pairs = list(run.pairs())
    store = store or FolderStore(archive)
    baseline = baseline_of(run, store)
    if baseline is None:
        plan = experiment.plan
        comparison = compare_pairs(
            pairs,
            budgets=experiment.budgets,
            gate=experiment.gate,
            application=experiment.target.application,
            history=earlier_noise(run.manifest, experiment=experiment, archive=archive),
            most=plan.pairs if plan.stop_early else None,
            ended=run.manifest.state is RunState.COMPLETE,
            changed_classes=run.manifest.changed_classes,
            queries=experiment.queries,
            comparisons=experiment.comparisons,
            accepted=[each.key for each in experiment.accepted],
        )
        remember(archive, design_of(experiment, run.manifest.machine), run.manifest.run_id, comparison.noise)
        comparison = replace(comparison, planned=plan.pairs)
        stored_pairs: list[Pair] = []
    else:
        stored_pairs = as_baseline(list(baseline.pairs()))
        comparison = _against_stored(
            stored_pairs,
            pairs,
            experiment=experiment,
            runs=(baseline.manifest, run.manifest),
            earlier=_earlier_baselines(store, than=baseline.manifest, run=run.manifest),
        )
    if just_measured:
        phases = dict(run.manifest.phases_s)
        phases[Phase.HARNESS.value] = phases.get(Phase.HARNESS.value, 0.0) + time.monotonic() - started
        run.write_manifest(replace(run.manifest, phases_s=phases))
    comparison = with_acceptances(comparison, experiment.accepted)
    document = build_document(
        comparison,
        run.manifest,
        baseline.manifest if baseline else None,
        pairs,
        baseline_pairs=stored_pairs,
        elsewhere=elsewhere_of(run, baseline),
    )
    write_document(document, run.path)
    write_report(document, run.path / REPORT_NAME)
    write_metrics(document, run.path / METRICS_NAME)
    return document


def baseline_of(run: RunDirectory, store: Store) -> RunDirectory | None:
    """The stored baseline that `run` is compared with; None where both sides ran side by side."""
    branch = run.manifest.options.get("stored", "")
    return resolve(store, branch) if branch else None


def elsewhere_of(run: RunDirectory, baseline: RunDirectory | None) -> Elsewhere | None:
    """The server on which both sides can be browsed; None where none has taken profiles of both.

    Args:
        run: with the candidate in it.
        baseline: the stored one that it is compared with; None when both sides ran side by side.
    """
    stored, baseline = baseline is not None, baseline or run
    taken = {(each.url, each.service): each for each in forwarded(baseline.path)}
    for each in forwarded(run.path):
        if (other := taken.get((each.url, each.service))) is not None:
            return Elsewhere(
                url=each.url,
                service=each.service,
                baseline=_forwarded_side(baseline, other, Side.CANDIDATE if stored else Side.BASELINE),
                candidate=_forwarded_side(run, each, Side.CANDIDATE),
            )
    return None


def _forwarded_side(run: RunDirectory, taken: Forwarded, side: Side) -> ForwardedSide:
    # A recording has one side, whatever it was called when it was made.
    return ForwardedSide(
        run_id=run.manifest.run_id,
        side=side if side in run.manifest.builds else side.other,
        from_ms=taken.from_ns // 10**6,
        until_ms=-(-taken.until_ns // 10**6),
    )


def earlier_noise(manifest: Manifest, *, experiment: Experiment, archive: Path) -> Sequence[Noise]:
    """What earlier runs made like this one on a machine of this kind showed of their noise."""
    return recall(archive, design_of(experiment, manifest.machine), before=manifest.run_id)


def show(document: Document, *, folder: Path, json: bool, fail_on: FailOn) -> int:
    """Print the summary (or the document itself) and return the exit code of its verdict."""
    if json:
        typer.echo((folder / "document.json").read_text(encoding="utf-8"))
    else:
        typer.echo(summary(document, colour=Console(file=sys.stdout).color_system is not None))
    return exit_code(document.standing, fail_on)


def _against_stored(
    baseline: Sequence[Pair],
    candidate: Sequence[Pair],
    *,
    experiment: Experiment,
    runs: tuple[Manifest, Manifest],
    earlier: Sequence[Sequence[Pair]],
) -> Comparison:
    return compare_stored(
        baseline,
        candidate,
        budgets=experiment.budgets,
        gate=experiment.gate,
        application=experiment.target.application,
        machine_mismatch=mismatch(runs[0].machine, runs[1].machine),
        jvm_mismatch=_differing(runs[0].machine.jvm, runs[1].machine.jvm),
        earlier=earlier,
        queries=experiment.queries,
    )


def _earlier_baselines(store: Store, *, than: Manifest, run: Manifest) -> list[list[Pair]]:
    """Pairs of the branch's earlier baselines on machines of this kind, newest last: they show how much days differ."""
    branch = run.options["stored"]
    found = [baseline for baseline in list_baselines(store) if baseline.branch == branch]
    runs = [store.run_of(baseline) for baseline in found[-_FETCHED:] if baseline.run_id != than.run_id]
    alike = [each for each in runs if not mismatch(each.manifest.machine, run.machine)]
    return [list(each.pairs()) for each in alike[-_RECENT:]]


def mismatch(baseline: Fingerprint, candidate: Fingerprint) -> str:
    """Why two machines are not of one kind, in a few words; "" when they are."""
    for name, label in (("cpu_model", "processor"), ("cores", "number of cores"), ("jvm", "JVM")):
        if differing := _differing(getattr(baseline, name), getattr(candidate, name)):
            return f"the {label} differs ({differing})"
    return ""


def _differing(before: object, now: object) -> str:
    return "" if before == now else f"{before} then, {now} now"
