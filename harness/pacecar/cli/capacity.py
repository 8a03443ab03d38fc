"""The command that finds how much load builds bear: capacity."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.capacity_text import HEADINGS, as_json, conclusion, rows
from pacecar.cli.exits import FailOn, exit_code
from pacecar.cli.live import Live
from pacecar.cli.options import BuildOption, ConfigOption, FailOption, JsonOption, NoWaitOption, SetOption
from pacecar.cli.printing import say, say_table
from pacecar.errors import UsageError
from pacecar.text.units import parse_duration_s, parse_percentage
from pacecar.workflow.capacity import bear
from pacecar.workflow.requests import staircase

#: As of a measurement that could not be made.
_NOTHING_FOUND = 3
_LONGEST_S = 60.0
#: Pairs of two builds, and forks of one.
_PAIRS, _FORKS = 3, 1

_SideOption = Annotated[str | None, typer.Option(help="One of two builds that are measured side by side.")]


def capacity(
    build: BuildOption = None,
    baseline: _SideOption = None,
    candidate: _SideOption = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    within: Annotated[
        str | None,
        typer.Option(help="The latency that 95% of the requests must stay within; by default 5 times the first."),
    ] = None,
    budget: Annotated[str, typer.Option(help="With two builds: the loss that is tolerated.")] = "10%",
    pairs: Annotated[
        int | None, typer.Option(min=1, max=20, help="Pairs of fresh forks: by default 3, or 1 of a single build.")
    ] = None,
    settings: SetOption = None,
    no_wait: NoWaitOption = False,
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Find the highest rate that a build can take, or each of two builds."""
    within_ms, tolerated = _within_ms(within), _budget(budget)
    request = staircase(config_path, build=build, baseline=baseline, candidate=candidate, settings=settings or ())
    two = len(request.experiment.builds) > 1
    with Live() as live:
        found = bear(request, live, within_ms=within_ms, pairs=pairs or (_PAIRS if two else _FORKS), wait=not no_wait)
    if json:
        say(as_json(found, budget=tolerated))
    else:
        say_table(HEADINGS, rows(found))
        for line in conclusion(found, budget=tolerated):
            say(line)
    if found.ended is not None:
        raise found.ended
    if (verdict := found.verdict(tolerated)) is not None:
        return exit_code(verdict, fail_on)
    return 0 if all(set(each.capacities) == set(each.climbs) for each in found.staircases) else _NOTHING_FOUND


def _within_ms(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = parse_duration_s(text)
    except ValueError as error:
        raise UsageError(f"--within: {error}.", hint='Write it as --within "250 ms".') from None
    if not 0 < seconds <= _LONGEST_S:
        raise UsageError(
            f"--within: {text.strip()} is not above zero and at most {_LONGEST_S:.0f} s.",
            hint='Write it as --within "250 ms".',
        )
    return 1e3 * seconds


def _budget(text: str) -> float:
    try:
        fraction = parse_percentage(text)
    except ValueError as error:
        raise UsageError(f"--budget: {error}.", hint="Write it as --budget 10%.") from None
    if not 0 < fraction < 1:
        raise UsageError(f"--budget: {text.strip()} is not between 0% and 100%.", hint="Write it as --budget 10%.")
    return fraction
