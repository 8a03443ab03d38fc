"""The objects of one load generator in a cluster: its pod, and the secret that the pod takes its token from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pacecar.measurement.load.gatling.pod import layout
from pacecar.measurement.pods import serving
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.system.cluster import CONFINED, FORK, INJECTOR, OWNER, PAIR, USER
from pacecar.system.cluster.place import Owner

CONTAINER = "gatling"
#: What a JVM takes beside its heap, with the program that starts it.
_BESIDE_HEAP = 768 << 20
_ASKS_CPU = "500m"
_HOST = "kubernetes.io/hostname"
_TMP = "/tmp"  # noqa: S108  a volume of the pod's own


@dataclass(frozen=True, kw_only=True)
class InjectorOrder:
    """What one load generator is asked for with.

    Attributes:
        name: of the pod and its secret.
        owner: value of the owner's label.
        port: where its program listens.
        heap_bytes: of Gatling's JVM.
        lives_s: how long the pod may live at most.
        token: of the program.
        variables: that simulations get, which stand in the secret alone.
        beside: load goes to loopback addresses, so it has to be on the node of the forks; else it avoids that node.
        owned_by: with what it goes; None for nothing.
    """

    name: str
    owner: str
    port: int
    heap_bytes: int
    lives_s: int
    beside: bool
    token: str = field(repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    owned_by: Owner | None = None

    @property
    def labels(self) -> dict[str, str]:
        """Of everything that is made for it. By the fork's own, whatever is of a run goes at its end."""
        return {OWNER: self.owner, FORK: self.name, INJECTOR: self.name}


def secret_of(order: InjectorOrder, *, pod: Owner) -> dict[str, Any]:
    """The secret, which goes with its pod."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": order.name, "labels": order.labels, "ownerReferences": [pod.reference]},
        "stringData": {serving.TOKEN: order.token, **order.variables},
    }


def pod_of(pods: InjectorPods, order: InjectorOrder) -> dict[str, Any]:
    """The pod. It has no rights in the cluster, and is never started anew."""
    owned = {} if order.owned_by is None else {"ownerReferences": [order.owned_by.reference]}
    spec = {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": order.lives_s,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "hostNetwork": pods.node_network,
        "nodeSelector": dict(pods.nodes),
        "imagePullSecrets": [{"name": name} for name in pods.pull_secrets],
        "affinity": _placed(order),
        "containers": [_container(pods, order)],
        "volumes": [{"name": "pacecar", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": order.name, "labels": {**pods.labels, **order.labels}, **owned},
        "spec": spec,
    }


def _container(pods: InjectorPods, order: InjectorOrder) -> dict[str, Any]:
    state, memory = str(layout.STATE), str(order.heap_bytes + _BESIDE_HEAP)
    places = dict.fromkeys(("HOME", "PACECAR_STATE", "PACECAR_CACHE", "PACECAR_LOCKS"), state)
    variables = {**places, serving.PORT: str(order.port)}
    cpu = None if pods.cpu is None else f"{round(pods.cpu * 1000)}m"
    return {
        "name": CONTAINER,
        "image": pods.image,
        "command": ["python3", "-m", layout.MODULE],
        "env": [
            *({"name": name, "value": value} for name, value in variables.items()),
            {"name": serving.ADDRESS, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            *(
                {"name": name, "valueFrom": {"secretKeyRef": {"name": order.name, "key": name}}}
                for name in (serving.TOKEN, *order.variables)
            ),
        ],
        "resources": {
            "requests": {"cpu": cpu or _ASKS_CPU, "memory": memory},
            "limits": {"memory": memory, **({} if cpu is None else {"cpu": cpu})},
        },
        "securityContext": {**CONFINED, "runAsUser": USER},
        "volumeMounts": [
            {"name": "pacecar", "mountPath": str(layout.SHARED)},
            {"name": "tmp", "mountPath": _TMP},
        ],
    }


def _placed(order: InjectorOrder) -> dict[str, Any]:
    """Away from what is measured where there is a choice; beside it where it could not be reached otherwise."""
    owned = {"key": OWNER, "operator": "In", "values": [order.owner]}
    forks = {"labelSelector": {"matchExpressions": [{"key": PAIR, "operator": "Exists"}]}, "topologyKey": _HOST}
    if order.beside:
        forks["labelSelector"]["matchExpressions"].append(owned)  # type: ignore[index]
        return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [forks]}}
    preferred = [{"weight": 100, "podAffinityTerm": forks}]
    return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
