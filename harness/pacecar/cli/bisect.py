"""The command that finds the commit which made the service slower."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import archive_of
from pacecar.archive.bisections import find_bisection
from pacecar.cli import bisect_text
from pacecar.cli.live import Live
from pacecar.cli.options import ConfigOption, DryOption, JsonOption, NoWaitOption, SetOption
from pacecar.cli.printing import say
from pacecar.errors import Interrupted, PacecarError, UsageError
from pacecar.system.interruption import answer_signals
from pacecar.workflow import requests
from pacecar.workflow.requests import MetricChoice
from pacecar.workflow.searching import UNDECIDED, NotCertain, NothingToFind, Search, search_of


def bisect(
    good: Annotated[str | None, typer.Option(metavar="REF", help="A commit before the change.")] = None,
    bad: Annotated[str | None, typer.Option(metavar="REF", help="A commit after it.")] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="The metric to follow, such as cpu; by default, those that regressed and decide."),
    ] = None,
    endpoint: Annotated[str | None, typer.Option(help="The metric's endpoint, such as 'GET /orders'.")] = None,
    first_parent: Annotated[bool, typer.Option("--first-parent", help="Count a merged branch as one commit.")] = False,
    resume: Annotated[str | None, typer.Option(metavar="ID", help="Continue an interrupted search.")] = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    settings: SetOption = None,
    dry_run: DryOption = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Find the commit that made the service slower."""
    if resume:
        if good or bad or metric or endpoint or first_parent or settings:
            raise UsageError(
                "A resumed search keeps the options it was started with.",
                hint=f"Give no other option: pacecar bisect --resume {resume}",
            )
        bisection = find_bisection(archive_of(config_path), resume)
    else:
        asked = MetricChoice(metric=metric or None, endpoint=endpoint or None)
        bisection = requests.search(
            config_path, good=good, bad=bad, asked=asked, settings=settings or (), first_parent=first_parent
        )
    live = Live()
    search = search_of(bisection, live, archive=archive_of(config_path))
    experiment = search.experiment()  # what is wrong with it is said before the machine is waited for
    if dry_run:
        say(bisect_text.plan(search, experiment, json=json))
        return 0
    answer_signals()
    with live, search.alone(wait=not no_wait, resumed=bool(resume)):
        return _searched(search, config_path=config_path, json=json)


def _searched(search: Search, *, config_path: Path, json: bool) -> int:
    again = f"pacecar bisect --resume {search.bisection.bisection_id}"
    if config_path != Path("pacecar.toml"):
        again += f" --config {config_path}"
    search.observer.note(f"bisection {search.bisection.bisection_id}; if it is interrupted: {again}")
    try:
        suspects = search.suspects()
    except (NothingToFind, NotCertain):
        raise
    except (PacecarError, Interrupted) as error:
        error.hint = "\n  ".join(filter(None, (error.hint, f"What was measured is kept. To continue: {again}")))
        raise
    found = bisect_text.SearchResult.of(search.bisection, suspects, history=search.history, archive=search.archive)
    say(found.as_json() if json else found.as_text())
    return 0 if len(suspects) == 1 else UNDECIDED
