"""Endpoints that stand in one place and lie below the path of another."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.onboarding.initialise.guesses import GuessedEndpoint


@dataclass(frozen=True, kw_only=True)
class Contract:
    """An endpoint of an interface or abstract class, which those controllers have that implement it.

    Attributes:
        interface: its name.
        prefix: the path that it puts before the endpoint, unless the controller has one of its own.
        endpoint: without that.
    """

    interface: str
    prefix: str
    endpoint: GuessedEndpoint


@dataclass(frozen=True, kw_only=True)
class Controller:
    """A class that may implement contracts: its path, None without one, and the names in its heading."""

    path: str | None
    names: frozenset[str]
