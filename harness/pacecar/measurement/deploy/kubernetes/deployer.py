"""Having a cluster bring up a fork."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets as random
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact, make
from pacecar.inputs.builds.java_home import java_of
from pacecar.inputs.builds.libraries import files_below
from pacecar.inputs.builds.pinned_image import pinned_image
from pacecar.measurement.deploy import DeployError, ports
from pacecar.measurement.deploy.apart import Inside, environment_inside, hooks_here
from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.deploy.fork import Attach, Attachment, ForkOrder, JvmView, Launched
from pacecar.measurement.deploy.kubernetes.fork import KubernetesFork, Sent
from pacecar.measurement.deploy.kubernetes.pod import PodOrder, pod_of, secret_of
from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.template import Template, template_of
from pacecar.measurement.deploy.launch import Placeholders, secrets, shown_variables
from pacecar.measurement.guard import new_token
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree, Target
from pacecar.system.cluster import FORK, ClusterError
from pacecar.system.cluster.addresses import own_address
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Owner, Place
from pacecar.system.resources import Resources
from pacecar.text.hidden import Struck

#: Nobody's pair takes as long; a pod that was forgotten ends by itself.
_LIVES_S = 2 * 3600
_JAR = "jar"


@dataclass(kw_only=True)
class _Files:
    """What the service is to see, as it is asked for."""

    sent: dict[str, Path] = field(default_factory=dict)

    def seen(self, file: Path) -> str:
        """Have the pod get a file; returns where it is there."""
        name = f"{len(self.sent)}/{file.name}"
        self.sent[name] = file
        return str(layout.FILES / name)

    def jar(self, jar: Path) -> None:
        """Have the pod get a build: a jar, or a folder."""
        if jar.is_file():
            self.sent[_JAR] = jar
        else:
            files = (each for each in sorted(jar.rglob("*")) if each.is_file())
            self.sent |= {f"{_JAR}/{each.relative_to(jar).as_posix()}": each for each in files}


@dataclass(frozen=True, kw_only=True)
class _Named:
    """What a fork is called, and where its service listens."""

    name: str
    port: int


class KubernetesDeployer:
    """Forks that are pods.

    Args:
        target: readiness, environment and hooks.
        deployment: manifest, container and cluster.
        resources: of everything that is started.
    """

    def __init__(self, target: Target, deployment: KubernetesDeployment, *, resources: Resources) -> None:
        self._target = target
        self._kubernetes = deployment
        self._resources = resources

    @property
    def _place(self) -> Place:
        return Place(context=self._kubernetes.context, namespace=self._kubernetes.namespace)

    @cached_property
    def template(self) -> Template:
        """The pod of the manifest. Raises ManifestError."""
        return template_of(self._kubernetes)

    def make(self, request: BuildRequest, *, source: SourceTree | None, log_dir: Path) -> Artifact:
        """See `deploy.fork.Deployer`."""
        if request.kind is BuildKind.IMAGE:
            return pinned_image(request)
        if self._kubernetes.jar is None:
            raise BuildError(
                f"The build {request.label!r} is no image, and target.kubernetes.jar does not say where a jar goes.",
                hint='Set target.kubernetes.jar, or name an image: image = "registry/orders@sha256:…"',
            )
        made = make(request, source=source, resources=self._resources, log_dir=log_dir)
        if made.path is not None and made.path.is_dir():
            _check_links(made.path, request.label)
        return made

    def why_not_both(self) -> str | None:
        """See `deploy.fork.Deployer`: what fits is the cluster's to say, but a node has each port once."""
        if self.template.node_network and self._kubernetes.port is not None:
            return f"the port {self._kubernetes.port} is fixed, and both pods have the network of their node"
        return None

    def machine(self) -> str | None:
        """See `deploy.fork.Deployer`."""
        return "the nodes of a cluster"

    def injectors(self) -> InjectorPods | None:
        """See `deploy.fork.Deployer`."""
        asked = self._kubernetes.injectors
        if asked is None:
            return None
        return InjectorPods(
            place=self._place,
            image=self._kubernetes.sidecar,
            node_network=self.template.node_network,
            cpu=asked.cpu,
            nodes=asked.nodes,
            labels=self._kubernetes.labels,
            pull_secrets=self.template.pull_secrets,
        )

    def struck(self) -> Struck:
        """See `deploy.fork.Deployer`: the secrets that stand in the manifest."""
        return Struck.of({}, self.template.variables)

    def dependencies(self, order: ForkOrder) -> Dependencies:  # noqa: ARG002  of any
        """See `deploy.fork.Deployer`: none, for what a service needs are containers of its pod."""
        return Dependencies()

    def deploy(self, order: ForkOrder, attach: Attach) -> KubernetesFork:
        """See `deploy.fork.Deployer`. Raises ClusterError when the cluster refuses."""
        target = self._target
        named = _Named(
            name=f"pacecar-{random.token_hex(4)}-{order.side.value[0]}",
            port=self._kubernetes.port or ports.free_port(),
        )
        here = Placeholders(
            artifact=order.jar or Path(), port=named.port, fork=order.scratch.resolve(), java=java_of(None)
        )
        hidden = secrets(target)
        hooks = hooks_here(target, order, here=here, also=self.struck(), resources=self._resources)
        reset = here.fill_each(target.reset)
        connection = Connection(self._place)
        try:
            hooks.run("setup", here.fill_each(target.setup))
            moment = time.monotonic()
            pod, files = self._pod(order, attach, named=named, hidden=hidden, connection=connection)
            sent = self._sent(pod, files, connection)
        except BaseException:
            with contextlib.suppress(DeployError, ClusterError), contextlib.closing(connection):
                connection.remove(f"{FORK}={named.name}")
                hooks.run("reset", reset)
            raise
        launched = Launched(
            target=target,
            side=order.side,
            port=named.port,
            folder=order.folder,
            socket=Path(layout.SOCKET),
            shown=self._shown(order),
            hooks=hooks,
            once_ready=here.fill_each(target.once_ready),
            reset=reset,
            moment=moment,
        )
        return KubernetesFork(launched, sent=sent, connection=connection)

    def _pod(
        self,
        order: ForkOrder,
        attach: Attach,
        *,
        named: _Named,
        hidden: dict[str, str],
        connection: Connection,
    ) -> tuple[PodOrder, _Files]:
        """What is asked for, and the files that it is sent."""
        files = _Files()
        if order.jar is not None:
            files.jar(order.jar)
        view = JvmView(
            host=own_address(connection, node_network=self.template.node_network),
            scratch=str(layout.SCRATCH),
            counters=str(layout.SOCKET),
            seen=files.seen,
        )
        attached = attach(view)
        pod = PodOrder(
            name=named.name,
            # Noted before anything is there, so that whoever sweeps after us finds what has it.
            owner=self._resources.pods_label(connection.place),
            pair=_pair_of(order),
            image=next(iter(order.images.values()), None),
            port=named.port,
            sidecar_port=ports.free_port(),
            environment=self._environment(order, attached, port=named.port),
            secrets={**hidden, **attached.secrets},
            token=new_token(),
            jar=_JAR if order.jar is not None else None,
            lives_s=_LIVES_S,
            owned_by=connection.own_pod(),
        )
        return pod, files

    def _sent(self, pod: PodOrder, files: _Files, connection: Connection) -> Sent:
        uid = connection.create(pod_of(self.template, self._kubernetes, pod))
        # At once: no container of the pod starts without it.
        connection.create(secret_of(pod, pod=Owner(kind="Pod", name=pod.name, uid=uid)))
        return Sent(
            name=pod.name,
            uid=uid,
            container=self.template.container,
            sidecar_port=pod.sidecar_port,
            token=pod.token,
            files=files.sent,
        )

    def _environment(self, order: ForkOrder, attached: Attachment, *, port: int) -> dict[str, str]:
        jar, scratch = Path(self._kubernetes.jar or ""), Path(layout.SCRATCH)
        inside = Inside(
            placeholders=Placeholders(artifact=jar, port=port, fork=scratch, java=java_of(None)),
            logs=Path(layout.LOGS),
            stated=self.template.jvm_options,
        )
        return environment_inside(self._target, order, attached, inside)

    def _shown(self, order: ForkOrder) -> tuple[str, ...]:
        image = next(iter(order.images.values()), None) or self.template.service.get("image")
        return (
            *shown_variables(self._target, order.request),
            *("pod", self.template.name, self.template.container),
            f"image={image}",
        )


def _pair_of(order: ForkOrder) -> str:
    """The same for both forks of a pair: they have one folder above their own."""
    return hashlib.sha256(os.fsencode(order.folder.resolve().parent)).hexdigest()[:16]


def _check_links(folder: Path, label: str) -> None:
    """Raise BuildError for a link that leads out of a build: nothing else that lies here is sent to its pod."""
    place = folder.resolve()
    for path in files_below(folder):
        try:
            leads_out = path.is_symlink() and not path.resolve().is_relative_to(place)
        except (OSError, RuntimeError):  # a link that leads to itself
            continue
        if leads_out:
            raise BuildError(
                f"The build {label!r} has a link that leads out of it: {path.relative_to(folder)}.",
                hint="Put what it leads to in its place.",
            )
