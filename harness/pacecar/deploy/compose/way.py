"""Bringing up a fork by Compose."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pacecar import engine
from pacecar.custody import Custody
from pacecar.deploy import DeployError, ports
from pacecar.deploy.compose.bridge import make_bridge
from pacecar.deploy.compose.facts import Facts, facts_of, processors
from pacecar.deploy.compose.fork import ComposeFork, Started
from pacecar.deploy.compose.overlay import Mount, Overlay
from pacecar.deploy.fork import Attach, Attachment, ForkOrder, Ground
from pacecar.deploy.hooks import Hooks
from pacecar.deploy.jvm import LASTING_COMPILERS, gc_log_option
from pacecar.deploy.launch import Placeholders, jvm_environment, secrets
from pacecar.deploy.room import why_not_both_of
from pacecar.engine import EngineError, compose
from pacecar.engine.removal import remove
from pacecar.experiment import ComposeService, Target

#: Where the service's container sees what is Pacecar's.
_INSIDE = Path("/pacecar")
_SOCKET = "counters.sock"
#: The profiler's library is loaded from the JVM's temporary folder. Where that cannot be, it gets one like it.
_TEMPORARY = "/pacecar/tmp"


@dataclass(kw_only=True)
class _Site:
    """What of this machine the container is to see, as it is asked for."""

    scratch: Path
    mounts: list[Mount] = field(default_factory=list)

    def folder(self, name: str) -> Path:
        """A folder that the service may write to, whoever it runs as; nobody else gets past its parent."""
        path = self.scratch / name
        path.mkdir()
        path.chmod(0o777)
        self.mounts.append(Mount(source=path, target=str(_INSIDE / name), read_only=False))
        return path

    def seen(self, file: Path) -> str:
        """The path of `file` in the container."""
        target = str(_INSIDE / "files" / str(len(self.mounts)) / file.name)
        self.mounts.append(Mount(source=file.resolve(), target=target))
        return target


class ComposeWay:
    """Forks that are a service of a compose file, with what it depends on.

    Args:
        target: readiness, environment and hooks.
        compose: file and service.
        custody: of everything that is started.
    """

    def __init__(self, target: Target, *, compose: ComposeService, custody: Custody) -> None:
        self._target = target
        self._compose = compose
        self._custody = custody

    @cached_property
    def facts(self) -> Facts:
        """What the compose file says. Raises EngineError."""
        return facts_of(compose.resolve(self._compose.file, project="pacecar"), self._compose)

    def why_not_both(self) -> str:
        """See `deploy.fork.Way`. Raises EngineError when the compose file is wrong."""
        return why_not_both_of(port=self._target.port, each=self.facts.memory_bytes)

    def deploy(self, order: ForkOrder, attach: Attach) -> ComposeFork:
        """See `deploy.fork.Way`. Raises EngineError when the engine cannot be reached."""
        project = f"pacecar-{os.getpid()}-{time.monotonic_ns() % 10**9}-{order.side.value[0]}"
        target, scratch = self._target, order.scratch.resolve()
        port = ports.free_port() if target.port is None else ports.require_free(target.port)
        placeholders = Placeholders(artifact=Path(self._compose.jar or ""), port=port, fork=scratch)
        plain = {name: placeholders.fill(value) for name, value in {**target.env, **order.request.env}.items()}
        hidden = secrets(target)
        hooks = Hooks(
            custody=self._custody,
            directory=target.directory,
            env={**_inherited(), **plain, **hidden},
            folder=order.folder,
        )
        reset = tuple(placeholders.fill_all(command) for command in target.reset)
        try:
            hooks.run("setup", [placeholders.fill_all(command) for command in target.setup])
            started = self._up(order, attach, project=project, port=port, hooks=hooks, reset=reset, hidden=hidden)
        except BaseException:
            with contextlib.suppress(DeployError, EngineError):
                remove(f"{engine.FORK}={project}")
                hooks.run("reset", reset)
            raise
        return ComposeFork(target, side=order.side, started=started)

    def _up(
        self,
        order: ForkOrder,
        attach: Attach,
        *,
        project: str,
        port: int,
        hooks: Hooks,
        reset: tuple[tuple[str, ...], ...],
        hidden: dict[str, str],
    ) -> Started:
        custody, facts, scratch = self._custody.label(), self.facts, order.scratch.resolve()
        moment = time.monotonic()
        bridge = f"{project}-bridge"
        gateway = make_bridge(bridge, labels={engine.CUSTODY: custody, engine.FORK: project})
        site = _Site(scratch=scratch)
        shared, logs = site.folder("run"), site.folder("log")
        inside = _INSIDE / shared.name
        attached = attach(Ground(host=gateway, scratch=str(inside), counters=str(inside / _SOCKET), seen=site.seen))
        if order.jar is not None and self._compose.jar is not None:
            site.mounts.append(Mount(source=order.jar.resolve(), target=self._compose.jar))
        environment = self._environment(order, attached, logs=_INSIDE / logs.name, port=facts.port)
        overlay = Overlay(
            facts=facts,
            project=project,
            custody=custody,
            port=port,
            bridge=bridge,
            images=order.images,
            environment=environment,
            secrets={**hidden, **attached.secrets},
            mounts=site.mounts,
            in_memory=_TEMPORARY if facts.loads_nothing_from_tmp else "",
            cpus=tuple(sorted({*order.cpus, *order.aside})),
            others=order.cpus,
        )
        file = scratch / "overlay.yaml"
        needed = overlay.write(file)
        up = self._custody.spawn(
            [
                *compose.command(facts.resolved.file, file, project=project),
                "--progress",
                "plain",
                "up",
                "--detach",
                "--wait",
                "--wait-timeout",
                str(int(self._target.ready.timeout_s) + 1),
                "--no-build",
                facts.service,
            ],
            name=f"{self._target.name} ({order.side.value})",
            log=order.folder / "compose.log",
            env={**os.environ, **needed},
        )
        return Started(
            project=project,
            facts=facts,
            up=up,
            custody=self._custody,
            hooks=hooks,
            reset=reset,
            port=port,
            folder=order.folder,
            logs=logs,
            socket=shared / _SOCKET,
            socket_inside=inside / _SOCKET,
            shown=self._shown(order),
            moment=moment,
        )

    def _environment(self, order: ForkOrder, attached: Attachment, *, logs: Path, port: int) -> dict[str, str]:
        filled = Placeholders(artifact=Path(self._compose.jar or ""), port=port, fork=_INSIDE / "run")
        own = {name: filled.fill(value) for name, value in {**self._target.env, **order.request.env}.items()}
        worth = processors(order.cpus, self.facts.cpus)
        options = (
            *(f"-javaagent:{agent}" for agent in attached.agents),
            gc_log_option(logs),
            LASTING_COMPILERS,
            *((f"-Djava.io.tmpdir={_TEMPORARY}",) if self.facts.loads_nothing_from_tmp else ()),
            *((f"-XX:ActiveProcessorCount={worth}",) if worth else ()),
        )
        stated = self.facts.jvm_options(order.images[self.facts.service]) | own
        return own | dict(attached.env) | jvm_environment(stated, jvm_options=options, jvm_args=order.request.jvm_args)

    def _shown(self, order: ForkOrder) -> tuple[str, ...]:
        own = {**self._target.env, **order.request.env}
        own |= {name: f"${variable}" for name, variable in self._target.secrets.items()}
        own |= {"_JAVA_OPTIONS": " ".join(order.request.jvm_args)} if order.request.jvm_args else {}
        image = order.images[self.facts.service]
        return (
            *(f"{name}={value}" for name, value in sorted(own.items())),
            *("docker", "compose", "--file", self._compose.file.name, "up", self.facts.service),
            f"image={image}",
        )


def _inherited() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR") if name in os.environ}
