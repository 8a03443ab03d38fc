"""The store of runs and baselines that machines share."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class SharedArchive:
    """A store of runs and baselines that machines share.

    Attributes:
        url: where it is, for fsspec; without credentials.
        options: of the store, such as its endpoint; without credentials.
        runs: put every finished run there, not only those that are promoted.
    """

    url: str
    options: dict[str, str | int | bool] = field(default_factory=dict)
    runs: bool = True
