"""What an admin applies once, so that somebody may compare builds in a namespace of a cluster and do nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from pacecar.system.cluster.rights import RIGHTS, SUBMITTING

#: Which measures there, and which has it measure.
_ACCOUNT, _SUBMITTER = "pacecar", "pacecar-submitter"
_RBAC = "rbac.authorization.k8s.io"
#: Of a pair there are two pods, and the one that measures them; a few pairs may be measured at once.
_PODS = 12


def cluster_manifest(namespace: str) -> str:
    """A namespace, an account for what measures there and one for whoever has it measure, a quota and a network
    policy, as YAML.
    """
    return yaml.safe_dump_all(_objects(namespace), sort_keys=False)


def _objects(namespace: str) -> Sequence[dict[str, Any]]:
    here = {"name": _ACCOUNT, "namespace": namespace}
    among_themselves: list[dict[str, Any]] = [{"podSelector": {}}]
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
        },
        *_account(_ACCOUNT, namespace, RIGHTS),
        *_account(_SUBMITTER, namespace, SUBMITTING),
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": here,
            "spec": {"hard": {"pods": str(_PODS), "services": "0", "persistentvolumeclaims": "0"}},
        },
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": here,
            "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": among_themselves}]},
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
