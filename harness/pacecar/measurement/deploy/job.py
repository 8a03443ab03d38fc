"""What a job needs that deploys and measures by itself, where the forks of a target can be measured by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.system.cluster.place import Place


@dataclass(frozen=True, kw_only=True)
class JobTerms:
    """What a target says of the cluster that measures it, and of a job there.

    Attributes:
        place: where the pods of its forks are made.
        manifest: the file that they are made from.
        image: with Pacecar.
        account: that may make pods.
        queue: which lets the job begin; None for none.
        sends_load: load generators run beside it, not in pods of their own.
        node_network: pods have the network of their node, and so does whoever sends them load.
        labels: of the job and its pods beside ours.
        pull_secrets: by which a node may pull the image.
    """

    place: Place
    manifest: Path
    image: str
    account: str
    queue: str | None
    sends_load: bool
    node_network: bool
    labels: Mapping[str, str] = field(default_factory=dict)
    pull_secrets: Sequence[str] = ()
