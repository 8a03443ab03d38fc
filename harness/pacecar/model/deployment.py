"""How one fork of a target is started: each way a shape of its own, with the fields that apply to it.

To add one: a shape here, its keys in `inputs.config.deployment`, its deployer and its checks in
`measurement.deploy.deployers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What sets a deployment apart from others of the same target: plain values, paths, tuples and mappings of them.
DeploymentIdentity = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """A process that a fork needs beside it, such as a database; each fork has one of its own.

    Attributes:
        name: short name, used for its log and in what refers to it.
        command: argument list; `{port}`, `{folder}` (a fresh one), `{java}` and `{artifact}` are filled in, and
            `{NAME.port}` and `{NAME.folder}` of those before it.
        directory: working directory.
        ready_path: path on its port that answers with a 2xx status once it is up; None for another sign.
        ready_line: text that it prints once it is up; None for another sign. Without either it is up once its port
            accepts a connection.
        timeout_s: how long that may take.
        env: its environment, beside what every fork inherits.
        secrets: variable of it -> variable of Pacecar's own environment. Values are never recorded.
    """

    name: str
    command: tuple[str, ...]
    directory: Path
    ready_path: str | None = None
    ready_line: str | None = None
    timeout_s: float = 60.0
    env: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> DeploymentIdentity:
        """What of it may change how a fork behaves."""
        return {"name": self.name, "command": self.command, "env": self.env, "secrets": self.secrets}


@dataclass(frozen=True, kw_only=True)
class DependencyRecord:
    """How one process that a fork needs was started.

    Attributes:
        name: as the configuration has it.
        command: what was started, without values of variables; secrets as their variable's name.
        ready_s: from its own start until it was up.
    """

    name: str
    command: tuple[str, ...]
    ready_s: float


@dataclass(frozen=True, kw_only=True)
class ProcessDeployment:
    """A fork is a process of its own.

    Attributes:
        command: argument list; `{artifact}`, `{port}`, `{java}` and `{fork}` (a scratch folder) are filled in, and
            `{NAME.port}` and `{NAME.folder}` of dependencies.
        dependencies: what each fork needs beside it, in the order in which they start.
    """

    command: tuple[str, ...]
    dependencies: tuple[Dependency, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments that a fork is started with, in which the user may have put credentials."""
        return self.command

    @property
    def inherit(self) -> tuple[str, ...]:
        """Variables of Pacecar's own environment that what deploys gets beside the usual."""
        return ()

    @property
    def summary(self) -> str | None:
        """What a plan says of it beside the target's name; None for nothing."""
        names = [each.name for each in self.dependencies]
        return f"with {' and '.join(names)}" if names else None

    @property
    def identity(self) -> DeploymentIdentity:
        """All that may change how a fork of one build behaves, so that noise is remembered for each way by itself."""
        alone = {"deploy": "process", "command": self.command}
        # Without any it is what it was before there could be some: noise of earlier runs stays known.
        return alone | {"dependencies": [each.identity for each in self.dependencies]} if self.dependencies else alone


class _Described:
    """What is alike where a file of the user's describes a fork: how it is started, and what it needs beside it."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """See `ProcessDeployment`; those of a container stand in that file."""
        return ()

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        """None of ours: what a service needs stands in that file, too."""
        return ()


@dataclass(frozen=True, kw_only=True)
class ComposeDeployment(_Described):
    """A fork is a service of the user's own compose file, with what it depends on.

    Attributes:
        file: the compose file.
        service: name of the service in it.
        port: where it listens inside its container; None for the only port that the file names.
        jar: path in the image at which a build's jar is mounted; None where the build is an image.
        cpus: limit of CPU in cores; None as the file says.
        memory_bytes: limit of memory; likewise.
        inherit: variables of Pacecar's own environment that Compose gets beside the usual, to fill them in.
    """

    file: Path
    service: str
    port: int | None = None
    jar: str | None = None
    cpus: float | None = None
    memory_bytes: int | None = None
    inherit: tuple[str, ...] = ()

    @property
    def summary(self) -> str | None:
        """See `ProcessDeployment`."""
        return f"service {self.service} of {self.file.name}"

    @property
    def identity(self) -> DeploymentIdentity:
        """See `ProcessDeployment`."""
        return {
            "deploy": "compose",
            "file": self.file,
            "service": self.service,
            "port": self.port,
            "jar": self.jar,
            "cpus": self.cpus,
            "memory_bytes": self.memory_bytes,
            "inherit": self.inherit,
        }


@dataclass(frozen=True, kw_only=True)
class InjectorNeeds:
    """What the pod of a load generator asks for.

    Attributes:
        cpu: cores, asked for and limited; None for no limit.
        nodes: labels of the nodes that it may run on.
    """

    cpu: float | None = None
    nodes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class KubernetesDeployment(_Described):
    """A fork is a pod of its own, made from the user's manifest.

    Attributes:
        manifest: the file with the pod, or with a workload that has a template of one.
        workload: name of the pod or workload, `Kind/name` where two have the same; None for the only one in the file.
        container: name of the service's container; None for the only one of the pod.
        port: where it listens in its pod; None for one that Pacecar chooses.
        jar: path in the container at which a build's jar is mounted; None where the build is an image.
        cpu: cores, asked for and limited; None as the manifest says.
        memory_bytes: memory, likewise.
        nodes: labels of the nodes that it may run on.
        labels: of every pod that is made, beside Pacecar's own.
        sidecar: image with Pacecar, which runs beside the service.
        injectors: load generators are pods, too, which ask for this; None where they run beside Pacecar.
        account: as which a job that was submitted makes the pods.
        queue: of Kueue, which lets such a job begin; None for none.
        namespace: where; None as the context says.
        context: of the configuration of kubectl; None for the current one.
    """

    manifest: Path
    sidecar: str
    workload: str | None = None
    container: str | None = None
    port: int | None = None
    jar: str | None = None
    cpu: float | None = None
    memory_bytes: int | None = None
    nodes: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    injectors: InjectorNeeds | None = None
    account: str = "pacecar"
    queue: str | None = None
    namespace: str | None = None
    context: str | None = None

    @property
    def inherit(self) -> tuple[str, ...]:
        """See `ProcessDeployment`: none."""
        return ()

    @property
    def summary(self) -> str | None:
        """See `ProcessDeployment`."""
        return f"{self.workload or 'the pod'} of {self.manifest.name}, in pods"

    @property
    def identity(self) -> DeploymentIdentity:
        """See `ProcessDeployment`. Whose namespace it is changes nothing, which nodes there are does."""
        alone = {
            "deploy": "kubernetes",
            "manifest": self.manifest,
            "workload": self.workload,
            "container": self.container,
            "port": self.port,
            "jar": self.jar,
            "cpu": self.cpu,
            "memory_bytes": self.memory_bytes,
            "nodes": self.nodes,
            "context": self.context,
        }
        # Without any it is what it was before there could be some: noise of earlier runs stays known.
        needs = self.injectors
        return alone if needs is None else alone | {"injectors": {"cpu": needs.cpu, "nodes": needs.nodes}}


#: One of the ways.
Deployment = ProcessDeployment | ComposeDeployment | KubernetesDeployment
