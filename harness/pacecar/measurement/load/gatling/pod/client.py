"""Speaking to the program in the pod of a load generator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ValidationError

from pacecar.errors import MeasurementError
from pacecar.measurement.load.gatling.pod.told import BlocksTold, GatlingStatus, Left
from pacecar.measurement.pods.client import PodClient

#: Of one file that Gatling leaves; a log of requests takes some hundred bytes for each.
_MOST_BYTES = 2 << 30
_T = TypeVar("_T", bound=BaseModel)


class Silent(MeasurementError):
    """The program does not answer, or not as it should."""


@dataclass(frozen=True, kw_only=True)
class InjectorClient(PodClient):
    """The program in one pod. Raises Silent."""

    who: ClassVar[str] = "The load generator"

    def lost(self, message: str, *, hint: str | None = None) -> Silent:
        """See `PodClient`."""
        return Silent(message, hint=hint)

    def start(self) -> None:
        """Have it start Gatling: every file is there."""
        self.ask("start")

    def standing(self) -> GatlingStatus:
        """How Gatling stands."""
        return understood(GatlingStatus, self.ask("standing"))

    def blocks(self) -> BlocksTold:
        """How far its blocks have got."""
        return understood(BlocksTold, self.ask("blocks"))

    def tell(self, what: str, **more: Any) -> None:
        """Tell it one of `begin`, `burst`, `open`, `end-blocks` and `end`."""
        self.ask(what, more)

    def keep(self, folder: Path) -> list[Path]:
        """Copy what Gatling has left to `folder`. Raises NoRoom, too."""
        kept = []
        for name, size in understood(Left, self.ask("left")).files.items():
            path = folder / name
            self.fetch(f"left/{name}", path, most=min(size, _MOST_BYTES))
            kept.append(path)
        return kept


def understood(kind: type[_T], answer: bytes) -> _T:
    """An answer as what it has to be. Raises Silent."""
    try:
        return kind.model_validate_json(answer)
    except (ValidationError, RecursionError) as error:
        raise Silent(f"A load generator gave an answer that cannot be read: {answer[:80]!r}.") from error
