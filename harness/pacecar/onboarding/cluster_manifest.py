"""What an admin applies once, so that somebody may compare builds in a namespace of a cluster and do nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from pacecar.system.cluster import queues
from pacecar.system.cluster.rights import QUEUEING, RIGHTS, SUBMITTING

#: Which measures there, and which has it measure.
_ACCOUNT, _SUBMITTER = "pacecar", "pacecar-submitter"
_RBAC = "rbac.authorization.k8s.io"
#: Of a pair there are two pods, and the one that measures them; a few pairs may be measured at once.
_PODS, _PODS_OF_A_RUN = 12, 4
#: What a job that judges never comes near to.
_ENOUGH_CPU, _ENOUGH_MEMORY = "10k", "1Pi"


def cluster_manifest(namespace: str, *, at_once: int | None = None) -> str:
    """A namespace, an account for what measures there and one for whoever has it measure, a quota and a network
    policy, as YAML; with `at_once`, a queue of Kueue that lets so many runs go on at a time.
    """
    queue = [] if at_once is None else _queue(namespace, at_once)
    return yaml.safe_dump_all([*_objects(namespace, at_once), *queue], sort_keys=False)


def _objects(namespace: str, at_once: int | None) -> Sequence[dict[str, Any]]:
    submitting, pods = SUBMITTING, _PODS
    if at_once is not None:  # a run that was let in must not run into the quota
        submitting, pods = SUBMITTING | QUEUEING, max(_PODS, _PODS_OF_A_RUN * at_once)
    here = {"name": _ACCOUNT, "namespace": namespace}
    among_themselves: list[dict[str, Any]] = [{"podSelector": {}}]
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
        },
        *_account(_ACCOUNT, namespace, RIGHTS),
        *_account(_SUBMITTER, namespace, submitting),
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": here,
            "spec": {"hard": {"pods": str(pods), "services": "0", "persistentvolumeclaims": "0"}},
        },
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": here,
            "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": among_themselves}]},
        },
    ]


def _queue(namespace: str, at_once: int) -> list[dict[str, Any]]:
    """A queue of the namespace. It counts jobs, each of which is one pod; what their forks take is the quota's."""
    # Kueue admits only what asks for nothing that its queue does not cover.
    quotas = {"pods": str(at_once), "cpu": _ENOUGH_CPU, "memory": _ENOUGH_MEMORY}
    resources = [{"name": name, "nominalQuota": quota} for name, quota in quotas.items()]
    group = {"coveredResources": list(quotas), "flavors": [{"name": _ACCOUNT, "resources": resources}]}
    here = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    made = {"apiVersion": f"{queues.GROUP}/{queues.VERSION}"}
    return [
        {**made, "kind": "ResourceFlavor", "metadata": {"name": _ACCOUNT}},
        {
            **made,
            "kind": "ClusterQueue",
            "metadata": {"name": namespace},
            "spec": {"namespaceSelector": here, "resourceGroups": [group]},
        },
        {
            **made,
            "kind": "LocalQueue",
            "metadata": {"name": _ACCOUNT, "namespace": namespace},
            "spec": {"clusterQueue": namespace},
        },
    ]


def _account(name: str, namespace: str, rights: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """An account with these rights and no others."""
    here = {"name": name, "namespace": namespace}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "Role",
            "metadata": here,
            "rules": [_rule(resource, verbs) for resource, verbs in rights.items()],
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": here,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", **here}],
        },
    ]


def _rule(resource: str, verbs: Sequence[str]) -> dict[str, Any]:
    whole, _, part = resource.partition("/")
    name, _, group = whole.partition(".")
    return {"apiGroups": [group], "resources": [f"{name}/{part}" if part else name], "verbs": list(verbs)}
