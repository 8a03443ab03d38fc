"""A configuration and the options of a command, put together to an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from pacecar import config
from pacecar.archive.baselines import Store, list_baselines, show
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import store_of
from pacecar.builds import BuildError, again
from pacecar.builds.request import parse_build
from pacecar.config import ConfigError, Configuration
from pacecar.errors import UsageError
from pacecar.experiment import BuildKind, BuildRequest, Experiment, Side

#: The archive's folder, beside the configuration file.
ARCHIVE = ".pacecar"
#: What the key of an overridden setting begins with among the options of a manifest.
_SET = "set "
#: What names the build of a stored baseline begins with.
_STORED = "baseline:"


def archive_of(config_path: Path) -> Path:
    """The folder that holds the runs and baselines of the project with this configuration file."""
    return config_path.resolve().parent / ARCHIVE


def experiment_of(configuration: Configuration, *, options: dict[str, str], sides: tuple[Side, ...]) -> Experiment:
    """The experiment that `configuration` describes.

    Args:
        configuration: as loaded.
        options: `baseline`, `candidate` (builds as the user typed them), `pairs`, `seed`; absent ones come
            from the configuration.
        sides: the sides to deploy.

    Raises:
        ConfigError: when a side has no build at all.
        builds.request.BuildError: when a build cannot be found.
    """
    plan = configuration.plan
    plan = replace(plan, pairs=int(options.get("pairs", plan.pairs)), seed=int(options.get("seed", plan.seed)))
    return Experiment(
        target=configuration.target,
        source=configuration.source,
        builds={side: _build(configuration, side, options.get(side.value, "")) for side in sides},
        scenario=configuration.scenario,
        plan=plan,
        budgets=configuration.budgets,
        gate=configuration.gate,
        profiler=configuration.profiler,
        config_path=configuration.path,
        accepted=configuration.accepted,
        prometheus=configuration.prometheus,
        pyroscope=configuration.pyroscope,
        comparisons=configuration.comparisons,
    )


def pinned(experiment: Experiment) -> dict[str, str]:
    """Options that name the builds of stored baselines so that they mean the same whatever is promoted later."""
    return {side.value: build.pinned for side, build in experiment.builds.items() if build.pinned}


def refuse_expired(configuration: Configuration, *, today: date) -> None:
    """What was accepted for a time is not accepted for ever.

    Raises:
        ConfigError: when the last day of an acceptance has passed.
    """
    for index, each in enumerate(configuration.accepted):
        if each.until < today:
            title = f"{each.endpoint or ''} {each.metric}".strip()
            raise ConfigError(
                f"{configuration.path}: accepted[{index}]: {title} was accepted by {each.by} until {each.until}, "
                "which has passed.",
                hint="Remove that table; or, if the reason still holds, give it a later day.",
            )


def overrides_of(settings: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` as the user typed it, by key.

    Raises:
        UsageError: when there is no `=` in one of them.
    """
    parted = [setting.partition("=") for setting in settings]
    for key, equals, value in parted:
        if not (key.strip() and equals):
            raise UsageError(f"--set {key}{equals}{value} is not KEY=VALUE.", hint="Such as: --set plan.side=45s")
    return {key.strip(): value.strip() for key, _, value in parted}


def as_options(overrides: Mapping[str, str]) -> dict[str, str]:
    """Overrides as a manifest keeps them beside the other options."""
    return {f"{_SET}{key}": value for key, value in overrides.items()}


def overrides_in(options: Mapping[str, str]) -> dict[str, str]:
    """The overrides among options that a manifest has kept."""
    return {name.removeprefix(_SET): value for name, value in options.items() if name.startswith(_SET)}


def as_arguments(options: Mapping[str, str]) -> list[str]:
    """Options of a manifest as they are typed."""
    typed: list[str] = []
    for name, value in options.items():
        typed += ["--set", f"{name.removeprefix(_SET)}={value}"] if name.startswith(_SET) else [f"--{name}", value]
    return typed


def experiment_of_run(run: RunDirectory) -> Experiment:
    """The experiment a recorded run was made with, from the configuration its manifest keeps."""
    manifest = run.manifest
    return experiment_of(_configuration_of(run), options=manifest.options, sides=tuple(manifest.builds))


def judged_experiment(run: RunDirectory) -> Experiment:
    """What a recorded run is judged by; its builds as it names them, whether or not this machine can deploy them."""
    builds = {
        side: BuildRequest(kind=BuildKind(built.kind), value=built.value, label=built.label)
        for side, built in run.manifest.builds.items()
    }
    plain = experiment_of(_configuration_of(run), options=run.manifest.options, sides=())
    return replace(plain, builds=builds)


def _configuration_of(run: RunDirectory) -> Configuration:
    manifest = run.manifest
    path, overrides = Path(manifest.options["config"]), overrides_in(manifest.options)
    return config.parse(manifest.configuration, path, overrides=overrides)


def _build(configuration: Configuration, side: Side, typed: str) -> BuildRequest:
    text = typed or (configuration.baseline if side is Side.BASELINE else configuration.candidate)
    if not text:
        raise ConfigError(
            f"{configuration.path}: no {side.value} build is named.",
            hint=f"Name a jar, git ref, patch or directory with --{side.value}, or under [builds] in the file.",
        )
    root = configuration.path.parent
    named = configuration.builds.get(text)
    if named is None:
        # What is typed is meant from where it is typed; what stands in the file, from the file.
        return _found(configuration, text, cwd=Path.cwd() if typed else root)
    request = _found(configuration, named.build, cwd=root)
    return replace(
        request, label=text, jvm_args=named.jvm_args, env=named.env, profiler=named.profiler, spans=named.spans
    )


def _found(configuration: Configuration, text: str, *, cwd: Path) -> BuildRequest:
    """A build on this machine; where there is none of that name, the build of a stored baseline."""
    if text.startswith(_STORED):
        return _stored(configuration, text.removeprefix(_STORED))
    try:
        return parse_build(text, source=configuration.source, cwd=cwd)
    except BuildError:
        kept = {baseline.branch for baseline in list_baselines(_store(configuration))}
        if text not in kept:
            raise
        return _stored(configuration, text)


def _stored(configuration: Configuration, name: str) -> BuildRequest:
    store = _store(configuration)
    baseline = show(store, name)
    build, file = store.build_of(baseline)
    request = again.request(build, file=file, branch=baseline.branch, source=configuration.source)
    return replace(request, pinned=f"{_STORED}{baseline.branch}@{baseline.run_id}")


def _store(configuration: Configuration) -> Store:
    return store_of(archive_of(configuration.path), configuration.archive)
