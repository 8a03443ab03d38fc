"""The commands that put builds under load: compare, record, resume."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from pacecar import config
from pacecar.archive.baselines import resolve
from pacecar.archive.runs import RunDirectory, find
from pacecar.archive.stores import shared_of, store_of
from pacecar.cli.conclude import conclude, earlier_noise, show
from pacecar.cli.exits import FailOn
from pacecar.cli.experiments import (
    archive_of,
    as_arguments,
    as_options,
    experiment_of,
    experiment_of_run,
    overrides_of,
    pinned,
    refuse_expired,
)
from pacecar.cli.forward import forwarder_of, tell
from pacecar.cli.options import (
    ConfigOption,
    DryOption,
    FailOption,
    JsonOption,
    PairsOption,
    RunArgument,
    SeedOption,
    SetOption,
)
from pacecar.cli.plan_text import describe, describe_json
from pacecar.cli.stores import put_finished, wanted_at
from pacecar.comparison import Look
from pacecar.config import Configuration
from pacecar.custody import Custody, sweep
from pacecar.errors import UsageError
from pacecar.experiment import Experiment, SharedArchive, Side
from pacecar.judge.paired import look
from pacecar.live import Live
from pacecar.peers import credentials
from pacecar.peers.exchange import Server
from pacecar.peers.prometheus import require_understood
from pacecar.recording import Pair, RunKind, RunState
from pacecar.session.run import Conduct, Order

BuildOption = Annotated[str, typer.Option(help="A jar, a git ref, a patch, a directory, or a name under builds.named.")]


def register(app: typer.Typer) -> None:
    """Add these commands to `app`."""
    app.command()(compare)
    app.command()(record)
    app.command()(resume)


def compare(
    baseline: BuildOption = "",
    candidate: BuildOption = "",
    stored: Annotated[str, typer.Option(metavar="BRANCH", help="Compare with this branch's stored baseline.")] = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: PairsOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    fail_on: FailOption = FailOn.REGRESSION,
    dry_run: DryOption = False,
    json: JsonOption = False,
) -> int:
    """Measure two builds side by side and judge them."""
    if stored and baseline:
        raise UsageError("--stored and --baseline exclude each other.", hint="Leave one of them out.")
    overrides = overrides_of(settings or ())
    options = _given(baseline=baseline, candidate=candidate, stored=stored, pairs=pairs, seed=seed)
    options |= as_options(overrides)
    sides = (Side.CANDIDATE,) if stored else (Side.BASELINE, Side.CANDIDATE)
    configuration = config.load(config_path, overrides=overrides)
    refuse_expired(configuration, today=date.today())
    experiment = experiment_of(configuration, options=options, sides=sides)
    options |= pinned(experiment)
    if stored:  # an unknown branch is said before anything is measured
        resolve(store_of(archive_of(config_path), configuration.archive), stored)
    if dry_run:
        typer.echo(describe_json(experiment) if json else describe(experiment))
        return 0
    kind = RunKind.RECORDING if stored else RunKind.PAIRED
    order = ordered(configuration, experiment, kind=kind, options=options, command="compare")
    return _measured_and_shown(order, None, wanted=configuration.archive, fail_on=fail_on, json=json)


def record(
    build: BuildOption = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: PairsOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    dry_run: DryOption = False,
) -> int:
    """Measure one build by itself, to be kept as a baseline."""
    overrides = overrides_of(settings or ())
    configuration = config.load(config_path, overrides=overrides)
    options = _given(baseline=build, pairs=pairs, seed=seed) | as_options(overrides)
    experiment = experiment_of(configuration, options=options, sides=(Side.BASELINE,))
    options |= pinned(experiment)
    if dry_run:
        typer.echo(describe(experiment))
        return 0
    order = ordered(configuration, experiment, kind=RunKind.RECORDING, options=options, command="record")
    run = measured(order, None)
    put_finished(run, archive=order.archive, wanted=configuration.archive)
    forks = len(run.pair_numbers())
    label = experiment.builds[Side.BASELINE].label
    typer.echo(f"recorded {forks} fork{'' if forks == 1 else 's'} of {label} in {run.path}")
    typer.echo(f"Next: pacecar baseline promote {run.path.name} --branch main")
    return 0


def resume(
    run_id: RunArgument = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Go on with an interrupted run: only the pairs that are missing are measured."""
    run = find(archive_of(config_path), run_id)
    manifest = run.manifest
    if manifest.state is RunState.COMPLETE:
        raise UsageError(f"Run {manifest.run_id} is complete.", hint=f"Judge it again: pacecar judge {manifest.run_id}")
    order = Order(
        experiment=experiment_of_run(run),
        kind=manifest.kind,
        archive=archive_of(config_path),
        configuration=manifest.configuration,
        options=manifest.options,
        repeat=manifest.repeat,
    )
    wanted = wanted_at(config_path)
    shared_of(order.archive, wanted)
    if manifest.kind is RunKind.RECORDING and "stored" not in manifest.options:
        put_finished(measured(order, run), archive=order.archive, wanted=wanted)
        typer.echo(f"Next: pacecar baseline promote {manifest.run_id} --branch main")
        return 0
    return _measured_and_shown(order, run, wanted=wanted, fail_on=fail_on, json=json)


