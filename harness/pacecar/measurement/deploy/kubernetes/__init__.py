"""A fork that is a pod of its own.

`manifest` reads the user's manifest and `template` finds the pod in it, `pod` makes of that the pod of one fork,
`deployer` has the cluster start it, and `fork` follows it from then on. What reads its counters is the `sidecar`, a
second container in the pod, which `connected` speaks to; `life` says how a pod stands or has ended.

The service's container sees nothing of the cluster and nothing of us but a volume. Its jar and the agents are sent to
the sidecar by whoever conducts the measurement, so that no pod needs credentials of a store.
"""

from __future__ import annotations

from pacecar.errors import UsageError


class ManifestError(UsageError):
    """The manifest is none, or describes no pod that a fork can be made of."""
