"""The objects of one submission: a job that measures it, and the secret that tells the job what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pacecar.system.cluster import CONFINED, RUN, USER
from pacecar.system.cluster.connection import POD_NAME
from pacecar.system.cluster.place import Owner
from pacecar.system.cluster.queues import QUEUE_NAME

#: The container's name, and where in it things lie: what it is told, and what it may write to.
CONTAINER = "pacecar"
ORDER, WORK = "/pacecar/order", "/pacecar/work"
#: Keys of the secret: the submission, and what begins with the other are variables of the job.
SUBMISSION, VARIABLE = "submission.json", "variable."
_TMP = "/tmp"  # noqa: S108  a volume of the job's own
_BATCH = "batch/v1"
#: After its end the job is there for so long, for whoever follows it to see how it ended.
_SEEN_S = 30
#: Where its node is drained it puts what it has into the store.
_GRACE_S = 60
#: A pod that was evicted or preempted is no failure of ours, so another one is made (KEP 3329).
_MOVED = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@dataclass(frozen=True, kw_only=True)
class JobOrder:
    """What differs from one submission to another.

    Attributes:
        run_id: of the run.
        image: with Pacecar.
        account: that may make pods.
        queue: which lets it begin; None for none.
        node_network: it has the network of its node, as the pods that it measures do.
        cpu: cores that it asks for.
        memory_bytes: of the load generator and of what judges.
        lives_s: how long it may take at most.
        files: key of the secret -> content.
        variables: of the job, which stand in the secret alone.
        also: labels of the job and its pods beside ours.
        pull_secrets: by which a node may pull the image.
    """

    run_id: str
    image: str
    account: str
    queue: str | None
    node_network: bool
    cpu: str
    memory_bytes: int
    lives_s: int
    files: Mapping[str, str] = field(repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    also: Mapping[str, str] = field(default_factory=dict)
    pull_secrets: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Of the job and its secret."""
        return name_of(self.run_id)

    @property
    def labels(self) -> dict[str, str]:
        """Of everything that is made for the submission."""
        return {RUN: self.run_id}

    @property
    def queued(self) -> dict[str, str]:
        """Labels of the job alone: the queue that it waits in."""
        return {} if self.queue is None else {QUEUE_NAME: self.queue}


def name_of(run_id: str) -> str:
    """What the job that measures a run is called."""
    return f"pacecar-{run_id}"


def secret_of(order: JobOrder, *, job: Owner) -> dict[str, Any]:
    """The secret, which goes with its job."""
    variables = {f"{VARIABLE}{name}": value for name, value in order.variables.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": order.name, "labels": order.labels, "ownerReferences": [job.reference]},
        "stringData": {**order.files, **variables},
    }


def owner_of(order: JobOrder, uid: str) -> Owner:
    """The job, as what goes with it names it."""
    return Owner(kind="Job", name=order.name, uid=uid, version=_BATCH)


def job_of(order: JobOrder) -> dict[str, Any]:
    """The job. It is tried once, but for pods that the cluster takes away."""
    spec = {
        "restartPolicy": "Never",
        "serviceAccountName": order.account,
        "hostNetwork": order.node_network,
        "terminationGracePeriodSeconds": _GRACE_S,
        "enableServiceLinks": False,
        "imagePullSecrets": [{"name": name} for name in order.pull_secrets],
        "containers": [_container(order)],
        "volumes": [
            {"name": "order", "secret": {"secretName": order.name, "items": _items(order), "defaultMode": 0o440}},
            {"name": "work", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
        ],
        "securityContext": {"fsGroup": USER},
    }
    return {
        "apiVersion": _BATCH,
        "kind": "Job",
        "metadata": {"name": order.name, "labels": {**order.also, **order.labels, **order.queued}},
        "spec": {
            # Whoever keeps the queue sets it going: it must not have begun before it was seen.
            "suspend": order.queue is not None,
            "backoffLimit": 0,
            "podFailurePolicy": {"rules": [_MOVED]},
            "activeDeadlineSeconds": order.lives_s,
            "ttlSecondsAfterFinished": _SEEN_S,
            "template": {"metadata": {"labels": {**order.also, **order.labels}}, "spec": spec},
        },
    }


def _container(order: JobOrder) -> dict[str, Any]:
    places = {
        "HOME": WORK,
        "PACECAR_CACHE": f"{WORK}/cache",
        "PACECAR_STATE": f"{WORK}/state",
        "PACECAR_LOCKS": f"{WORK}/locks",
        "NO_COLOR": "1",
    }
    fields = {POD_NAME: "metadata.name", **({} if order.node_network else {"PACECAR_POD_ADDRESS": "status.podIP"})}
    memory = str(order.memory_bytes)
    return {
        "name": CONTAINER,
        "image": order.image,
        "command": ["python3", "-m", "pacecar", "cluster", "conduct"],
        "env": [
            *({"name": name, "value": value} for name, value in places.items()),
            *({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()),
            *({"name": name, "valueFrom": {"secretKeyRef": _key(order, name)}} for name in order.variables),
        ],
        "resources": {"requests": {"cpu": order.cpu, "memory": memory}, "limits": {"memory": memory}},
        "securityContext": {**CONFINED, "runAsUser": USER},
        "workingDir": WORK,
        "volumeMounts": [
            {"name": "order", "mountPath": ORDER, "readOnly": True},
            {"name": "work", "mountPath": WORK},
            {"name": "tmp", "mountPath": _TMP},
        ],
    }


def _key(order: JobOrder, name: str) -> dict[str, str]:
    return {"name": order.name, "key": f"{VARIABLE}{name}"}


def _items(order: JobOrder) -> list[dict[str, str]]:
    """The files alone: what is a variable is none."""
    return [{"key": name, "path": name} for name in order.files]
