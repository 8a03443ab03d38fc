"""The commands that put builds under load: compare, record, resume."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import archive_of
from pacecar.archive.runs import RunDirectory, find
from pacecar.archive.stores import store_of
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
    RunArgument,
    SeedOption,
    SetOption,
)
from pacecar.cli.plan_text import describe, describe_json
from pacecar.cli.printing import say
from pacecar.cli.verdict import show
from pacecar.measurement.session.request import Request
from pacecar.model.options import PlanOptions
from pacecar.model.recording import RunKind
from pacecar.reporting.document import Document
from pacecar.workflow import evaluate, measure, publish
from pacecar.workflow.publishing import share
from pacecar.workflow.requests import comparison, recording, unfinished


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
    fail_on: FailOption = FailOn.REGRESSION,
    dry_run: DryOption = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Measure two builds side by side and judge them."""
    request = comparison(
        config_path,
        baseline=baseline,
        candidate=candidate,
        stored=stored,
        plan=PlanOptions(pairs=pairs, seed=seed),
        settings=settings or (),
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
    """Measure one build by itself, to be kept as a baseline."""
    plan = PlanOptions(pairs=pairs, seed=seed)
    request = recording(config_path, build=build, plan=plan, settings=settings or ())
    if dry_run:
        say(describe(request.experiment))
        return 0
    recorded(request, wait=not no_wait)
    return 0


def resume(
    run_id: RunArgument = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    fail_on: FailOption = FailOn.REGRESSION,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Go on with an interrupted run: only the pairs that are missing are measured."""
    run = find(archive_of(config_path), run_id)
    with run.owned():  # before the machine is waited for: who has the machine may be the one who writes this run
        request = unfinished(run, config_path)
        if request.kind is RunKind.RECORDING and request.options.stored is None:
            recorded(request, begun=run, wait=not no_wait)
            return 0
        return _told(request, run, fail_on=fail_on, json=json, wait=not no_wait)


def compared(
    request: Request, *, begun: RunDirectory | None = None, wait: bool = True
) -> tuple[RunDirectory, Document]:
    """The whole story of a comparison, with its progress on stderr: measured, evaluated, and its files written."""
    with Live() as live:
        run = measure(request, live, begun=begun, wait=wait)
    store = store_of(request.archive, request.shared)
    document = evaluate(
        run,
        experiment=request.experiment,
        archive=request.archive,
        store=store,
        just_measured=True,
        note=live.note,
    )
    publish(document, run)
    return run, document


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


def _told(request: Request, begun: RunDirectory | None, *, fail_on: FailOn, json: bool, wait: bool) -> int:
    run, document = compared(request, begun=begun, wait=wait)
    code = show(document, folder=run.path, json=json, fail_on=fail_on)
    share(run, archive=request.archive, shared=request.shared, note=lambda line: say(line, err=True))
    return code
