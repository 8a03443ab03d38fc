"""The pod of the user's manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.fitness import mapping, require_fit, text
from pacecar.measurement.deploy.kubernetes.manifest import documents
from pacecar.model.deployment import KubernetesDeployment

#: Where the template of a pod lies: in every workload, also of who extends Kubernetes, but for these kinds.
_USUAL = ("spec", "template")
_ELSEWHERE = {"Pod": (), "CronJob": ("spec", "jobTemplate", *_USUAL), "PodTemplate": ("template",)}
_TMP = "/tmp"  # noqa: S108  the service's
_JVM_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
#: Stands for `$(` where the kubelet is to fill in what follows, as it would have done in the manifest. No variable
#: holds a NUL byte.
FILLED_IN = "\0("

Spec = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Template:
    """The pod that a fork is made of.

    Attributes:
        name: of the pod or the workload.
        annotations: of the pod.
        spec: of the pod.
        container: name of the service's container.
        user: id of the user that the service runs as, which is not root.
        group: likewise; None for the image's.
    """

    name: str
    annotations: Mapping[str, str]
    spec: Spec
    container: str
    user: int
    group: int | None

    @property
    def service(self) -> Spec:
        """The service's container."""
        found: Spec = next(each for each in self.spec["containers"] if each["name"] == self.container)
        return found

    @property
    def node_network(self) -> bool:
        """Whether the pod has the network of its node."""
        return self.spec.get("hostNetwork") is True

    @property
    def pull_secrets(self) -> tuple[str, ...]:
        """Names of the secrets by which a node may pull its images."""
        return tuple(str(each.get("name")) for each in self.spec.get("imagePullSecrets") or ())

    @property
    def tmp(self) -> Spec | None:
        """What the service mounts at /tmp, as the manifest has it; None for nothing."""
        mounts = self.service.get("volumeMounts") or ()
        return next((each for each in mounts if str(each.get("mountPath")).rstrip("/") == _TMP), None)

    @property
    def jvm_options(self) -> dict[str, str]:
        """The JVM's own variables, see `FILLED_IN`. Raises ManifestError where one comes from elsewhere."""
        found = {}
        for each in self.service.get("env") or ():
            if each.get("name") in _JVM_OPTIONS:
                if "valueFrom" in each:
                    raise ManifestError(
                        f"{each['name']} of container {self.container} comes from elsewhere (valueFrom), so the agents "
                        "cannot be added to it.",
                        hint="Write its value into the manifest, or set it under [target.env].",
                    )
                found[each["name"]] = str(each.get("value") or "").replace("$(", FILLED_IN)
        return found

    @property
    def variables(self) -> dict[str, str]:
        """Variables of all containers whose values stand in the manifest."""
        return {
            str(each.get("name")): str(each["value"])
            for container in self.spec["containers"]
            for each in container.get("env") or ()
            if each.get("value") is not None
        }


def template_of(deployment: KubernetesDeployment) -> Template:
    """The pod that `deployment` names.

    Raises:
        ManifestError: when the file holds none, or one that shares more with its node than a network.
    """
    chosen = _chosen(deployment)
    spec, metadata = chosen.spec, chosen.metadata
    where = f"Pod {chosen.name} of {deployment.manifest.name}"
    require_fit(spec, where)
    container = _container(spec, where, deployment)
    user, group = _user(spec, container, where)
    annotations = {text(key): text(value) for key, value in mapping(metadata.get("annotations")).items()}
    return Template(
        name=chosen.name, annotations=annotations, spec=spec, container=str(container["name"]), user=user, group=group
    )


@dataclass(frozen=True, kw_only=True)
class _Workload:
    """A pod, or what makes pods, with the metadata and the spec of the pod."""

    kind: str
    name: str
    metadata: Mapping[str, Any]
    spec: Spec

    @property
    def full(self) -> str:
        return f"{self.kind}/{self.name}"


def _workloads(path: Path) -> Iterator[_Workload]:
    for document in documents(path):
        kind = document.get("kind")
        if not isinstance(kind, str):
            continue
        pod: Any = document
        for key in _ELSEWHERE.get(kind, _USUAL):
            pod = pod.get(key) if isinstance(pod, Mapping) else None
        spec = pod.get("spec") if isinstance(pod, Mapping) else None
        if isinstance(spec, dict) and (kind in _ELSEWHERE or "containers" in spec):
            own = mapping(document.get("metadata"))
            name = text(own.get("name")) or text(own.get("generateName")) or "without a name"
            spec = _with_claims(spec, document)
            yield _Workload(kind=kind, name=name, metadata=mapping(pod.get("metadata")), spec=spec)


def _with_claims(spec: Spec, document: Mapping[str, Any]) -> Spec:
    """`spec` with the volumes that a workload claims for each of its pods: a fork has its own, which goes with it."""
    stated, volumes = mapping(document.get("spec")).get("volumeClaimTemplates"), spec.get("volumes")
    if not isinstance(stated, list) or not isinstance(volumes, list | None):
        return spec
    claims = {text(mapping(mapping(each).get("metadata")).get("name")): mapping(each).get("spec") for each in stated}
    kept = [each for each in volumes or () if text(mapping(each).get("name")) not in claims]
    made = [{"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": claim}}} for name, claim in claims.items()]
    return {**spec, "volumes": [*kept, *made]}


def _chosen(deployment: KubernetesDeployment) -> _Workload:
    path, wanted, found = deployment.manifest, deployment.workload, list(_workloads(deployment.manifest))
    fitting = [each for each in found if wanted in (None, each.name, each.full)]
    if len(fitting) == 1:
        return fitting[0]
    if not found:
        raise ManifestError(
            f"{path} holds no pod: it describes no Pod, no Deployment and no other workload.",
            hint="Name another file: target.kubernetes.manifest",
        )
    names = [each.name for each in found]
    shown = ", ".join(each.name if names.count(each.name) == 1 else each.full for each in found)
    if wanted is None or fitting:
        called = "" if wanted is None else f" called {wanted!r}"
        raise ManifestError(
            f"{path} holds {len(fitting)} workloads{called}.", hint=f"Set target.kubernetes.workload to one of: {shown}"
        )
    raise ManifestError(f"{path} holds no workload {wanted!r}.", hint=f"There are: {shown}")


def _container(spec: Spec, where: str, deployment: KubernetesDeployment) -> Spec:
    containers: Sequence[Spec] = spec.get("containers") or ()
    names = [str(each.get("name")) for each in containers]
    if deployment.container in names:
        return containers[names.index(str(deployment.container))]
    if deployment.container is not None:
        raise ManifestError(
            f"{where} has no container {deployment.container!r}.", hint=f"There are: {', '.join(names)}"
        )
    if len(containers) == 1:
        return containers[0]
    raise ManifestError(
        f"{where} has {len(containers)} containers, so Pacecar cannot tell which one is the service.",
        hint=f"Set target.kubernetes.container to one of: {', '.join(names)}",
    )


def _user(spec: Spec, container: Spec, where: str) -> tuple[int, int | None]:
    own, pods = container.get("securityContext") or {}, spec.get("securityContext") or {}
    user, group = (own.get(key, pods.get(key)) for key in ("runAsUser", "runAsGroup"))
    if type(user) is not int or user <= 0:  # YAML's `true` is no user
        raise ManifestError(
            f"{where} does not say which user {container.get('name')} runs as, or it is root. The sidecar that "
            "reads its counters must run as the same user, and never as root.",
            hint="Set securityContext.runAsUser of the pod to the id of the image's user.",
        )
    return user, group if isinstance(group, int) else None
