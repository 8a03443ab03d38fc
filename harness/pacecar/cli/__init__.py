"""The command `pacecar`: parse, call, print.

In: a command line. Out: calls of the workflow, what they found in print, and an exit code.

`commands` lists all of them and loads the one that is called. `measure` holds those that put builds under load,
`submit` those that have a cluster do it, `bisect` the one that searches history with them, `noise` the one that
measures to know the noise, `size` the one that finds a load that fits, `results` those that look at what was recorded,
`explain` the one that says what words of a verdict mean, `exports` what other tools may read of a run, `forward` what a
profile server is sent, `baselines` the stored recordings, `runs` the recorded runs, `on_github` what GitHub's workflows
run, `second_stage` the one of them that is loaded alone, `machine` what concerns this computer and project, `cluster`
what concerns one. Nothing prints but `printing`.
"""

from __future__ import annotations

import os
import sys

import typer
from typer.exceptions import TyperException

from pacecar.errors import Interrupted, UsageError
from pacecar.github.job import is_github
from pacecar.github.job_log import let_nothing_through


def __getattr__(name: str) -> typer.Typer:
    """`app`, the application with all commands, is loaded once it is asked for."""
    if name != "app":
        raise AttributeError(name)
    from pacecar.cli.commands import complete

    return complete()


def run() -> int:
    """Run the command line and return its exit code.

    Raises:
        PacecarError: whatever a command ends with; what the command line itself has wrong, too.
    """
    if is_github(os.environ):
        let_nothing_through()
    from pacecar.cli.commands import application

    try:
        command = typer.main.get_command(application(sys.argv[1:]))
        result = command.main(prog_name="pacecar", standalone_mode=False)
    except TyperException as error:
        raise _usage(error) from error
    except typer.Abort as error:
        raise Interrupted("Interrupted.") from error
    return result if isinstance(result, int) else 0


def _usage(error: TyperException) -> UsageError:
    context = getattr(error, "ctx", None)  # only errors of parsing the command line carry one
    command = context.command_path if context else "pacecar"
    message = error.format_message()
    if not message or message.startswith("Usage:"):  # the whole help, of a group that was given no command
        message = "A command is missing."
    return UsageError(message, hint=f"Try: {command} --help")
