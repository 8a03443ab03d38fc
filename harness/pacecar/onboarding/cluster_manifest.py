"""What an admin applies once, so that somebody may compare builds in a namespace of a cluster and do nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from pacecar.system.cluster.rights import RIGHTS

_ACCOUNT = "pacecar"
_RBAC = "rbac.authorization.k8s.io"
#: Of a pair there are two pods, and the one that measures them; a few pairs may be measured at once.
_PODS = 12


def cluster_manifest(namespace: str) -> str:
    """A namespace, an account with the rights of one who compares there, a quota and a network policy, as YAML."""
    return yaml.safe_dump_all(_objects(namespace), sort_keys=False)


def _objects(namespace: str) -> Sequence[dict[str, Any]]:
    here = {"name": _ACCOUNT, "namespace": namespace}
    rules = [{"apiGroups": [""], "resources": [name], "verbs": list(verbs)} for name, verbs in RIGHTS.items()]
    among_themselves: list[dict[str, Any]] = [{"podSelector": {}}]
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
        },
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here},
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": here, "rules": rules},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": here,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": _ACCOUNT},
            "subjects": [{"kind": "ServiceAccount", **here}],
        },
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
