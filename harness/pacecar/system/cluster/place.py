"""Where things of ours are in which cluster, and what they are found by again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_LABEL_LENGTH = 32


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in which cluster; what is None is as the configuration of kubectl says.

    Attributes:
        kubeconfig: its file; None for `KUBECONFIG`, or that of the home folder, or the account of the pod we run in.
        context: in that file.
        namespace: in that cluster.
    """

    kubeconfig: Path | None = None
    context: str | None = None
    namespace: str | None = None

    @property
    def written(self) -> dict[str, str]:
        """The place as a ledger keeps it."""
        return {
            "path": str(self.kubeconfig or ""),
            "context": self.context or "",
            "namespace": self.namespace or "",
        }

    @classmethod
    def read(cls, written: Mapping[str, str]) -> Place:
        """The place that `written` is of."""
        return cls(
            kubeconfig=Path(written["path"]) if written["path"] else None,
            context=written.get("context") or None,
            namespace=written.get("namespace") or None,
        )


@dataclass(frozen=True, kw_only=True)
class Owner:
    """An object with which others go: once it is gone, the cluster removes them."""

    kind: str
    name: str
    uid: str
    version: str = "v1"

    @property
    def reference(self) -> dict[str, str]:
        """It as the metadata of what it owns name it."""
        return {"apiVersion": self.version, "kind": self.kind, "name": self.name, "uid": self.uid}


def label_of(owner: str) -> str:
    """What stands in the owner's label for `owner`, whose own name is longer than a label's value may be."""
    return hashlib.sha256(owner.encode()).hexdigest()[:_LABEL_LENGTH]
