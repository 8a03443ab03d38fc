"""The commands that have a cluster measure: submit, follow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive.runs import RunDirectory
from pacecar.cli.exits import FailOn
from pacecar.cli.measure import MEASURE_EQUAL, QUICK, compared
from pacecar.cli.options import (
    BuildOption,
    ConfigOption,
    FailOption,
    JsonOption,
    PairsOption,
    QuickOption,
    SeedOption,
    SetOption,
)
from pacecar.cli.printing import say
from pacecar.cli.verdict import show
from pacecar.errors import Interrupted, UsageError
from pacecar.model.options import PlanOptions
from pacecar.reporting.document import Document, load_document
from pacecar.workflow import Request
from pacecar.workflow.cluster.following import cancel
from pacecar.workflow.cluster.following import follow as followed
from pacecar.workflow.cluster.submitting import Submitted
from pacecar.workflow.cluster.submitting import submit as submitted
from pacecar.workflow.experiments import overrides_of
from pacecar.workflow.measuring import Unobserved
from pacecar.workflow.requests import comparison, interrupted_elsewhere


class _Told(Unobserved):
    """What is made is said on stderr."""

    def note(self, line: str) -> None:
        say(line, err=True)


def submit(
    baseline: BuildOption = None,
    candidate: BuildOption = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: PairsOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    quick: QuickOption = False,
    measure_equal: Annotated[
        bool, typer.Option("--measure-equal", help="Measure builds that are the same, too.")
    ] = False,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="RUN", help="Go on with a run that ended before it was complete.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Follow the run to its verdict; an interrupt ends it in the cluster, too.")
    ] = False,
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Have a cluster measure two builds; you need not stay connected."""
    if resume is not None:
        if any((baseline, candidate, pairs, seed, settings, quick, measure_equal)):
            raise UsageError(
                "--resume continues a run with its own builds and settings, so it takes no others.",
                hint=f"pacecar submit --resume {resume}",
            )
        request, overrides = interrupted_elsewhere(resume, config_path)
    else:
        settings = [*(settings or ()), *([QUICK] if quick else []), *([MEASURE_EQUAL] if measure_equal else [])]
        plan = PlanOptions(pairs=pairs, seed=seed)
        request = comparison(config_path, baseline=baseline, candidate=candidate, plan=plan, settings=settings)
        overrides = overrides_of(settings)
    if follow:
        run, document = measured_in_cluster(request, overrides, config_path)
        return show(document, folder=run.path, json=json, fail_on=fail_on)
    there = submitted(request, overrides, _Told())
    if there is None:
        run, document = compared(request)
        return show(document, folder=run.path, json=json, fail_on=fail_on)
    say(_begun(there))
    say(f"Follow it: pacecar follow {there.run_id}")
    return 0


def follow(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The id that `pacecar submit` has printed.")],
    config_path: ConfigOption = Path("pacecar.toml"),
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Show what a submitted run is doing, and its verdict once there is one."""
    run = followed(run_id, config_path, _said)
    return show(load_document(run.path), folder=run.path, json=json, fail_on=fail_on)


def measured_in_cluster(
    request: Request, overrides: Mapping[str, str], config_path: Path
) -> tuple[RunDirectory, Document]:
    """Have a cluster measure `request`, with its progress on stderr, to the end; an interrupt ends it there, too.

    Builds that are the same need no cluster, for nothing is measured of them.
    """
    there = submitted(request, overrides, _Told())
    if there is None:
        return compared(request)
    say(_begun(there), err=True)
    try:
        run = followed(there.run_id, config_path, _said)
    except Interrupted as interrupted:
        cancel(there.run_id, config_path)
        raise Interrupted(
            f"{interrupted.message.rstrip('.')}, and so was the job in the cluster.",
            hint=f"Complete pairs are kept. To continue: pacecar submit --resume {there.run_id}",
        ) from interrupted
    return run, load_document(run.path)


def _begun(there: Submitted) -> str:
    return f"run {there.run_id} is measured by job {there.job} in {there.namespace}"


def _said(line: str) -> None:
    say(line, err=True)
