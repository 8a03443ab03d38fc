"""Queues of Kueue, which lets jobs begin as a quota allows: in the order in which they came, or as an admin says."""

from __future__ import annotations

from typing import Any

from pacecar.system.cluster.errors import plain

#: The API of Kueue 0.15 and later.
GROUP, VERSION = "kueue.x-k8s.io", "v1beta2"
#: A job's label with the name of its queue.
QUEUE_NAME = f"{GROUP}/queue-name"
#: The label by which Kueue finds what it knows of a job.
JOB_UID = f"{GROUP}/job-uid"
_ADMITTED = "QuotaReserved"


def local_queue() -> type[Any]:
    """The type of a queue of a namespace, for the client."""
    return _resource("LocalQueue", "localqueues")


def workload() -> type[Any]:
    """The type of what Kueue knows of a job, for the client."""
    return _resource("Workload", "workloads")


def why_not_yet(found: Any) -> str | None:
    """What Kueue says of a workload that it has not let begin; None for nothing."""
    conditions = (found.status or {}).get("conditions") or ()
    said = (
        each.get("message") for each in conditions if (each.get("type"), each.get("status")) == (_ADMITTED, "False")
    )
    return plain(next(said, None)) or None


def _resource(kind: str, plural: str) -> type[Any]:
    from lightkube.generic_resource import create_namespaced_resource

    return create_namespaced_resource(GROUP, VERSION, kind, plural)
