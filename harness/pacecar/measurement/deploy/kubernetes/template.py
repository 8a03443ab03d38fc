"""The pod of the user's manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.fitness import DRY_RUN, mapping, require_fit
from pacecar.model.deployment import KubernetesDeployment
from pacecar.system.foreign import files

_MOST_BYTES = 1 << 20
#: Where the template of a pod lies, by kind.
_TEMPLATES = {
    "Pod": (),
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
_KINDS = "a Pod, a Deployment or another workload"
_TMP = "/tmp"  # noqa: S108  the service's
_JVM_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")

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
    def tmp(self) -> Spec | None:
        """What the service mounts at /tmp, as the manifest has it; None for nothing."""
        mounts = self.service.get("volumeMounts") or ()
        return next((each for each in mounts if str(each.get("mountPath")).rstrip("/") == _TMP), None)

    @property
    def jvm_options(self) -> dict[str, str]:
        """The JVM's own variables. Raises ManifestError where one comes from elsewhere."""
        found = {}
        for each in self.service.get("env") or ():
            if each.get("name") in _JVM_OPTIONS:
                if "valueFrom" in each:
                    raise ManifestError(
                        f"{each['name']} of container {self.container} comes from elsewhere (valueFrom), so the agents "
                        "cannot be added to it.",
                        hint="Write its value into the manifest, or set it under [target.env].",
                    )
                found[each["name"]] = str(each.get("value") or "")
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
    name, metadata, spec = _chosen(deployment)
    where = f"Pod {name} of {deployment.manifest.name}"
    require_fit(spec, where)
    container = _container(spec, where, deployment)
    user, group = _user(spec, container, where)
    stated = metadata.get("annotations")
    annotations = {str(key): str(value) for key, value in stated.items()} if isinstance(stated, Mapping) else {}
    return Template(
        name=name, annotations=annotations, spec=spec, container=str(container["name"]), user=user, group=group
    )


def _documents(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = files.content(path, most=_MOST_BYTES).decode("utf-8")
        for document in yaml.safe_load_all(text):
            if isinstance(document, Mapping):
                items = document.get("items") if document.get("kind") == "List" else [document]
                yield from (each for each in (items if isinstance(items, list) else ()) if isinstance(each, Mapping))
    except OSError as error:
        raise ManifestError(f"The manifest {path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise ManifestError(
            f"The manifest {path}{line} is no YAML: {getattr(error, 'problem', None) or error}.",
            hint=DRY_RUN,
        ) from error


def _chosen(deployment: KubernetesDeployment) -> tuple[str, Mapping[str, Any], Spec]:
    """Name, metadata of the pod, and its spec."""
    path, found = deployment.manifest, {}
    for document in _documents(path):
        kind = document.get("kind")
        if not isinstance(kind, str) or kind not in _TEMPLATES:
            continue
        pod: Any = document
        for key in _TEMPLATES[kind]:
            pod = pod.get(key) if isinstance(pod, Mapping) else None
        if isinstance(pod, Mapping) and isinstance(pod.get("spec"), dict):
            found[str(mapping(document.get("metadata")).get("name"))] = (mapping(pod.get("metadata")), pod["spec"])
    if deployment.workload is not None and deployment.workload in found:
        return deployment.workload, *found[deployment.workload]
    if deployment.workload is None and len(found) == 1:
        return next((name, *each) for name, each in found.items())
    if not found:
        raise ManifestError(
            f"{path} holds no pod: neither {_KINDS}.", hint="Name another file: target.kubernetes.manifest"
        )
    names = ", ".join(found)
    if deployment.workload is None:
        raise ManifestError(
            f"{path} holds {len(found)} workloads.", hint=f"Set target.kubernetes.workload to one of: {names}"
        )
    raise ManifestError(f"{path} holds no workload {deployment.workload!r}.", hint=f"There are: {names}")


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
        f"{where} has {len(containers)} containers, so it is not known which one is the service.",
        hint=f"Set target.kubernetes.container to one of: {', '.join(names)}",
    )


def _user(spec: Spec, container: Spec, where: str) -> tuple[int, int | None]:
    own, pods = container.get("securityContext") or {}, spec.get("securityContext") or {}
    user, group = (own.get(key, pods.get(key)) for key in ("runAsUser", "runAsGroup"))
    if type(user) is not int or user <= 0:  # YAML's `true` is no user
        raise ManifestError(
            f"{where} does not say as whom {container.get('name')} runs, or it is root. The sidecar that reads its "
            "counters has to be the same user, and is never root.",
            hint="Set securityContext.runAsUser of the pod to the id of the image's user.",
        )
    return user, group if isinstance(group, int) else None
