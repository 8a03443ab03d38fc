"""Kubernetes: every call of its API is made in this room, by lightkube, which is an optional dependency.

`connection` reaches a cluster and makes, reads and removes objects there; `pods` is what a pod says of itself; `errors`
turns what the API says into sentences.
"""

from __future__ import annotations

from pacecar.errors import UsageError

#: The labels by which everything of ours is found again: whose it is, and of which fork.
OWNER, FORK = "dev.pacecar/owner", "dev.pacecar/fork"


class ClusterError(UsageError):
    """The cluster cannot be reached, or refuses what it is asked for."""


class ClusterUnreachable(ClusterError):
    """Nothing answered; the next try may be."""
