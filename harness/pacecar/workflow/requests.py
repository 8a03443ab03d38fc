"""What a user asks for, found and put together: requests that `measure` carries out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from pacecar.archive import RunError, archive_of
from pacecar.archive.baselines import baseline_run
from pacecar.archive.runs import RunDirectory, new_run_id
from pacecar.archive.stores import shared_of, store_of
from pacecar.errors import UsageError
from pacecar.inputs import config
from pacecar.inputs.builds.commits import History
from pacecar.inputs.config import Configuration
from pacecar.measurement.session.request import Request
from pacecar.model.bisection import Bisection, End
from pacecar.model.capacity import LEAST_RATE
from pacecar.model.experiment import Side
from pacecar.model.options import PlanOptions, RunOptions
from pacecar.model.recording import RunKind, RunState
from pacecar.model.tiers import Tier
from pacecar.workflow.experiments import (
    as_arguments,
    experiment_of,
    experiment_of_run,
    overrides_of,
    pinned,
    refuse_expired,
)
from pacecar.workflow.stores import shared_archive_at, shared_at

_BOTH = (Side.BASELINE, Side.CANDIDATE)
#: A plan as the configuration has it.
_PLANNED = PlanOptions()
_TIER = "plan.tier"


@dataclass(frozen=True, kw_only=True)
class MetricChoice:
    """The metric that a search follows; None for those of the gate that regressed, or for the whole service."""

    metric: str | None = None
    endpoint: str | None = None


_WHAT_REGRESSED = MetricChoice()


def comparison(
    config_path: Path,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
    stored: str | None = None,
    plan: PlanOptions = _PLANNED,
    settings: Sequence[str] = (),
) -> Request:
    """The comparison of two builds, with every build found.

    Args:
        config_path: the configuration file.
        baseline: a build as users name it; None for the configuration's.
        candidate: the same.
        stored: a branch whose stored baseline is compared with, instead of a build measured beside it.
        plan: numbers in place of the plan's.
        settings: keys of the configuration for this run, as `KEY=VALUE`.

    Raises:
        UsageError: when options exclude each other, or name what there is not.
    """
    if stored and baseline:
        raise UsageError("--stored and --baseline cannot be used together.", hint="Leave one of them out.")
    overrides = overrides_of(settings)
    configuration = config.load(config_path, overrides=overrides)
    refuse_expired(configuration, today=date.today())
    if stored:  # an unknown branch is said before anything is measured
        baseline_run(store_of(archive_of(config_path), configuration.archive), stored)
    options = RunOptions(
        baseline=baseline or None,
        candidate=candidate or None,
        stored=stored or None,
        plan=plan,
        settings=config.kept_overrides(overrides),
    )
    sides = (Side.CANDIDATE,) if stored else _BOTH
    return request_of(configuration, options, sides=sides, command="compare")


def in_tier(tier: Tier | None, config_path: Path, settings: Sequence[str]) -> list[str]:
    """`settings` with which the configuration asks for `tier`: with one more where it asks for another one.

    Raises:
        UsageError: when the settings name a tier themselves.
    """
    overrides = overrides_of(settings)
    if tier is None:
        return [*settings]
    if _TIER in overrides:
        raise UsageError(
            f"{_TIER} is among the settings, but the tier is also given on its own.",
            hint="Remove that line. In the action: with: { tier: quick }; on a command line: --tier quick",
        )
    planned = config.load(config_path, overrides=overrides).plan.tier
    return [*settings, *([] if planned is tier else [f"{_TIER}={tier.value}"])]


def recording(
    config_path: Path,
    *,
    build: str | None = None,
    plan: PlanOptions = _PLANNED,
    settings: Sequence[str] = (),
) -> Request:
    """The recording of one build by itself. Arguments and errors are those of `comparison`."""
    overrides = overrides_of(settings)
    configuration = config.load(config_path, overrides=overrides)
    options = RunOptions(baseline=build or None, plan=plan, settings=config.kept_overrides(overrides))
    return request_of(configuration, options, sides=(Side.BASELINE,), command="record")


def sizing(config_path: Path, *, build: str | None = None, settings: Sequence[str] = ()) -> Request:
    """One build, to be put under one load after the other: the working tree, or the baseline where nothing is built.

    Arguments and errors are those of `comparison`.

    Raises:
        UsageError: when the simulation decides by itself how much it asks.
    """
    overrides = overrides_of(settings) | {"plan.tier": "full"}
    configuration = config.load(config_path, overrides=overrides)
    scenario = configuration.scenario
    if not scenario.sliced:
        raise UsageError(
            f"{scenario.simulation} sets its own load, so none can be proposed for it.",
            hint="Change its load by hand, and see how busy the service is: pacecar noise --pairs 3",
        )
    which = build or ("." if configuration.source else None)
    options = RunOptions(baseline=which, settings=config.kept_overrides(overrides))
    return request_of(configuration, options, sides=(Side.BASELINE,), command="size")


def staircase(
    config_path: Path,
    *,
    build: str | None = None,
    baseline: str | None = None,
    candidate: str | None = None,
    settings: Sequence[str] = (),
) -> Request:
    """One build, or two side by side, to be put under rising load.

    Args:
        config_path: the configuration file.
        build: of one alone: as users name it; None for the working tree, or the baseline where nothing is built.
        baseline: of two; None for the configuration's where a candidate is named.
        candidate: the same.
        settings: keys of the configuration, as `KEY=VALUE`.

    Raises:
        UsageError: when options exclude each other, or the load is not one of arrivals by the clock.
    """
    two = baseline is not None or candidate is not None
    if two and build is not None:
        raise UsageError(
            "--build is one build alone and cannot be used with --baseline or --candidate.", hint="Leave it out."
        )
    request = (
        comparison(config_path, baseline=baseline, candidate=candidate, settings=[*settings, "plan.tier=full"])
        if two
        else sizing(config_path, build=build, settings=settings)
    )
    scenario = request.experiment.scenario
    if not (scenario.sliced and scenario.by_the_clock):
        raise UsageError(
            "A capacity is a rate, and this scenario does not send requests at one.",
            hint='Set scenario.model = "open" with scenario.rate, and use a simulation on the kit.',
        )
    if scenario.rate_per_s < LEAST_RATE:
        raise UsageError(
            f"A step of {scenario.rate_per_s:g} requests per second has too few to tell how late the slowest are.",
            hint=f"Start at {LEAST_RATE:g}/s or more: --set scenario.rate={LEAST_RATE:g}/s",
        )
    return request


def against_itself(
    config_path: Path,
    *,
    build: str | None = None,
    plan: PlanOptions = _PLANNED,
    settings: Sequence[str] = (),
) -> Request:
    """The comparison of a build with itself, to the last pair. Arguments and errors are those of `comparison`."""
    overrides = overrides_of(settings) | {"plan.stop_early": "false", "builds.measure_equal": "true"}
    configuration = config.load(config_path, overrides=overrides)
    same = build or configuration.baseline
    options = RunOptions(baseline=same, candidate=same, plan=plan, settings=config.kept_overrides(overrides))
    return request_of(configuration, options, sides=_BOTH, command="compare")


def unfinished(run: RunDirectory, config_path: Path) -> Request:
    """What `run` was begun for.

    Raises:
        UsageError: when it is complete.
        StoreError: when nothing here speaks to the shared store that is configured.
    """
    manifest = run.manifest
    if manifest.state is RunState.COMPLETE:
        raise UsageError(f"Run {manifest.run_id} is complete.", hint=f"Judge it again: pacecar judge {manifest.run_id}")
    request = Request(
        experiment=experiment_of_run(run),
        kind=manifest.kind,
        archive=archive_of(config_path),
        shared=shared_archive_at(config_path),
        configuration=manifest.configuration,
        options=manifest.options,
        repeat=manifest.repeat,
    )
    shared_of(request.archive, request.shared)
    return request


def interrupted_elsewhere(run_id: str, config_path: Path) -> tuple[Request, dict[str, str]]:
    """What a run in the shared store was begun for, and the settings it was begun with.

    Raises:
        RunError: when there is none of that id.
        UsageError: as `unfinished`.
    """
    shared = shared_at(config_path)
    stored = shared.find(run_id) if shared else None
    if shared is None or stored is None:
        raise RunError(f"No store holds a run {run_id}.", hint="See what there is: pacecar runs list")
    run = shared.fetch(stored)
    request = replace(unfinished(run, config_path), run_id=run.manifest.run_id)
    return request, config.given_again(run.manifest.options.settings)


def search(
    config_path: Path,
    *,
    good: str | None,
    bad: str | None,
    asked: MetricChoice = _WHAT_REGRESSED,
    settings: Sequence[str] = (),
    first_parent: bool = False,
) -> Bisection:
    """A new search for a commit, not stored yet.

    Args:
        config_path: the configuration file.
        good: a commit before the change.
        bad: a commit after it.
        asked: the metric to follow.
        settings: keys of the configuration, as `KEY=VALUE`.
        first_parent: count a merged branch as one commit.

    Raises:
        UsageError: when a commit is missing or unknown, or what is asked for is not measured.
    """
    if not good or not bad:
        raise UsageError(
            "Two commits are needed: one before the change and one after it.",
            hint="For example: pacecar bisect --good v1.2 --bad HEAD",
        )
    if asked.endpoint and not asked.metric:
        raise UsageError(
            "--endpoint needs a metric.", hint="For example: --metric latency.p99 --endpoint 'GET /orders'"
        )
    overrides = overrides_of(settings)
    configuration = config.load(config_path, overrides=overrides)
    if asked.metric:  # said before anything is measured
        config.require_metric(configuration, asked.metric, asked.endpoint or None)
    history = History.of(configuration.source)
    history.require_ancestor(good, bad)
    before, after = history.commit(good), history.commit(bad)
    return Bisection(
        bisection_id=new_run_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        good=End(ref=good, commit=before),
        bad=End(ref=bad, commit=after),
        first_parent=first_parent,
        candidates=len(history.candidates([before], after, first_parent=first_parent)),
        configuration=configuration.text,
        config=str(configuration.path.resolve()),
        settings=config.kept_overrides(overrides),
        metric=asked.metric or None,
        endpoint=asked.endpoint or None,
    )


def request_of(configuration: Configuration, options: RunOptions, *, sides: tuple[Side, ...], command: str) -> Request:
    """The request of `command` with these options, as a manifest keeps them.

    Raises:
        UsageError: when one side alone is to be measured, which the quick tier cannot.
        StoreError: when nothing here speaks to the shared store that is configured.
    """
    archive = archive_of(configuration.path)
    shared_of(archive, configuration.archive)  # said before anything is measured
    experiment = experiment_of(configuration, options=options, sides=sides)
    if experiment.plan.quick and len(sides) < len(Side):
        raise UsageError(
            "The quick tier sends both builds the same requests at the same time, so it cannot use recordings.",
            hint="Name two builds; or, for a recording or --stored: --set plan.tier=full",
        )
    options = replace(pinned(options, experiment), config=str(configuration.path.resolve()))
    return Request(
        experiment=experiment,
        kind=RunKind.PAIRED if len(sides) == len(Side) else RunKind.RECORDING,
        archive=archive,
        shared=configuration.archive,
        configuration=configuration.text,
        options=options,
        repeat=("pacecar", command, "--config", configuration.path.name, *as_arguments(options, command=command)),
    )