def _measured_and_shown(
    order: Order, begun: RunDirectory | None, *, wanted: SharedArchive | None, fail_on: FailOn, json: bool
) -> int:
    run = measured(order, begun)
    store = store_of(order.archive, wanted)
    document = conclude(run, experiment=order.experiment, archive=order.archive, store=store, just_measured=True)
    code = show(document, folder=run.path, json=json, fail_on=fail_on)
    put_finished(run, archive=order.archive, wanted=wanted)
    return code


def measured(order: Order, begun: RunDirectory | None) -> RunDirectory:
    """Measure what `order` asks for, or what `begun` lacks of it."""
    sweep()

    def look_at(run: RunDirectory, pairs: list[Pair]) -> Look:
        if run.manifest.kind is RunKind.RECORDING:  # a side by itself has nothing to be compared with yet
            return Look()
        experiment = order.experiment
        return look(
            pairs,
            budgets=experiment.budgets,
            gate=experiment.gate,
            history=earlier_noise(run.manifest, experiment=experiment, archive=order.archive),
            most=experiment.plan.pairs,
            queries=experiment.queries,
            comparisons=experiment.comparisons,
            accepted=[each.key for each in experiment.accepted],
        )

    prometheus, sender = _prometheus_of(order.experiment), forwarder_of(order.experiment)
    credentials.withdraw()
    with Custody() as custody, Live() as live:
        run = Conduct(
            order=order,
            custody=custody,
            tell=live.tell,
            look=look_at,
            stored=sender.pair if sender else None,
            prometheus=prometheus,
        ).carry_out(begun)
    tell(sender, run.path.name)
    return run


def _prometheus_of(experiment: Experiment) -> Server | None:
    """The server that is asked for metrics, once it has read the questions; None where there are none."""
    if experiment.prometheus is None:
        return None
    server = credentials.server(experiment.prometheus.url, kind="PROMETHEUS")
    require_understood(server, experiment.queries)
    return server


def _given(*, pairs: int | None, seed: int | None, **builds: str) -> dict[str, str]:
    """The options the user gave, as a manifest keeps them."""
    numbers = {name: str(value) for name, value in (("pairs", pairs), ("seed", seed)) if value is not None}
    return {name: value for name, value in builds.items() if value} | numbers


def ordered(
    configuration: Configuration, experiment: Experiment, *, kind: RunKind, options: dict[str, str], command: str
) -> Order:
    """The order for `experiment` as `command` was given it.

    Raises:
        StoreError: when nothing here speaks to the shared store that is configured.
    """
    shared_of(archive_of(configuration.path), configuration.archive)  # said before anything is measured
    renamed = {"baseline": "build"} if command == "record" else {}
    given = as_arguments({renamed.get(name, name): value for name, value in options.items()})
    return Order(
        experiment=experiment,
        kind=kind,
        archive=archive_of(configuration.path),
        configuration=configuration.text,
        options={**options, "config": str(configuration.path.resolve())},
        repeat=("pacecar", command, "--config", configuration.path.name, *given),
    )
