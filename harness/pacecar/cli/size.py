"""The command that finds a load that fits, before the first comparison: size."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.live import Live
from pacecar.cli.options import BuildOption, ConfigOption, JsonOption, NoWaitOption, SetOption
from pacecar.cli.printing import say, say_table
from pacecar.cli.size_text import as_json, conclusion, headings, key_of, planned_by, row, value_of
from pacecar.inputs import config
from pacecar.inputs.config import edit
from pacecar.inputs.config.config_text import ConfigError
from pacecar.workflow.requests import sizing
from pacecar.workflow.sizing import Sizing
from pacecar.workflow.sizing import size as sized

#: As of a measurement that could not be made.
_NONE_FITS = 3


def size(
    build: BuildOption = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    settings: SetOption = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Put the proposed load into the configuration file, and change nothing else."),
    ] = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Find a load that fits the service and this machine, before the first comparison."""
    request = sizing(config_path, build=build, settings=settings or ())
    with Live() as live:
        found = sized(request, live, wait=not no_wait)
    planned = _planned(found, config_path)
    line, refusal = _placed(found, config_path, write=write)
    written = write and line is not None and refusal is None
    if json:
        say(as_json(found, line=line, written=written))
    else:
        say_table(headings(found.experiment.scenario), map(row, found.steps))
        for text in conclusion(found, file=config_path, line=line, planned=planned, written=written):
            say(text)
    if refusal is not None:
        raise refusal
    return _NONE_FITS if found.proposed is None else 0


def _planned(found: Sizing, path: Path) -> str | int | None:
    """The load that the file plans without the settings of this command; None where it has no such load."""
    try:
        scenario = config.load(path).scenario
    except ConfigError:  # it is right with the settings only
        return None
    return planned_by(scenario) if key_of(scenario) == key_of(found.experiment.scenario) else None


def _placed(found: Sizing, path: Path, *, write: bool) -> tuple[int | None, ConfigError | None]:
    """The line of the file in which the proposed load is to stand, or stands by now; and why it was not written."""
    if found.proposed is None:
        return None, None
    key = key_of(found.experiment.scenario)
    try:
        if write:
            return edit.rewrite(path, key, value_of(found.experiment.scenario, found.proposed.amount)), None
        return edit.line_of_key(path, key), None
    except ConfigError as error:
        return None, error if write else None
