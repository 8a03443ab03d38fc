"""What can go wrong with the load generator."""

from __future__ import annotations

from pacecar.errors import MeasurementError


class LoadError(MeasurementError):
    """Gatling did not produce the load that was asked for."""


class InjectorLost(LoadError):
    """A process that sent load was killed, or lost step with the others: nothing that the builds, the simulation or the
    configuration did. Its pair is of no use; the next may be.
    """

    def __init__(self, message: str, *, injector: int, hint: str) -> None:
        """`injector` is its number, from 0."""
        super().__init__(message, hint=hint)
        self.injector = injector
