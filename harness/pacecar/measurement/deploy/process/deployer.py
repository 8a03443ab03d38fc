"""Starting a fork by the target's command."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from pathlib import Path

from pacecar.inputs.builds.artifact import Artifact, make
from pacecar.inputs.builds.java_home import java_of, runtime_of
from pacecar.measurement.deploy import DeployError, death, ports
from pacecar.measurement.deploy.dependencies import Beside, Dependencies
from pacecar.measurement.deploy.fork import Attach, Attachment, Fork, ForkOrder, JvmView, Launched
from pacecar.measurement.deploy.hooks import Hooks
from pacecar.measurement.deploy.jvm import LASTING_COMPILERS, gc_log_option
from pacecar.measurement.deploy.launch import Launch, Placeholders, launch, struck_of_dependency
from pacecar.measurement.deploy.log_limit import LogLimit
from pacecar.measurement.deploy.process.fork import ProcessFork
from pacecar.measurement.deploy.room import why_not_both
from pacecar.model.deployment import ProcessDeployment
from pacecar.model.experiment import BuildRequest, SourceTree, Target
from pacecar.system.resources import Resources
from pacecar.text.hidden import NOTHING, Struck


class ProcessDeployer:
    """Forks that are processes started by a command.

    Args:
        target: readiness, environment and hooks.
        deployment: the command, and what it needs.
        resources: of everything that is started.
    """

    def __init__(self, target: Target, deployment: ProcessDeployment, *, resources: Resources) -> None:
        self._target = target
        self._command = deployment.command
        self._dependencies = deployment.dependencies
        self._resources = resources

    def make(self, request: BuildRequest, *, source: SourceTree | None, log_dir: Path) -> Artifact:
        """See `deploy.fork.Deployer`."""
        artifact = make(request, source=source, resources=self._resources, log_dir=log_dir)
        texts = (*self._command, *self._target.env.values(), *request.env.values())
        known = request.java is not None or any("{java}" in text for text in texts)  # else its own may be any
        runtime = runtime_of(java_of(request.java)) if known else None
        return replace(artifact, built=replace(artifact.built, jvm=runtime.title)) if runtime else artifact

    def why_not_both(self) -> str | None:
        """See `deploy.fork.Deployer`."""
        return why_not_both(self._target, self._command, beside=[each.command for each in self._dependencies])

    def machine(self) -> str | None:
        """See `deploy.fork.Deployer`: a process runs here."""
        return None

    def injectors(self) -> None:
        """See `deploy.fork.Deployer`: load comes from this machine."""

    def struck(self) -> Struck:
        """See `deploy.fork.Deployer`: a process has nothing but its settings."""
        return NOTHING

    def dependencies(self, order: ForkOrder) -> Dependencies:
        """See `deploy.fork.Deployer`. Raises DeployError where the build is an image."""
        beside = Beside(
            target=self._target.name,
            side=order.side,
            artifact=_jar(order),
            folder=order.folder,
            cpus=order.aside,
            resources=self._resources,
        )
        return Dependencies(self._dependencies, beside=beside)

    def deploy(self, order: ForkOrder, attach: Attach) -> Fork:
        """See `deploy.fork.Deployer`.

        Raises:
            DeployError: when the fixed port is in use, a secret is not set, or the setup fails.
            UsageError: when the command's program does not exist.
        """
        jar, target = _jar(order), self._target
        # Absolute, because the service has a working directory of its own.
        folder, scratch = order.folder.resolve(), order.scratch.resolve()
        socket = scratch / "counters.sock"
        attached = attach(JvmView(host="127.0.0.1", scratch=str(scratch), counters=str(socket), seen=str))
        port = ports.free_port() if target.port is None else ports.require_free(target.port)
        placeholders = _filled_in(order, jar=jar, port=port)
        temporary = scratch / "tmp"  # what servers and drivers unpack outlives a JVM in the machine's own
        temporary.mkdir(exist_ok=True)
        plan = self._plan(order, attached, placeholders, temporary=temporary)
        hooks, reset = self._hooks(plan, folder=folder), placeholders.fill_each(target.reset)
        try:
            hooks.run("setup", placeholders.fill_each(target.setup))
            oom_kills, started = death.oom_kills(), time.monotonic()
            child = self._resources.spawn(
                plan.command,
                name=f"{target.name} ({order.side.value})",
                log=folder / "service.log",
                cwd=target.directory,
                env=plan.env,
            )
        except BaseException:
            with contextlib.suppress(DeployError):
                hooks.run("reset", reset)
            raise
        launched = Launched(
            target=target,
            side=order.side,
            port=port,
            folder=folder,
            socket=socket,
            shown=plan.shown,
            hooks=hooks,
            once_ready=placeholders.fill_each(target.once_ready),
            reset=reset,
            moment=started,
            java=order.request.java,
            dependencies=order.dependencies,
        )
        return ProcessFork(launched, child=child, limit=LogLimit(child.log), oom_kills=oom_kills)

    def _hooks(self, plan: Launch, *, folder: Path) -> Hooks:
        directory = self._target.directory
        struck = Struck.together((plan.struck, *map(struck_of_dependency, self._dependencies)))
        return Hooks(resources=self._resources, directory=directory, env=plan.hook_env, folder=folder, struck=struck)

    def _plan(self, order: ForkOrder, attached: Attachment, placeholders: Placeholders, *, temporary: Path) -> Launch:
        # It will be pinned to so many cores later (`Fork.pin`); unpinned, the JVM counts them.
        arranged = (f"-XX:ActiveProcessorCount={len(order.cpus)}",) if order.cpus else ()
        agents = (f"-javaagent:{agent}" for agent in attached.agents)
        own = (gc_log_option(order.folder.resolve()), LASTING_COMPILERS, f"-Djava.io.tmpdir={temporary}")
        return launch(
            self._target,
            self._command,
            order.request,
            placeholders,
            jvm_options=(*agents, *own, *attached.options, *arranged),
            agent_env={**attached.env, **attached.secrets},
        )


def _jar(order: ForkOrder) -> Path:
    if order.jar is None:
        raise DeployError("An image cannot be deployed as a process.", hint='Set target.deploy = "compose".')
    return order.jar


def _filled_in(order: ForkOrder, *, jar: Path, port: int) -> Placeholders:
    # Absolute, because the service has a working directory of its own.
    java = java_of(order.request.java)
    return Placeholders(
        artifact=jar.resolve(), port=port, fork=order.scratch.resolve(), java=java, others=order.dependencies.places
    )
