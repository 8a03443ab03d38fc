"""The objects of one fork: its pod, and the secret that the pod's containers take their tokens from."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.template import FILLED_IN, Spec, Template
from pacecar.measurement.pods import serving
from pacecar.model.deployment import KubernetesDeployment
from pacecar.system.cluster import CONFINED, FORK, INJECTOR, OWNER, PAIR, RUN
from pacecar.system.cluster.place import Owner

SIDECAR = "pacecar-sidecar"
_VOLUME = "pacecar"
_STATE = "pacecar-state"
#: A JVM is asked by a socket in its /tmp, and whoever is in the same PID namespace looks for that in a /tmp of its own
#: (`VirtualMachineImpl.findTargetProcessTmpDirectory` of JDK 17): so both have the same.
_TMP = "pacecar-tmp"
_OUR_TMP = {"name": _TMP, "mountPath": "/tmp"}  # noqa: S108
_HOST = "kubernetes.io/hostname"
#: What a container loses: nobody but the load generator sends it requests while it is measured, its fork is one pod
#: among many of a node, and it is never started anew.
_DROPPED = ("livenessProbe", "readinessProbe", "startupProbe", "ports", "restartPolicy")
#: What a container of the start loses that runs on beside the service. The rest is what the start waits for.
_INIT_DROPPED = ("livenessProbe", "readinessProbe")
#: Likewise of the pod: what names a node, an account, or what others know it by; what spreads the pods of a workload,
#: or waits for somebody who knows the workload; and what only a pod that runs has.
_POD_DROPPED = (
    *("nodeName", "serviceAccount", "serviceAccountName", "hostname", "subdomain", "schedulerName"),
    *("topologySpreadConstraints", "schedulingGates", "ephemeralContainers"),
)
#: A sidecar is idle but for some milliseconds at each edge of a window.
_SIDECAR_ASKS, _SIDECAR_LIMITS = {"cpu": "50m", "memory": "256Mi"}, {"memory": "256Mi"}
#: Where the service's cores are asked for: a node gives whole ones to a pod alone all of whose containers are limited.
_SIDECAR_ALL = {"cpu": "500m", "memory": "256Mi"}


@dataclass(frozen=True, kw_only=True)
class PodOrder:
    """What differs from the user's pod in one fork.

    Attributes:
        name: of the pod and its secret.
        owner: value of the owner's label.
        pair: value of the label that both forks of a pair have.
        image: of the service; None as the manifest says.
        port: where the service listens.
        sidecar_port: where the sidecar does.
        environment: variables of the service.
        secrets: likewise, with values that stand in the secret alone.
        token: of the sidecar.
        jar: file below `layout.FILES` that is mounted at the deployment's path; None for none.
        lives_s: how long the pod may live at most.
        owned_by: with what it goes; None for nothing.
    """

    name: str
    owner: str
    pair: str
    image: str | None
    port: int
    sidecar_port: int
    environment: Mapping[str, str]
    token: str = field(repr=False)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    jar: str | None = None
    lives_s: int = 3600
    owned_by: Owner | None = None

    @property
    def labels(self) -> dict[str, str]:
        """Of everything that is made for the fork."""
        return {OWNER: self.owner, FORK: self.name, PAIR: self.pair}


def secret_of(order: PodOrder, *, pod: Owner) -> dict[str, Any]:
    """The secret of a fork, which goes with its pod."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": order.name, "labels": order.labels, "ownerReferences": [pod.reference]},
        "stringData": {serving.TOKEN: order.token, **order.secrets},
    }


