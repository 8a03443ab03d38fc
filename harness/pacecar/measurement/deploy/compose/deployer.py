"""Bringing up a fork by Compose."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.builds.image import make_images
from pacecar.inputs.builds.java_home import java_of
from pacecar.measurement.deploy import DeployError, ports
from pacecar.measurement.deploy.apart import Inside, environment_inside, hooks_here
from pacecar.measurement.deploy.compose.bridge import make_bridge
from pacecar.measurement.deploy.compose.facts import Facts, facts_of, processors
from pacecar.measurement.deploy.compose.fork import ComposeFork, Started
from pacecar.measurement.deploy.compose.overlay import Mount, Overlay
from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.deploy.fork import Attach, Attachment, ForkOrder, JvmView, Launched
from pacecar.measurement.deploy.launch import Placeholders, secrets, shown_variables
from pacecar.measurement.deploy.room import why_not_both_of
from pacecar.model.deployment import ComposeDeployment
from pacecar.model.experiment import BuildRequest, SourceTree, Target
from pacecar.system import engine, environment
from pacecar.system.engine import EngineError, compose
from pacecar.system.engine.compose import Resolved
from pacecar.system.engine.compose_secrets import struck_of
from pacecar.system.engine.removal import remove
from pacecar.system.resources import Child, Resources
from pacecar.text.hidden import Struck

#: Where the service's container sees what is Pacecar's.
_INSIDE = Path("/pacecar")
_SOCKET = "counters.sock"
#: The profiler's library is loaded from the JVM's temporary folder. Where that cannot be, it gets one like it.
_TEMPORARY = "/pacecar/tmp"


@dataclass(kw_only=True)
class _Site:
    """Where a fork comes up: its network, and what of this machine its container is to see, as it is asked for."""

    project: str
    resources: str
    bridge: str
    gateway: str
    scratch: Path
    mounts: list[Mount] = field(default_factory=list)

    def view(self) -> JvmView:
        """The site as the service's JVM sees it."""
        inside = _INSIDE / self.shared.name
        return JvmView(host=self.gateway, scratch=str(inside), counters=str(inside / _SOCKET), seen=self._seen)

    @cached_property
    def shared(self) -> Path:
        """The folder of the counter agent's socket and of the profiler's files."""
        return self._folder("run")

    @cached_property
    def logs(self) -> Path:
        """The folder of the GC log."""
        return self._folder("log")

    def _folder(self, name: str) -> Path:
        """A folder that the service may write to, whoever it runs as; nobody else gets past its parent."""
        path = self.scratch / name
        path.mkdir()
        path.chmod(0o777)
        self.mounts.append(Mount(source=path, target=str(_INSIDE / name), read_only=False))
        return path

    def _seen(self, file: Path) -> str:
        target = str(_INSIDE / "files" / str(len(self.mounts)) / file.name)
        self.mounts.append(Mount(source=file.resolve(), target=target))
        return target


