"""The noise of earlier runs: brought here from where machines share it, and what is known of it in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pacecar.archive import shared_history
from pacecar.archive.history import design_of, recall
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import shared_of
from pacecar.errors import PacecarError
from pacecar.model.experiment import Experiment
from pacecar.model.shared_archive import SharedArchive


def bring(
    run: RunDirectory,
    experiment: Experiment,
    *,
    archive: Path,
    shared: SharedArchive | None,
    note: Callable[[str], None],
) -> None:
    """Bring what other machines know of the noise of such a run into the local history.

    Noise only spares pairs: that the store is down, or holds something else, is noted and ends nothing.

    Args:
        run: says when, and on what kind of machine.
        experiment: what it is held to.
        archive: the local archive.
        shared: the store; None where there is none.
        note: told what could not be used.
    """
    if shared is None:
        return
    manifest = run.manifest
    try:
        store = shared_of(archive, shared)
        if store is not None:
            design = design_of(experiment, manifest.machine)
            shared_history.fetch(
                store, design, before=manifest.run_id, told=lambda sentence: note(f"left out: {sentence}")
            )
    except PacecarError as error:
        note(f"left out: the noise of earlier runs: {error.message}")


def known(run: RunDirectory, experiment: Experiment, *, archive: Path) -> str:
    """How many earlier runs of such a design the verdicts of `run` could rest on, one sentence.

    Args:
        run: says when, and on what kind of machine.
        experiment: what it is held to.
        archive: where the noise of earlier runs is found.
    """
    manifest = run.manifest
    count = len(recall(archive, design_of(experiment, manifest.machine), before=manifest.run_id))
    if not count:
        return "First run of this design here: no earlier run says how much pairs scatter."
    return f"Noise: {count} earlier run{'' if count == 1 else 's'} of this design on this kind of machine."
