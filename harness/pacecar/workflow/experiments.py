"""A configuration and what a command line said beside it, put together to an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from pacecar.archive import RunError, archive_of
from pacecar.archive.baselines import Store, find_baseline, list_baselines
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import store_of
from pacecar.errors import UsageError
from pacecar.inputs import config
from pacecar.inputs.builds import BuildError, again
from pacecar.inputs.builds.java_home import runtime_at
from pacecar.inputs.builds.request import parse_build
from pacecar.inputs.config import ConfigError, Configuration
from pacecar.model.experiment import BuildKind, BuildRequest, Experiment, Side
from pacecar.model.options import RunOptions

#: What names the build of a stored baseline begins with.
_STORED = "baseline:"


def experiment_of(configuration: Configuration, *, options: RunOptions, sides: tuple[Side, ...]) -> Experiment:
    """The experiment that `configuration` describes.

    Args:
        configuration: as loaded, with the settings among `options`.
        options: what stands in place of the configuration.
        sides: the sides to deploy.

    Raises:
        ConfigError: when a side has no build at all.
        builds.request.BuildError: when a build cannot be found.
    """
    typed = {Side.BASELINE: options.baseline, Side.CANDIDATE: options.candidate}
    experiment = Experiment(
        target=configuration.target,
        source=configuration.source,
        builds={side: _build(configuration, side, typed[side]) for side in sides},
        scenario=configuration.scenario,
        plan=options.plan.applied(configuration.plan),
        budgets=configuration.budgets,
        gate=configuration.gate,
        ignored=configuration.ignored,
        profiler=configuration.profiler,
        config_path=configuration.path,
        accepted=configuration.accepted,
        prometheus=configuration.prometheus,
        pyroscope=configuration.pyroscope,
        comparisons=configuration.comparisons,
        measure_equal=configuration.measure_equal,
    )
    return options.terms.applied(experiment)


def pinned(options: RunOptions, experiment: Experiment) -> RunOptions:
    """`options` that name the builds of stored baselines so that they mean the same whatever is promoted later."""
    pins = {side: build.pinned for side, build in experiment.builds.items()}
    return replace(
        options,
        baseline=pins.get(Side.BASELINE) or options.baseline,
        candidate=pins.get(Side.CANDIDATE) or options.candidate,
    )


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
    """`KEY=VALUE` as the user typed it, by key; values that a printed command hides come from the environment.

    Raises:
        ConfigError: when such a variable is not set.
        UsageError: when there is no `=` in one of them.
    """
    parted = [setting.partition("=") for setting in settings]
    for key, equals, _ in parted:
        if not (key.strip() and equals):
            # Without the value, which may be a secret.
            raise UsageError(f"--set {key or equals} is not KEY=VALUE.", hint="Such as: --set plan.side=45s")
    return config.given_again({key.strip(): value.strip() for key, _, value in parted})


def as_arguments(options: RunOptions, *, command: str) -> list[str]:
    """Options as `command` takes them; what a search decides by has no words on a command line."""
    values = {
        "build" if command == "record" else "baseline": options.baseline,
        "candidate": options.candidate,
        "stored": options.stored,
        "pairs": options.plan.pairs,
        "seed": options.plan.seed,
    }
    named = [(f"--{name}", str(value)) for name, value in values.items() if value is not None]
    settings = [("--set", f"{key}={value}") for key, value in options.settings.items()]
    return [each for typed in named + settings for each in typed]


def experiment_of_run(run: RunDirectory) -> Experiment:
    """The experiment a recorded run was made with, to go on with it.

    Raises:
        ConfigError: when a value that the manifest does not keep is to be had nowhere.
    """
    manifest, path = run.manifest, _configured_by(run)
    configuration = config.again(manifest.configuration, path, overrides=manifest.options.settings)
    return experiment_of(configuration, options=manifest.options, sides=tuple(manifest.builds))


def judged_experiment(run: RunDirectory) -> Experiment:
    """What a recorded run is judged by; its builds as it names them, whether or not this machine can deploy them."""
    manifest = run.manifest
    try:
        builds = {
            side: BuildRequest(kind=BuildKind(built.kind), value=built.value, label=built.label)
            for side, built in manifest.builds.items()
        }
    except ValueError as error:
        raise RunError(f"The manifest of run {run.path.name} is damaged: {error}.") from error
    configuration = config.parse(manifest.configuration, _configured_by(run), overrides=manifest.options.settings)
    return replace(experiment_of(configuration, options=manifest.options, sides=()), builds=builds)


def _configured_by(run: RunDirectory) -> Path:
    path = run.manifest.options.config
    if path is None:
        raise RunError(f"The manifest of run {run.path.name} is damaged: it does not say which file configured it.")
    return Path(path)


def _build(configuration: Configuration, side: Side, typed: str | None) -> BuildRequest:
    text = typed or (configuration.baseline if side is Side.BASELINE else configuration.candidate)
    if text is None:
        raise ConfigError(
            f"{configuration.path}: no {side.value} build is named.",
            hint=f"Name a jar, git ref, patch or directory with --{side.value}, or under [builds] in the file.",
        )
    root = configuration.path.parent
    named = configuration.builds.get(text)
    if named is None:
        # What is typed is meant from where it is typed; what stands in the file, from the file.
        return _found(configuration, text, cwd=Path.cwd() if typed else root)
    if named.java is not None:  # said before anything is built
        runtime_at(named.java)
    return replace(
        _found(configuration, named.build, cwd=root),
        label=text,
        jvm_args=named.jvm_args,
        env=named.env,
        profiler=named.profiler,
        spans=named.spans,
        java=named.java,
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
    baseline = find_baseline(store, name)
    build, file = store.build_of(baseline)
    request = again.request(build, file=file, branch=baseline.branch, source=configuration.source)
    return replace(request, pinned=f"{_STORED}{baseline.branch}@{baseline.run_id}")


def _store(configuration: Configuration) -> Store:
    return store_of(archive_of(configuration.path), configuration.archive)
