"""Where load generators run that are to be pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pacecar.system.cluster.place import Place


@dataclass(frozen=True, kw_only=True)
class InjectorPods:
    """What the pods of load generators have in common.

    Attributes:
        place: where they are made.
        image: with Pacecar and a JVM.
        node_network: they have the network of their node, as the forks do.
        cpu: cores, asked for and limited; None for no limit.
        nodes: labels of the nodes that they may run on.
        labels: of their own beside ours.
        pull_secrets: by which a node may pull the image.
    """

    place: Place
    image: str
    node_network: bool
    cpu: float | None = None
    nodes: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    pull_secrets: Sequence[str] = ()
