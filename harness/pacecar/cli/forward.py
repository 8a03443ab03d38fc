"""The command that hands a stored run's profiles to a Pyroscope server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive.runs import RunDirectory
from pacecar.cli.options import ConfigOption, RunArgument
from pacecar.cli.printing import say
from pacecar.errors import UsageError
from pacecar.inputs import config
from pacecar.inputs.config import server_url
from pacecar.model.experiment import Pyroscope
from pacecar.workflow import forwarding
from pacecar.workflow.experiments import judged_experiment
from pacecar.workflow.stores import store_at, stored_run


def forward(
    run_id: RunArgument = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="The server, instead of the configuration's.")
    ] = None,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Send a stored run's profiles to a Pyroscope server, except the windows it already has."""
    run = stored_run(config_path, run_id)
    target = _target(run, to=to, config_path=config_path)
    sent = forwarding.forward(run, target, store=store_at(config_path))
    say(f"{sent} window{'' if sent == 1 else 's'} sent to {target.url} as {target.service}; it already had the others.")
    return 0


def _target(run: RunDirectory, *, to: str | None, config_path: Path) -> Pyroscope:
    recorded = judged_experiment(run)
    if to is not None:
        try:
            url = server_url(to)
        except ValueError as error:
            raise UsageError(f"--to: {error}.", hint="Such as: --to http://127.0.0.1:4040") from error
        return Pyroscope(url=url, service=recorded.pyroscope.service if recorded.pyroscope else recorded.target.name)
    current = config.load(config_path).pyroscope if config_path.exists() else None
    if (target := current or recorded.pyroscope) is None:
        raise UsageError("No Pyroscope server is named.", hint="Name it: pacecar forward --to http://127.0.0.1:4040")
    return target
