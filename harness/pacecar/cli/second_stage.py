"""The command of the second workflow: comment what strangers measured, beside a token that may write.

It imports little: no tables, no statistics, nothing that measures. What is not loaded takes no memory and no time, and
cannot be reached by what an artifact holds.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.printing import say
from pacecar.github.job import job_of
from pacecar.github.second_stage import comment_all


def comment(
    folder: Annotated[
        Path, typer.Argument(envvar="PACECAR_DOCUMENT", help="Where the artifacts were unpacked.")
    ] = Path(),
    author: Annotated[
        str | None,
        typer.Option(
            "--author", envvar="PACECAR_AUTHOR", help="The login the token comments as, if GitHub cannot say."
        ),
    ] = None,
) -> int:
    """Comment what another job has measured, each comparison by itself."""
    for posted in comment_all(job_of(os.environ), folder, author=author):
        say(f"{'edited' if posted.edited else 'wrote'} {posted.url}")
    return 0
