"""Small pods with few rights, for tests of a cluster."""

from __future__ import annotations

from typing import Any

from support.cluster.images import PACECAR, USER

_PODS = "/api/v1/namespaces/default/pods"

#: What the strictest of Kubernetes' policies asks of a container, and a root file system that nobody writes to.
CONFINED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "runAsUser": USER,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def container(name: str, *command: str, **more: Any) -> dict[str, Any]:
    """A container of Pacecar's image."""
    return {"name": name, "image": PACECAR, "command": list(command), "securityContext": CONFINED, **more}


def pod(name: str, *containers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A pod that shares the node's network and runs once."""
    spec = {
        "hostNetwork": True,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 1,
        "containers": list(containers),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {**spec, **more}}


def path(name: str = "") -> str:
    """Where the API has pods, or the one of this name."""
    return f"{_PODS}/{name}" if name else _PODS


def ended(pod: dict[str, Any]) -> bool:
    return pod["status"].get("phase") in ("Succeeded", "Failed")
