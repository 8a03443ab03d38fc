"""The command that hands a run's profiles to other tools."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.options import ConfigOption, RunArgument
from pacecar.cli.output import looked_at, write
from pacecar.cli.printing import say
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.reporting.export.folded import folded
from pacecar.reporting.export.pprof import pprof
from pacecar.reporting.export.stacks import StackSums, stack_sums
from pacecar.system.disk import durable
from pacecar.workflow.experiments import judged_experiment
from pacecar.workflow.stores import stored_run


class ExportFormat(StrEnum):
    """What other tools read."""

    FOLDED = "folded"
    PPROF = "pprof"


#: Format -> end of the file's name, and how the content is made.
_FORMATS: dict[ExportFormat, tuple[str, Callable[[StackSums], bytes]]] = {
    ExportFormat.FOLDED: ("folded.txt", lambda sums: folded(sums).encode()),
    ExportFormat.PPROF: ("pprof.gz", pprof),
}


def export(
    run_id: RunArgument = None,
    side: Annotated[Side, typer.Option("--side", help="Which build.")] = Side.CANDIDATE,
    profile: Annotated[ProfileKind, typer.Option("--profile", help="Which kind of profile.")] = ProfileKind.CPU,
    format_: Annotated[ExportFormat, typer.Option("--format", help="For which tools.")] = ExportFormat.PPROF,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it.")] = None,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Write one side's stacks for other tools, such as speedscope."""
    run = stored_run(config_path, run_id)
    ending, written = _FORMATS[format_]
    path = output or run.path / f"{side.value}-{profile.value}.{ending}"
    if output is not None:
        looked_at(output, command="pacecar export")
    application = judged_experiment(run).target.application
    sums = stack_sums(list(run.pairs()), side=side, event=profile, application=application)
    if output is not None:
        write(output, written(sums))
    else:
        durable.write_bytes(path, written(sums))
    say(path, err=not path.is_file())
    return 0
