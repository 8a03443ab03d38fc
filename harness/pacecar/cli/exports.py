"""The command that hands a run's profiles to other tools."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.experiments import judged_experiment
from pacecar.cli.options import ConfigOption, RunArgument
from pacecar.cli.stores import found
from pacecar.errors import UsageError
from pacecar.experiment import Side
from pacecar.export.folded import folded
from pacecar.export.pprof import pprof
from pacecar.export.stacks import StackSums, stack_sums


class Profile(StrEnum):
    """The kinds of profiles."""

    CPU = "cpu"
    WALL = "wall"
    ALLOC = "alloc"
    LOCK = "lock"


class Format(StrEnum):
    """What other tools read."""

    FOLDED = "folded"
    PPROF = "pprof"


#: Format -> end of the file's name, and how the content is made.
_FORMATS: dict[Format, tuple[str, Callable[[StackSums], bytes]]] = {
    Format.FOLDED: ("folded.txt", lambda sums: folded(sums).encode()),
    Format.PPROF: ("pprof.gz", pprof),
}


def register(app: typer.Typer) -> None:
    """Add this command to `app`."""
    app.command()(export)


def export(
    run_id: RunArgument = "",
    side: Annotated[Side, typer.Option("--side", help="Which build.")] = Side.CANDIDATE,
    profile: Annotated[Profile, typer.Option("--profile", help="Which kind of profile.")] = Profile.CPU,
    format_: Annotated[Format, typer.Option("--format", help="For which tools.")] = Format.PPROF,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it.")] = None,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Write one side's stacks as folded stacks or pprof, for speedscope and others."""
    run = found(config_path, run_id)
    ending, written = _FORMATS[format_]
    path = output or run.path / f"{side.value}-{profile.value}.{ending}"
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", hint=f"Name a file: pacecar export --output {path / ending}")
    application = judged_experiment(run).target.application
    sums = stack_sums(list(run.pairs()), side=side, event=profile.value, application=application)
    path.write_bytes(written(sums))
    typer.echo(path)
    return 0
