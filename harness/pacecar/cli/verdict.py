"""A verdict as a command ends with it: printed, and as an exit code."""

from __future__ import annotations

from pathlib import Path

from pacecar.cli.exits import FailOn, exit_code
from pacecar.cli.printing import colours, say
from pacecar.reporting.document import Document
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.terminal import summary


def show(document: Document, *, folder: Path, json: bool, fail_on: FailOn, resumable: bool = False) -> int:
    """Print the summary (or the document itself) and return the exit code of its verdict.

    Args:
        document: the comparison.
        folder: of its run.
        json: print the document itself.
        fail_on: which verdicts fail the command.
        resumable: whether the run was interrupted, and pairs of it are missing.
    """
    if json:
        say((folder / DOCUMENT_NAME).read_text(encoding="utf-8"))
    else:
        say(summary(document, colour=colours(), unfinished=folder.name if resumable else None))
    return exit_code(document.standing, fail_on)
