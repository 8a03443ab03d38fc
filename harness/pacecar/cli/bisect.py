"""The command that finds the commit which made the service slower."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pacecar import config
from pacecar.archive.bisections import find, store
from pacecar.archive.runs import new_run_id
from pacecar.bisection import Bisection, End, Step
from pacecar.builds.commits import History
from pacecar.cli import bisect_text
from pacecar.cli.experiments import archive_of, as_options, overrides_of
from pacecar.cli.options import ConfigOption, DryOption, JsonOption, SetOption
from pacecar.cli.searching import Search
from pacecar.comparison import Verdict
from pacecar.errors import PacecarError, UsageError

#: Exit code of a search that ends with more than one commit, or with ends that cannot be told apart.
UNDECIDED = 4


class NothingToFind(UsageError):
    """The bad commit is not slower than the good one in anything that could be followed."""


class NotCertain(PacecarError):
    """Whether the bad commit is slower than the good one could not be decided."""

    exit_code = UNDECIDED


def register(app: typer.Typer) -> None:
    """Add this command to `app`."""
    app.command()(bisect)


def bisect(
    good: Annotated[str, typer.Option(metavar="REF", help="A commit before the change.")] = "",
    bad: Annotated[str, typer.Option(metavar="REF", help="A commit after it.")] = "",
    metric: Annotated[
        str, typer.Option(help="The metric to follow, as cpu; else those of the gate that regressed.")
    ] = "",
    endpoint: Annotated[str, typer.Option(help="The metric's endpoint, as 'GET /orders'.")] = "",
    first_parent: Annotated[bool, typer.Option("--first-parent", help="Count a merged branch as one commit.")] = False,
    resume: Annotated[str, typer.Option(metavar="ID", help="Go on with an interrupted search.")] = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    settings: SetOption = None,
    dry_run: DryOption = False,
    json: JsonOption = False,
) -> int:
    """Find the commit that made the service slower."""
    if resume:
        if good or bad or metric or endpoint or first_parent or settings:
            raise UsageError(
                "A search goes on as it was begun.", hint=f"Give nothing else: pacecar bisect --resume {resume}"
            )
        bisection = find(archive_of(config_path), resume)
    else:
        asked = {"metric": metric, "endpoint": endpoint}
        bisection = _begun(good, bad, asked, config_path=config_path, settings=settings, first_parent=first_parent)
    configuration = config.parse(bisection.configuration, Path(bisection.options["config"]))
    search = Search(
        bisection=bisection,
        archive=archive_of(config_path),
        history=History.of(configuration.source),
        tell=lambda line: typer.echo(line, err=True),
    )
    experiment = search.experiment()  # what is wrong with a metric's name is said before anything is measured
    if dry_run:
        typer.echo(bisect_text.plan(bisection, experiment, history=search.history, json=json))
        return 0
    return _searched(search, config_path=config_path, json=json)


def _begun(
    good: str, bad: str, asked: dict[str, str], *, config_path: Path, settings: list[str] | None, first_parent: bool
) -> Bisection:
    if not good or not bad:
        raise UsageError(
            "Two commits are needed: one before the change and one after it.",
            hint="Such as: pacecar bisect --good v1.2 --bad HEAD",
        )
    if asked["endpoint"] and not asked["metric"]:
        raise UsageError("--endpoint needs a metric.", hint="Such as: --metric latency.p99 --endpoint 'GET /orders'")
    overrides = overrides_of(settings or ())
    configuration = config.load(config_path, overrides=overrides)
    history = History.of(configuration.source)
    history.require_ancestor(good, bad)
    before, after = history.commit(good), history.commit(bad)
    options = {name: value for name, value in asked.items() if value} | as_options(overrides)
    return Bisection(
        bisection_id=new_run_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        good=End(ref=good, commit=before),
        bad=End(ref=bad, commit=after),
        first_parent=first_parent,
        candidates=len(history.candidates([before], after, first_parent=first_parent)),
        configuration=configuration.text,
        options=options | {"config": str(configuration.path.resolve())},
    )


def _searched(search: Search, *, config_path: Path, json: bool) -> int:
    again = f"pacecar bisect --resume {search.bisection.bisection_id}"
    if config_path != Path("pacecar.toml"):
        again += f" --config {config_path}"
    store(search.archive, search.bisection)
    search.tell(f"bisection {search.bisection.bisection_id}; if it is interrupted: {again}")
    try:
        ends = search.compare_ends()
        suspects = search.carry_out() if search.bisection.followed else ()
    except PacecarError as error:
        error.hint = "\n  ".join(filter(None, (error.hint, f"What was measured is kept. Go on: {again}")))
        raise
    if not suspects:
        raise _nothing_to_find(search.bisection, ends)
    found = bisect_text.Found.of(search.bisection, suspects, history=search.history, archive=search.archive)
    typer.echo(found.as_json() if json else found.as_text())
    return 0 if len(suspects) == 1 else UNDECIDED


def _nothing_to_find(bisection: Bisection, ends: Step) -> PacecarError:
    """Why there is no metric to follow, with the exit code of the verdict on the ends."""
    verdicts = {each.verdict for each in ends.seen}
    between, reason = f"between {bisection.good.ref} and {bisection.bad.ref}", ends.reason.rstrip(".")
    look = f"See what was measured: pacecar open {ends.run_id}"
    if Verdict.REGRESSED in verdicts:
        return NothingToFind(f"What regressed {between} cannot be followed: {reason}.", hint=look)
    if Verdict.INCONCLUSIVE in verdicts:
        return NotCertain(
            f"It is not certain that anything became slower {between}: {reason}.",
            hint="Measure more pairs: --set plan.pairs=20; or follow one metric alone: --metric cpu",
        )
    return NothingToFind(f"By its budgets nothing became slower {between}: {reason}.", hint=look)
