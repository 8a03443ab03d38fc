"""Measuring a submission, in the job that a cluster runs for it."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from pacecar import __version__
from pacecar.archive import archive_of, handover
from pacecar.archive.promotions import SharedStore
from pacecar.archive.runs import RunDirectory, make_root, runs_folder
from pacecar.archive.shared import Shared
from pacecar.archive.stores import shared_of
from pacecar.ending import told_as
from pacecar.errors import Interrupted, PacecarError, UsageError
from pacecar.inputs import config
from pacecar.measurement.session.preparing import Prepared
from pacecar.measurement.session.request import Request
from pacecar.model.recording import Pair, RunKind, RunState
from pacecar.reporting.document import Document
from pacecar.system.disk import durable
from pacecar.workflow.cluster.job import SUBMISSION
from pacecar.workflow.cluster.submission import Submission, prepared_from, read
from pacecar.workflow.comparing import compare
from pacecar.workflow.experiments import experiment_of
from pacecar.workflow.measuring import UNOBSERVED, Observer
from pacecar.workflow.publishing import share


def conduct(order: Path, work: Path, observer: Observer = UNOBSERVED) -> Document | None:
    """Measure what the folder `order` tells, and leave the run in the store.

    Args:
        order: the submission and the files of its project.
        work: a folder that may be written to.
        observer: told what goes on.

    Returns:
        The document of the run; None where an earlier attempt has completed it.

    Raises:
        Interrupted: when the pod is taken away; pairs that were whole are in the store.
        PacecarError: when the run fails; the store says why.
    """
    submission = read(order / SUBMISSION)
    request = _request(submission, _laid_out(submission, order, work / "project"))
    shared = shared_of(request.archive, request.shared)
    assert shared is not None  # a submission has a store
    try:
        return _conducted(submission, request, shared, work=work, observer=observer)
    except Interrupted:  # the cluster has another pod go on, or somebody wants no more of it
        raise
    except Exception as error:
        told = told_as(error)
        ended = handover.Ended(exit_code=told.exit_code, message=told.message, hint=told.hint)
        try:
            handover.end(shared, submission.run_id, ended)
        except PacecarError as unheard:
            observer.note(f"That could not be noted in the store: {unheard.message}")
        raise


def _conducted(
    submission: Submission, request: Request, shared: Shared, *, work: Path, observer: Observer
) -> Document | None:
    if submission.version != __version__:
        raise UsageError(
            f"This run was sent by Pacecar {submission.version}, but the image holds {__version__}.",
            hint="Build the image anew with that version, and name it: target.kubernetes.sidecar",
        )
    begun = _begun(submission.run_id, request, shared)
    if begun is not None and begun.manifest.state is RunState.COMPLETE:
        return None

    def stored(run: RunDirectory, _pair: Pair) -> None:
        _put_so_far(shared, run, observer)

    run, document = compare(
        request, observer, begun=begun, prepared=_prepared(submission, shared, work / "parts"), stored=stored
    )
    share(run, archive=request.archive, shared=request.shared, note=observer.note)
    stored_as = shared.find(submission.run_id)
    if stored_as is None or stored_as.state is not RunState.COMPLETE:
        raise UsageError(
            "The run was measured, but the store did not take all of it.",
            hint=f"Once the store works again, continue from what it has: pacecar submit --resume {submission.run_id}",
        )
    SharedStore(shared).supersede(submission.run_id)
    return document


def _put_so_far(shared: Shared, run: RunDirectory, observer: Observer) -> None:
    """Put the pairs so far into the store. That it is down now ends nothing: at the end it is asked again."""
    try:
        shared.put_so_far(run)
        SharedStore(shared).supersede(run.manifest.run_id)
    except PacecarError as error:
        observer.note(f"not stored yet: {error.message}")


def _laid_out(submission: Submission, order: Path, project: Path) -> Path:
    """Lay the project out below `project`; returns its configuration file."""
    for name, key in submission.project.items():
        target = Path(os.path.normpath(project / name))
        if not target.is_relative_to(project):
            raise UsageError(f"{name} is not a path in a project.", hint="Submit it again: pacecar submit")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(order / key, target)
    return project / submission.config


def _request(submission: Submission, config_path: Path) -> Request:
    text = config_path.read_text(encoding="utf-8")
    configuration = config.parse(text, config_path, overrides=submission.overrides)
    experiment = experiment_of(configuration, options=submission.options, sides=())
    builds = {side: build.request for side, build in submission.builds.items()}
    return Request(
        experiment=replace(experiment, builds=builds),
        kind=RunKind.PAIRED,
        archive=archive_of(config_path),
        shared=submission.archive,
        configuration=configuration.text,
        options=submission.options,
        repeat=submission.repeat,
        run_id=submission.run_id,
    )


def _prepared(submission: Submission, shared: Shared, folder: Path) -> Prepared:
    folder.mkdir(parents=True)
    for name, part in submission.parts.items():
        handover.fetch(shared, part, folder / name)
    return prepared_from(submission, folder)


def _begun(run_id: str, request: Request, shared: Shared) -> RunDirectory | None:
    """What an earlier attempt has left in the store, in the archive of this one; None where there was none."""
    stored = shared.find(run_id)
    if stored is None:
        return None
    fetched = shared.fetch(stored)
    make_root(request.archive)
    here = runs_folder(request.archive) / run_id
    durable.copy_files(fetched.path, here)
    return RunDirectory.open(here)