def pod_of(template: Template, deployment: KubernetesDeployment, order: PodOrder) -> dict[str, Any]:
    """The pod of a fork: the user's own, with what it is measured by."""
    spec = {key: value for key, value in copy.deepcopy(template.spec).items() if key not in _POD_DROPPED}
    for container in spec["containers"]:
        for key in _DROPPED:
            container.pop(key, None)
    for container in spec.get("initContainers") or ():
        _calm(container)
    service = next(each for each in spec["containers"] if each["name"] == template.container)
    _overlay_service(service, deployment, order)
    if template.tmp is None:
        service["volumeMounts"].append(_OUR_TMP)
    spec |= {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": order.lives_s,
        "shareProcessNamespace": True,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "initContainers": [_sidecar(template, deployment, order), *(spec.get("initContainers") or ())],
        "volumes": [*(spec.get("volumes") or ()), *map(_empty, (_VOLUME, _STATE, _TMP))],
        "affinity": _placed(spec.get("affinity") or {}, order),
    }
    if deployment.nodes:
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **deployment.nodes}
    metadata: dict[str, Any] = {
        "name": order.name,
        "labels": {**deployment.labels, **order.labels},
        "annotations": dict(template.annotations),
        **({} if order.owned_by is None else {"ownerReferences": [order.owned_by.reference]}),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _calm(container: Spec) -> None:
    """Take from a container of the start what the kubelet would ask it later, and the port of the node that it has."""
    for key in _INIT_DROPPED:
        container.pop(key, None)
    for port in container.get("ports") or ():
        port.pop("hostPort", None)


def _overlay_service(service: Spec, deployment: KubernetesDeployment, order: PodOrder) -> None:
    ours = {**order.environment, **order.secrets}
    kept = [each for each in service.get("env") or () if each.get("name") not in ours]
    plain = [{"name": name, "value": _literal(value)} for name, value in order.environment.items()]
    service["env"] = [*kept, *(_from_secret(order, name) for name in order.secrets), *plain]
    mounts = [*(service.get("volumeMounts") or ()), {"name": _VOLUME, "mountPath": str(layout.SHARED)}]
    if order.jar is not None:
        inside = f"{layout.FILES.relative_to(layout.SHARED)}/{order.jar}"
        mounts.append({"name": _VOLUME, "mountPath": deployment.jar, "subPath": inside, "readOnly": True})
    service["volumeMounts"] = mounts
    if order.image is not None:
        service["image"] = order.image
    needs = {
        **({"cpu": f"{round(deployment.cpu * 1000)}m"} if deployment.cpu is not None else {}),
        **({"memory": str(deployment.memory_bytes)} if deployment.memory_bytes is not None else {}),
    }
    stated = service.get("resources") or {}
    if needs:
        service["resources"] = stated | {key: {**(stated.get(key) or {}), **needs} for key in ("requests", "limits")}


def _sidecar(template: Template, deployment: KubernetesDeployment, order: PodOrder) -> Spec:
    """A native sidecar: the service starts once its startup probe has passed, and it goes when the service has."""
    variables = {
        serving.PORT: str(order.sidecar_port),
        layout.SERVICE_PORT: str(order.port),
        "PACECAR_STATE": layout.STATE,
        "HOME": layout.STATE,
        "TMPDIR": layout.STATE,
    }
    return {
        "name": SIDECAR,
        "image": deployment.sidecar,
        "command": ["python3", "-m", layout.MODULE],
        "restartPolicy": "Always",
        "env": [
            *({"name": name, "value": value} for name, value in variables.items()),
            {"name": serving.ADDRESS, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            _from_secret(order, serving.TOKEN),
        ],
        "startupProbe": {
            "exec": {"command": ["test", "-e", str(layout.COMPLETE)]},
            "periodSeconds": 1,
            "failureThreshold": order.lives_s,
        },
        "resources": {
            "requests": _SIDECAR_ASKS if deployment.cpu is None else _SIDECAR_ALL,
            "limits": _SIDECAR_LIMITS if deployment.cpu is None else _SIDECAR_ALL,
        },
        "securityContext": {
            "runAsUser": template.user,
            **({} if template.group is None else {"runAsGroup": template.group}),
            **CONFINED,
        },
        "volumeMounts": [
            {"name": _VOLUME, "mountPath": str(layout.SHARED)},
            {"name": _STATE, "mountPath": layout.STATE},
            template.tmp or _OUR_TMP,
        ],
    }


def _placed(affinity: Mapping[str, Any], order: PodOrder) -> dict[str, Any]:
    """Both forks of a pair on one node: what is compared must not be two machines. Where there is a choice, on one that
    neither sends load nor has forks of another run.
    """
    pair = {"labelSelector": {"matchLabels": {OWNER: order.owner, PAIR: order.pair}}, "topologyKey": _HOST}
    others = ({"key": OWNER, "operator": "Exists"}, {"key": OWNER, "operator": "NotIn", "values": [order.owner]})
    avoided = (*([{"key": each, "operator": "Exists"}] for each in (RUN, INJECTOR)), [*others])
    apart = [
        {
            "weight": 100,
            "podAffinityTerm": {"labelSelector": {"matchExpressions": each}, "topologyKey": _HOST},
        }
        for each in avoided
    ]
    return {
        **affinity,
        "podAffinity": _with(affinity.get("podAffinity"), "requiredDuringSchedulingIgnoredDuringExecution", [pair]),
        "podAntiAffinity": _with(
            affinity.get("podAntiAffinity"), "preferredDuringSchedulingIgnoredDuringExecution", apart
        ),
    }


def _with(stated: Mapping[str, Any] | None, key: str, ours: Sequence[Any]) -> dict[str, Any]:
    """What the manifest states, with ours behind it."""
    there: Mapping[str, Any] = stated or {}
    return {**there, key: [*(there.get(key) or ()), *ours]}


def _from_secret(order: PodOrder, name: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": order.name, "key": name}}}


def _empty(name: str) -> dict[str, Any]:
    return {"name": name, "emptyDir": {}}


def _literal(value: str) -> str:
    """`value` as the kubelet hands it on unchanged, but for what the manifest has it fill in: `$(NAME)`."""
    return value.replace("$(", "$$(").replace(FILLED_IN, "$(")
