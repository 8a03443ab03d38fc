"""Kubernetes: every call of its API is made in this room, by lightkube, which is an optional dependency.

`connection` reaches a cluster and makes, reads and removes objects there, with `credentials` where a program hands them
out; `pods` and `jobs` are what those say of
themselves; `errors` turns what the API says into sentences, `rights` is what is done there at all.
"""

from __future__ import annotations

from pacecar.errors import UsageError

#: The labels by which everything of ours is found again: whose it is, and of which fork.
OWNER, FORK = "dev.pacecar/owner", "dev.pacecar/fork"
#: The label of what measures a run that was submitted: its id.
RUN = "dev.pacecar/run"
#: The label of forks that are compared with each other, and of what sends them load.
PAIR, INJECTOR = "dev.pacecar/pair", "dev.pacecar/injector"
#: The user of the image with Pacecar.
USER = 10001

#: What the strictest pod security asks of a container, and no place to write to but volumes. Who it runs as stands
#: beside it.
CONFINED = {
    "runAsNonRoot": True,
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


class ClusterError(UsageError):
    """The cluster cannot be reached, or refuses what it is asked for."""


class ClusterUnreachable(ClusterError):
    """Nothing answered; the next try may be."""
