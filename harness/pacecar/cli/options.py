"""Options that several commands share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.exits import FailOn

ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
PairsOption = Annotated[int | None, typer.Option("--pairs", min=1, max=100, help="Pairs, instead of the plan's.")]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=2**63 - 1, help="The seed, instead of the plan's."),
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Print the plan and its minutes; measure nothing.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
FailOption = Annotated[FailOn, typer.Option("--fail-on", help="Which verdict makes the command fail.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A key of the configuration for this run, such as plan.side=45s."),
]
QuickOption = Annotated[
    bool,
    typer.Option("--quick", help="Count what can be counted exactly, in two minutes; latency is not looked at."),
]
NoWaitOption = Annotated[
    bool,
    typer.Option(
        "--no-wait",
        envvar="PACECAR_NO_WAIT",
        help="Fail if another measurement runs on this machine, instead of waiting for it to end.",
    ),
]
BuildOption = Annotated[
    str | None, typer.Option(help="A jar, a git ref, a patch, a directory, or a name under builds.named.")
]
RunArgument = Annotated[str | None, typer.Argument(metavar="[RUN]", help="Run id or folder; the latest when left out.")]
