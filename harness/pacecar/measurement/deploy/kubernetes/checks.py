"""What a fork that is a pod needs of the cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.template import template_of
from pacecar.model.check import Check
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import Target
from pacecar.system.cluster import ClusterError
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Place
from pacecar.system.cluster.rights import QUEUEING, RIGHTS, SUBMITTING


def checks(target: Target | None) -> tuple[Check, ...]:
    """Whether the manifest describes a pod, the cluster answers, and we may do there what we do; nothing for None."""
    if target is None or not isinstance(target.deployment, KubernetesDeployment):
        return ()
    return (_manifest(target.deployment), *_cluster(target.deployment))


def _manifest(deployment: KubernetesDeployment) -> Check:
    try:
        template = template_of(deployment)
    except ManifestError as error:
        return Check(name="manifest", ok=False, found=error.message, remedy=error.hint)
    return Check(name="manifest", ok=True, found=f"container {template.container} of {template.name}")


def _cluster(deployment: KubernetesDeployment) -> tuple[Check, ...]:
    try:
        connection = Connection(Place(context=deployment.context, namespace=deployment.namespace))
        with contextlib.closing(connection):
            rights = _rights(connection)
            return (rights,) if deployment.queue is None else (rights, _queue(connection, deployment.queue))
    except ClusterError as error:
        return (Check(name="cluster", ok=False, found=error.message, remedy=error.hint),)


def _rights(connection: Connection) -> Check:
    """Whether this account may measure there; failing that, whether it may have a job of the cluster do so."""
    name = "cluster"
    lacking = _lacking(connection, RIGHTS)
    submits = lacking is not None and _lacking(connection, SUBMITTING) is None
    where = f"namespace {connection.place.namespace} of {connection.place.context}"
    if lacking is None:
        return Check(name=name, ok=True, found=where)
    if submits:
        return Check(name=name, ok=True, found=f"{where}, by pacecar submit alone")
    remedy = "have an admin apply the output of: pacecar cluster manifest"
    return Check(name=name, ok=False, found=f"in {where} this account may not {lacking}", remedy=remedy)


def _queue(connection: Connection, queue: str) -> Check:
    """Whether what is submitted has a queue to wait in."""
    name, where = "queue", f"in namespace {connection.place.namespace}"
    if (lacking := _lacking(connection, QUEUEING)) is not None:
        remedy = "have an admin apply the output of: pacecar cluster manifest --at-once 2"
        return Check(name=name, ok=False, found=f"{where} this account may not {lacking}", remedy=remedy)
    if connection.has_queue(queue):
        return Check(name=name, ok=True, found=f"{queue} {where}")
    remedy = f"see those it has: kubectl get localqueues --namespace {connection.place.namespace}"
    return Check(name=name, ok=False, found=f"there is no {queue} {where}", remedy=remedy)


def _lacking(connection: Connection, rights: Mapping[str, Sequence[str]]) -> str | None:
    """The first of `rights` that this account does not have; None when it has all."""
    asked = ((verb, resource) for resource, verbs in rights.items() for verb in verbs)
    return next((f"{verb} {resource}" for verb, resource in asked if not connection.may(verb, resource)), None)
