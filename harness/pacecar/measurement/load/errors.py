"""What can go wrong with the load generator."""

from __future__ import annotations

from pacecar.errors import MeasurementError


class LoadError(MeasurementError):
    """Gatling did not produce the load that was asked for."""
