"""What a probe is: counters of one fork that are read at the edges of windows, and nothing in between."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pacecar.errors import MeasurementError


class ProbeFailed(MeasurementError):
    """A probe could not be read this time; its columns are then missing, and the pair says why."""


class ContainersSeen(Protocol):
    """Processes of a fork that runs in containers; see `deploy.fork.Containers`."""

    @property
    def service(self) -> int:
        """In the container of the service."""

    @property
    def dependencies(self) -> tuple[int, ...]:
        """In each container that it depends on."""

    @property
    def carriers(self) -> tuple[int, ...]:
        """What carries its published port to it."""

    @property
    def from_inside(self) -> bool:
        """Whether their control groups are seen from within the containers alone."""


class Probed(Protocol):
    """A fork as probes see it; see `deploy.fork.Fork`."""

    @property
    def pid(self) -> int:
        """The service's JVM, by its id on this machine."""

    @property
    def socket(self) -> Path:
        """Where its counter agent listens, if it carries one."""

    @property
    def containers(self) -> ContainersSeen | None:
        """The containers it runs in; None where it is a plain process."""


class Probe(Protocol):
    """Counters that are read together.

    To add one: a module here that calls it `PROBE`, and its columns in `model.tables`, which the archive and the
    analysis read without knowing who measured them.
    """

    @property
    def name(self) -> str:
        """The table of `tables.TABLES` that its columns belong to."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Which columns of that table are its own."""

    @property
    def order(self) -> int:
        """Its place at an edge: the service's own counters are read first, those of the whole machine last."""

    def read(self, fork: Probed) -> Mapping[str, float] | None:
        """Its columns now; None where such a fork has no row in the table.

        Raises:
            ProbeFailed: when they cannot be told this time.
            ProcessGone: when the fork has ended.
        """
