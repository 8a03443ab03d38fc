"""The whole story of a comparison: measured, evaluated, and its files written."""

from __future__ import annotations

from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import store_of
from pacecar.measurement.session.preparing import Prepared
from pacecar.measurement.session.request import Request
from pacecar.reporting.document import Document
from pacecar.workflow.evaluating import evaluate
from pacecar.workflow.measuring import UNOBSERVED, Observer, Stored, measure
from pacecar.workflow.publishing import publish


def compare(
    request: Request,
    observer: Observer = UNOBSERVED,
    *,
    begun: RunDirectory | None = None,
    wait: bool = True,
    prepared: Prepared | None = None,
    stored: Stored | None = None,
) -> tuple[RunDirectory, Document]:
    """Measure what `request` asks for, evaluate it, and publish the files of its run.

    Arguments and errors are those of `measure`, and of `evaluate`.
    """
    run = measure(request, observer, begun=begun, wait=wait, prepared=prepared, stored=stored)
    document = evaluate(
        run,
        experiment=request.experiment,
        archive=request.archive,
        store=store_of(request.archive, request.shared),
        just_measured=True,
        note=observer.note,
    )
    publish(document, run)
    return run, document
