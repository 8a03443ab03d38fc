"""The commands that put builds under load: compare, record, resume."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import archive_of
from pacecar.archive.runs import RunDirectory, find_run
from pacecar.cli.affected import outcomes, show_all
from pacecar.cli.exits import FailOn
from pacecar.cli.live import Live
from pacecar.cli.options import (
    BuildOption,
    ConfigOption,
    DryOption,
    FailOption,
    JsonOption,
    NoWaitOption,
    PairsOption,
    QuickOption,
    RunArgument,
    SeedOption,
    SetOption,
)
from pacecar.cli.plan_text import describe, describe_json
from pacecar.cli.printing import say
from pacecar.cli.verdict import show
from pacecar.errors import UsageError
from pacecar.model.options import PlanOptions
from pacecar.model.recording import RunKind
from pacecar.reporting.document import Document
from pacecar.workflow import Request, comparing, measure
from pacecar.workflow.affected import Against, services_around
from pacecar.workflow.publishing import share
from pacecar.workflow.requests import comparison, recording, unfinished

#: What `--quick` stands for.
QUICK = "plan.tier=quick"
#: The setting behind `--measure-equal`.
MEASURE_EQUAL = "builds.measure_equal=true"


def compare(
    baseline: BuildOption = None,
    candidate: BuildOption = None,
    stored: Annotated[
        str | None, typer.Option(metavar="BRANCH", help="Compare with this branch's stored baseline.")
    ] = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: PairsOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    quick: QuickOption = False,
    fail_on: FailOption = FailOn.REGRESSION,
    affected: Annotated[
        str | None,
        typer.Option(metavar="BASE", help="Compare every service of the repository with this commit, if it changed."),
    ] = None,
    measure_equal: Annotated[
        bool, typer.Option("--measure-equal", help="Measure builds that are the same, too.")
    ] = False,
    dry_run: DryOption = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Measure two builds side by side and judge them."""
    plan = PlanOptions(pairs=pairs, seed=seed)
    settings = [*(settings or ()), *([QUICK] if quick else []), *([MEASURE_EQUAL] if measure_equal else [])]
    if affected:
        if baseline or stored:
            raise UsageError(
                "--affected, --baseline and --stored each name what to compare with.", hint="Use only one of them."
            )
        against = Against(base=affected, candidate=candidate or ".", plan=plan, settings=settings)
        return _all_affected(against, config_path.parent, fail_on=fail_on, dry_run=dry_run, json=json, wait=not no_wait)
    request = comparison(
        config_path, baseline=baseline, candidate=candidate, stored=stored, plan=plan, settings=settings
    )
    if dry_run:
        say(describe_json(request.experiment) if json else describe(request.experiment))
        return 0
    return _told(request, None, fail_on=fail_on, json=json, wait=not no_wait)


def record(
    build: BuildOption = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: PairsOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    dry_run: DryOption = False,
    no_wait: NoWaitOption = False,
) -> int:
    """Measure one build by itself, to keep it as a baseline."""
    plan = PlanOptions(pairs=pairs, seed=seed)
    request = recording(config_path, build=build, plan=plan, settings=settings or ())
    if dry_run:
        say(describe(request.experiment))
        return 0
    recorded(request, wait=not no_wait)
    return 0


def resume(
    run_id: RunArgument = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    fail_on: FailOption = FailOn.REGRESSION,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Continue an interrupted run: only the missing pairs are measured."""
    run = find_run(archive_of(config_path), run_id)
    with run.owned():  # before the machine is waited for: who has the machine may be the one who writes this run
        request = unfinished(run, config_path)
        if request.kind is RunKind.RECORDING and request.options.stored is None:
            recorded(request, begun=run, wait=not no_wait)
            return 0
        return _told(request, run, fail_on=fail_on, json=json, wait=not no_wait)


def compared(
    request: Request, *, begun: RunDirectory | None = None, wait: bool = True
) -> tuple[RunDirectory, Document]:
    """A comparison with its progress on stderr."""
    with Live() as live:
        return comparing.compare(request, live, begun=begun, wait=wait)


def recorded(request: Request, *, begun: RunDirectory | None = None, wait: bool = True) -> RunDirectory:
    """Measure a recording, with its progress on stderr, and say what was recorded."""
    with Live() as live:
        run = measure(request, live, begun=begun, wait=wait)
    share(run, archive=request.archive, shared=request.shared, note=live.note)
    forks = len(run.pair_numbers())
    label = next(iter(request.experiment.builds.values())).label
    say(f"recorded {forks} fork{'' if forks == 1 else 's'} of {label} in {run.path}")
    say(f"Next: pacecar baseline promote {run.path.name} --branch main")
    return run


def _all_affected(against: Against, folder: Path, *, fail_on: FailOn, dry_run: bool, json: bool, wait: bool) -> int:
    if dry_run:
        for service in services_around(folder):
            say(service.name)
        return 0
    found = outcomes(folder, against, compare=lambda request: compared(request, wait=wait))
    return show_all(found, json=json, fail_on=fail_on)


def _told(request: Request, begun: RunDirectory | None, *, fail_on: FailOn, json: bool, wait: bool) -> int:
    run, document = compared(request, begun=begun, wait=wait)
    code = show(document, folder=run.path, json=json, fail_on=fail_on)
    share(run, archive=request.archive, shared=request.shared, note=lambda line: say(line, err=True))
    return code
