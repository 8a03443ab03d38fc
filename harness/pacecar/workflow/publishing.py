"""Where a document goes: its files in the run's folder, and the store that machines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pacecar.archive import shared_history
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import shared_of
from pacecar.errors import PacecarError
from pacecar.model.shared_archive import SharedArchive
from pacecar.reporting.document import Document, write_document
from pacecar.reporting.html import write_report
from pacecar.reporting.metrics import write_metrics

REPORT_NAME = "report.html"
METRICS_NAME = "metrics.prom"

#: Takes a document and the run it is of.
Sink = Callable[[Document, RunDirectory], None]


def document_files(document: Document, run: RunDirectory) -> None:
    """`document.json` and its sidecar, from which everything else can be rendered again."""
    write_document(document, run.path)


def report_page(document: Document, run: RunDirectory) -> None:
    """The HTML report."""
    write_report(document, run.path / REPORT_NAME)


def metrics_file(document: Document, run: RunDirectory) -> None:
    """The verdict and the estimates as a page for Prometheus."""
    write_metrics(document, run.path / METRICS_NAME)


#: What every run gets in its own folder.
FILES: tuple[Sink, ...] = (document_files, report_page, metrics_file)


def publish(document: Document, run: RunDirectory, sinks: Iterable[Sink] = FILES) -> None:
    """Hand `document` to each of `sinks`, in their order.

    Raises:
        PacecarError: what the first sink that fails says; those before it have done their work.
    """
    for sink in sinks:
        sink(document, run)


def share(run: RunDirectory, *, archive: Path, shared: SharedArchive | None, note: Callable[[str], None]) -> None:
    """Put a finished run, and its noise, into the store that machines share, where there is one that takes all.

    The run is safe on this machine: that the store is down is noted, and changes no verdict.
    """
    if shared is None or not shared.runs:
        return
    try:
        store = shared_of(archive, shared)
        if store:
            store.put(run)
            shared_history.put(store, run.manifest.run_id)
    except PacecarError as error:
        note(f"not stored: {error.message}")
        note(f"  The run is in {run.path}. Store it later: pacecar runs store {run.manifest.run_id}")
    else:
        note(f"stored in {shared.url}")
