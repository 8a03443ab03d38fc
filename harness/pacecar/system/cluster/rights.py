"""What is done in a namespace, and so what an account needs."""

from __future__ import annotations

from pacecar.system.cluster import ClusterError

#: Of whoever measures there: resource of the API -> verbs.
RIGHTS = {
    "pods": ("create", "get", "list", "delete"),
    "pods/log": ("get",),
    "secrets": ("create", "list", "delete"),
}
#: Of whoever has a job measure there, and follows it. What stands behind a dot is the group of the API.
SUBMITTING = {
    "jobs.batch": ("create", "get", "delete"),
    "pods": ("list",),
    "events": ("list",),
    "pods/log": ("get",),
    "secrets": ("create",),
}

#: Likewise, where its job waits in a queue.
QUEUEING = {"localqueues.kueue.x-k8s.io": ("get",), "workloads.kueue.x-k8s.io": ("list",)}


def refused_right(verb: str, resource: str, *, namespace: str) -> ClusterError:
    """That an account may not do `verb` with `resource`."""
    return ClusterError(
        f"This account may not {verb} {resource.partition('.')[0]} in the namespace {namespace}.",
        hint=f"Have an admin apply the output of: pacecar cluster manifest --namespace {namespace}",
    )
