"""From what a run recorded to the document of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from pacecar.analysis.criteria import Context, Criteria, StoredContext
from pacecar.analysis.overall_verdict import nothing_to_measure
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.stored import as_baseline, compare_stored
from pacecar.analysis.verdicts.acceptance import with_acceptances
from pacecar.archive import RunError, archive_of
from pacecar.archive.baselines import Store, baseline_run, list_baselines
from pacecar.archive.folders import FolderStore
from pacecar.archive.forwarded import Forwarded, forwarded
from pacecar.archive.history import design_of, recall, remember
from pacecar.archive.runs import RunDirectory
from pacecar.inputs import config
from pacecar.inputs.config import Configuration
from pacecar.measurement.session.progress import Phase
from pacecar.model.comparison import Comparison
from pacecar.model.experiment import Experiment, Side
from pacecar.model.recording import Fingerprint, Manifest, Pair, RunState
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.document.request_rows import with_requests
from pacecar.reporting.document.shapes import ForwardedSide, PyroscopeLinks
from pacecar.workflow.experiments import judged_experiment, refuse_expired
from pacecar.workflow.history import bring
from pacecar.workflow.stores import archive_around, shared_archive_at, store_at

#: Earlier baselines of a branch that show how much days differ.
_RECENT = 9
#: Of so many it is looked whether they were made on a machine of this kind: each may have to be fetched.
_FETCHED = 20


#: Takes a sentence that a person should know.
Note = Callable[[str], None]


def unheard(_sentence: str) -> None:
    """Nobody listens."""


def evaluate(
    run: RunDirectory,
    *,
    experiment: Experiment | None = None,
    archive: Path | None = None,
    store: Store | None = None,
    just_measured: bool = False,
    note: Note = unheard,
) -> Document:
    """Judge `run`, remember how much its pairs scattered, and return the document of it.

    Args:
        run: a run with at least one pair, or one of builds that are the same.
        experiment: what it is held to; None for what it was made with.
        archive: where the noise of earlier runs is found; None for the one that the run lies in.
        store: where the baseline of a stored comparison is found; None means in the archive.
        just_measured: count the judging as part of the run's own time.
        note: told what of the archive could not be used.

    Raises:
        RunError: when the run, or the baseline it is held against, cannot be read.
    """
    started = time.monotonic()
    experiment = experiment or judged_experiment(run)
    archive = archive or archive_around(run)
    store = store or FolderStore(archive)
    if run.manifest.same is not None:
        return build_document(nothing_to_measure(run.manifest.same), run.manifest, None, ())
    pairs = list(run.pairs())
    baseline = baseline_of(run, store)
    if baseline is None:
        stored: list[Pair] = []
        context = context_of(run, experiment=experiment, archive=archive, note=note)
        comparison = compare_pairs(pairs, Criteria.of(experiment), context)
        _remember(run, comparison, experiment=experiment, archive=archive, note=note)
        comparison = replace(comparison, planned=experiment.plan.pairs)
    else:
        stored = as_baseline(list(baseline.pairs()))
        comparison = compare_stored(stored, pairs, Criteria.of(experiment), _stored_context(run, baseline, store))
    if just_measured:
        _add_to_own_time(run, time.monotonic() - started)
    document = build_document(
        with_acceptances(comparison, experiment.accepted),
        run.manifest,
        baseline.manifest if baseline else None,
        pairs,
        baseline_pairs=stored,
        elsewhere=pyroscope_links_of(run, baseline),
    )
    traced = _traced_pairs(run, comparison, baseline=stored, candidate=pairs)
    return with_requests(document, traced, application=experiment.target.application)


def _traced_pairs(
    run: RunDirectory, comparison: Comparison, *, baseline: Sequence[Pair], candidate: Sequence[Pair]
) -> list[Pair]:
    """The pairs that were measured to see why; without any those that the verdict rests on."""
    return run.explanation() or [
        *(pair for pair in baseline if pair.record.number not in comparison.baseline_voided),
        *(pair for pair in candidate if pair.record.number not in comparison.voided),
    ]


def evaluate_again(
    run: RunDirectory, config_path: Path, *, recorded_budgets: bool = False, note: Note = unheard
) -> Document:
    """Judge `run` by what a configuration says today, whatever machine has measured it.

    Args:
        run: as for `evaluate`.
        config_path: the configuration file; where there is none, the run is judged by what it was made with.
        recorded_budgets: judge by that in any case.
        note: as for `evaluate`.

    Raises:
        RunError: as `evaluate`.
        ConfigError: when the configuration has an error, or something in it was accepted for a time that has passed.
        StoreError: when the baseline lies in a store that cannot be asked.
    """
    experiment = judged_experiment(run)
    if not recorded_budgets and config_path.exists():
        experiment = _judged_today(experiment, config.load(config_path))
    store = store_at(config_path) if run.manifest.options.stored is not None else None
    archive = archive_of(config_path)
    if archive_around(run) != archive:  # of another machine, whose history is not here
        bring(run, experiment, archive=archive, shared=shared_archive_at(config_path), note=note)
    return evaluate(run, experiment=experiment, archive=archive, store=store, note=note)


def _judged_today(experiment: Experiment, current: Configuration) -> Experiment:
    refuse_expired(current, today=date.today())
    return replace(
        experiment,
        budgets=current.budgets,
        gate=current.gate,
        ignored=current.ignored,
        accepted=current.accepted,
        comparisons=current.comparisons,
    )


def _remember(run: RunDirectory, comparison: Comparison, *, experiment: Experiment, archive: Path, note: Note) -> None:
    manifest = run.manifest
    try:
        remember(archive, design_of(experiment, manifest.machine), manifest.run_id, comparison.noise)
    except RunError as error:
        note(f"noise not kept: {error.message}")


def context_of(run: RunDirectory, *, experiment: Experiment, archive: Path, note: Note = unheard) -> Context:
    """What is known of a run whose sides were measured side by side: the same for a look at it and for its verdict."""
    plan, manifest = experiment.plan, run.manifest
    return Context(
        history=recall(archive, design_of(experiment, manifest.machine), before=manifest.run_id, told=_left_out(note)),
        most=plan.pairs if plan.stop_early else None,
        ended=manifest.state is RunState.COMPLETE,
        changed_classes=manifest.changed_classes,
        profiled=tuple(run.explanation()) if plan.quick else (),
    )


def _left_out(note: Note) -> Note:
    return lambda sentence: note(f"left out: {sentence}")


def _add_to_own_time(run: RunDirectory, seconds: float) -> None:
    phases = dict(run.manifest.phases_s)
    phases[Phase.HARNESS.value] = phases.get(Phase.HARNESS.value, 0.0) + seconds
    run.write_manifest(replace(run.manifest, phases_s=phases))


def _stored_context(run: RunDirectory, baseline: RunDirectory, store: Store) -> StoredContext:
    then, now = baseline.manifest.machine, run.manifest.machine
    return StoredContext(
        machine_mismatch=mismatch(then, now),
        jvm_mismatch=_differing(then.jvm, now.jvm),
        earlier=_earlier_baselines(store, than=baseline.manifest, run=run.manifest),
    )


def baseline_of(run: RunDirectory, store: Store) -> RunDirectory | None:
    """The stored baseline that `run` is compared with; None where both sides ran side by side."""
    branch = run.manifest.options.stored
    return None if branch is None else baseline_run(store, branch)


def pyroscope_links_of(run: RunDirectory, baseline: RunDirectory | None) -> PyroscopeLinks | None:
    """The server on which both sides can be browsed; None where none has taken profiles of both.

    Args:
        run: with the candidate in it.
        baseline: the stored one that it is compared with; None when both sides ran side by side.
    """
    stored, baseline = baseline is not None, baseline or run
    taken = {(each.url, each.service): each for each in forwarded(baseline.path)}
    for each in forwarded(run.path):
        if (other := taken.get((each.url, each.service))) is not None:
            return PyroscopeLinks(
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


def _earlier_baselines(store: Store, *, than: Manifest, run: Manifest) -> list[list[Pair]]:
    """Pairs of the branch's earlier baselines on machines of this kind, newest last: they show how much days differ."""
    found = [baseline for baseline in list_baselines(store) if baseline.branch == run.options.stored]
    runs = [store.run_of(baseline) for baseline in found[-_FETCHED:] if baseline.run_id != than.run_id]
    alike = [each for each in runs if mismatch(each.manifest.machine, run.machine) is None]
    return [list(each.pairs()) for each in alike[-_RECENT:]]


def mismatch(baseline: Fingerprint, candidate: Fingerprint) -> str | None:
    """Why two machines are not of one kind, in a few words; None when they are."""
    for name, label in (("cpu_model", "processor"), ("cores", "number of cores"), ("jvm", "JVM")):
        if (differing := _differing(getattr(baseline, name), getattr(candidate, name))) is not None:
            return f"the {label} differs ({differing})"
    return None


def _differing(before: object, now: object) -> str | None:
    return None if before == now else f"{before} then, {now} now"