class ComposeDeployer:
    """Forks that are a service of a compose file, with what it depends on.

    Args:
        target: readiness, environment and hooks.
        deployment: file and service.
        resources: of everything that is started.
    """

    def __init__(self, target: Target, deployment: ComposeDeployment, *, resources: Resources) -> None:
        self._target = target
        self._compose = deployment
        self._resources = resources

    @cached_property
    def facts(self) -> Facts:
        """What the compose file says. Raises EngineError."""
        return facts_of(self._resolved(), self._compose)

    def _resolved(self) -> Resolved:
        return compose.resolve(self._compose.file, project="pacecar", inherit=self._compose.inherit)

    def make(self, request: BuildRequest, *, source: SourceTree | None, log_dir: Path) -> Artifact:
        """See `deploy.fork.Deployer`."""
        return make_images(request, service=self._compose, source=source, resources=self._resources, log_dir=log_dir)

    def why_not_both(self) -> str | None:
        """See `deploy.fork.Deployer`. Raises EngineError when the compose file is wrong."""
        return why_not_both_of(port=self._target.port, each=self.facts.memory_bytes)

    def machine(self) -> str | None:
        """See `deploy.fork.Deployer`: its containers run here."""
        return None

    def injectors(self) -> None:
        """See `deploy.fork.Deployer`: load comes from this machine."""

    def struck(self) -> Struck:
        """See `deploy.fork.Deployer`: the secrets that the compose file holds."""
        return struck_of(self.facts.resolved, self.facts.together)

    def dependencies(self, order: ForkOrder) -> Dependencies:  # noqa: ARG002  of any
        """See `deploy.fork.Deployer`: none, for Compose brings up what a service depends on."""
        return Dependencies()

    def deploy(self, order: ForkOrder, attach: Attach) -> ComposeFork:
        """See `deploy.fork.Deployer`. Raises EngineError when the engine cannot be reached."""
        target = self._target
        project = f"pacecar-{os.getpid()}-{time.monotonic_ns() % 10**9}-{order.side.value[0]}"
        port = ports.free_port() if target.port is None else ports.require_free(target.port)
        here = Placeholders(artifact=order.jar or Path(), port=port, fork=order.scratch.resolve(), java=java_of(None))
        hidden = secrets(target)
        hooks = hooks_here(target, order, here=here, also=self.struck(), resources=self._resources)
        reset = here.fill_each(target.reset)
        try:
            hooks.run("setup", here.fill_each(target.setup))
            moment = time.monotonic()
            site = self._site(order, project=project)
            overlay = self._overlay(order, site, attach(site.view()), port=port, hidden=hidden)
            up = self._up(order, overlay)
        except BaseException:
            with contextlib.suppress(DeployError, EngineError):
                remove(f"{engine.FORK}={project}")
                hooks.run("reset", reset)
            raise
        launched = Launched(
            target=target,
            side=order.side,
            port=port,
            folder=order.folder,
            socket=site.shared / _SOCKET,
            shown=self._shown(order),
            hooks=hooks,
            once_ready=here.fill_each(target.once_ready),
            reset=reset,
            moment=moment,
        )
        inside = _INSIDE / site.shared.name / _SOCKET
        started = Started(project=project, facts=self.facts, up=up, logs=site.logs, socket_inside=inside)
        return ComposeFork(launched, started=started)

    def _site(self, order: ForkOrder, *, project: str) -> _Site:
        """The bridge of a fork, and the folders that its container is to write to."""
        resources, bridge = self._resources.label(), f"{project}-bridge"
        gateway = make_bridge(bridge, labels={engine.OWNER: resources, engine.FORK: project})
        scratch = order.scratch.resolve()
        return _Site(project=project, resources=resources, bridge=bridge, gateway=gateway, scratch=scratch)

    def _overlay(
        self, order: ForkOrder, site: _Site, attached: Attachment, *, port: int, hidden: dict[str, str]
    ) -> Overlay:
        if order.jar is not None and self._compose.jar is not None:
            site.mounts.append(Mount(source=order.jar.resolve(), target=self._compose.jar))
        return Overlay(
            facts=self.facts,
            project=site.project,
            resources=site.resources,
            port=port,
            bridge=site.bridge,
            images=order.images,
            environment=self._environment(order, attached, logs=_INSIDE / site.logs.name),
            secrets={**hidden, **attached.secrets},
            mounts=site.mounts,
            in_memory=_TEMPORARY if self.facts.loads_nothing_from_tmp else None,
            cpus=tuple(sorted({*order.cpus, *order.aside})),
            others=order.cpus,
        )

    def _up(self, order: ForkOrder, overlay: Overlay) -> Child:
        """The `docker compose up` that brings the fork up, and ends when Compose calls it healthy."""
        file = order.scratch.resolve() / "overlay.yaml"
        needed = overlay.write(file)
        patience = ("--wait-timeout", str(int(self._target.ready.timeout_s) + 1))
        up = ("--progress", "plain", "up", "--detach", "--wait", *patience, "--no-build", self.facts.service)
        return self._resources.spawn(
            [*compose.command(self.facts.resolved.file, file, project=overlay.project), *up],
            name=f"{self._target.name} ({order.side.value})",
            log=order.folder / "compose.log",
            env=environment.of_engine(self._compose.inherit) | needed,
        )

    def _environment(self, order: ForkOrder, attached: Attachment, *, logs: Path) -> dict[str, str]:
        worth = processors(order.cpus, self.facts.cpus)
        inside = Inside(
            placeholders=Placeholders(
                artifact=Path(self._compose.jar or ""), port=self.facts.port, fork=_INSIDE / "run", java=java_of(None)
            ),
            logs=logs,
            stated=self.facts.jvm_options(order.images[self.facts.service]),
            options=(
                *((f"-Djava.io.tmpdir={_TEMPORARY}",) if self.facts.loads_nothing_from_tmp else ()),
                *((f"-XX:ActiveProcessorCount={worth}",) if worth else ()),
            ),
        )
        return environment_inside(self._target, order, attached, inside)

    def _shown(self, order: ForkOrder) -> tuple[str, ...]:
        image = order.images[self.facts.service]
        return (
            *shown_variables(self._target, order.request),
            *("docker", "compose", "--file", self._compose.file.name, "up", self.facts.service),
            f"image={image}",
        )
