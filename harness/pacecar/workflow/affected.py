"""The services of a repository, each with a configuration of its own, and the comparison of each with one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.archive.runs import RunDirectory
from pacecar.errors import PacecarError, UsageError
from pacecar.inputs.builds.git import Repository
from pacecar.measurement.session.request import Request
from pacecar.model.options import PlanOptions
from pacecar.model.tiers import Tier
from pacecar.reporting.document import Document
from pacecar.workflow.requests import comparison, in_tier

CONFIGURATION = "pacecar.toml"
#: A repository of more would be measured for days.
MOST = 100


@dataclass(frozen=True, kw_only=True)
class ConfiguredService:
    """A service that is configured in a repository; `name` is its folder there, or that of the repository itself."""

    name: str
    config: Path


@dataclass(frozen=True, kw_only=True)
class ServiceOutcome:
    """What became of one service.

    Attributes:
        service: which one.
        run: its run; None where there is none.
        document: the verdict; None where there is none.
        failure: why there is none; None where there is one, and of a service that is new.
        request: what was compared; None where there was nothing to compare.
    """

    service: ConfiguredService
    run: RunDirectory | None = None
    document: Document | None = None
    failure: PacecarError | None = None
    request: Request | None = field(default=None, repr=False)

    @property
    def is_new(self) -> bool:
        """Whether the service is not in the commit that was compared with."""
        return self.document is None and self.failure is None


#: Measures and judges one comparison, and writes its files.
Compare = Callable[[Request], tuple[RunDirectory, Document]]


@dataclass(frozen=True, kw_only=True)
class Against:
    """What the services are compared with, and how.

    Attributes:
        base: a git ref; a remote-tracking branch means the merge base, as everywhere.
        candidate: a build, of each service by its own configuration.
        plan: numbers in place of those of all plans.
        settings: keys of all configurations, as `KEY=VALUE`.
        tier: in place of that of all plans; None leaves it.
    """

    base: str
    candidate: str = "."
    plan: PlanOptions = field(default_factory=PlanOptions)
    settings: Sequence[str] = ()
    tier: Tier | None = None


def services_around(folder: Path) -> list[ConfiguredService]:
    """The services of the repository around `folder`, by their folders: those that git does not ignore.

    Raises:
        UsageError: when there is no repository, no service in it, or more than `MOST`.
    """
    repository = Repository.around(folder.resolve())
    if repository is None:
        raise UsageError(
            f"{folder.resolve()} is not in a git repository, so nothing can be compared with one of its commits.",
            hint="Name the builds instead: pacecar compare --baseline BUILD --candidate BUILD",
        )
    found = [path for path in repository.files() if path.name == CONFIGURATION and (repository.top / path).is_file()]
    if not found:
        raise UsageError(f"There is no {CONFIGURATION} in {repository.top}.", hint="Write one: pacecar init")
    if len(found) > MOST:
        raise UsageError(f"There are {len(found)} files {CONFIGURATION} in {repository.top}, more than {MOST}.")
    return [
        ConfiguredService(
            name=path.parent.as_posix() if path.parent != Path() else repository.top.name,
            config=repository.top / path,
        )
        for path in found
    ]


def require_base(base: str, *, folder: Path) -> None:
    """Raise UsageError unless the repository around `folder` has the commit `base`: no service could be compared."""
    repository = Repository.around(folder.resolve())
    if repository is None or repository.commit(base) is None:
        raise UsageError(
            f"There is no commit {base!r} in the repository around {folder.resolve()}.",
            hint="Fetch the history first: git fetch --unshallow; or name another: --affected origin/main",
        )


def compare_service(service: ConfiguredService, against: Against, *, compare: Compare) -> ServiceOutcome:
    """Compare one service with the base. That it fails is its outcome, and no reason not to go on with the others.

    Raises:
        Interrupted: when the user wants an end of all.
    """
    try:
        request = comparison(
            service.config,
            baseline=f"ref:{against.base}",
            candidate=against.candidate,
            plan=against.plan,
            settings=in_tier(against.tier, service.config, against.settings),
        )
        if _is_new(request, against.base):
            return ServiceOutcome(service=service)
        run, document = compare(request)
    except PacecarError as error:
        return ServiceOutcome(service=service, failure=error.with_traceback(None))
    return ServiceOutcome(service=service, run=run, document=document, request=request)


def _is_new(request: Request, base: str) -> bool:
    """Whether the commit lacks the folder of the configuration, or the one that the service is built in."""
    source = request.experiment.source
    repository = Repository.around(source.root) if source else None
    commit = repository.commit(base) if repository else None
    if source is None or repository is None or commit is None:
        return False
    folders = (request.experiment.config_path.parent.resolve(), source.root.resolve())
    inside = [folder.relative_to(repository.top) for folder in folders if folder.is_relative_to(repository.top)]
    return any(
        repository.ask("rev-parse", "--verify", "--quiet", f"{commit}:{folder.as_posix()}") is None
        for folder in inside
        if folder != Path()
    )
