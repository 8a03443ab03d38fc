"""The load that both builds are put under: requests, and how they arrive."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One kind of request in the built-in scenario.

    `path` and `body` may hold `${int(a,b)}` and `${pick(x,y,z)}`, drawn from the arrival's own seed, so
    that both sides see the same data.
    """

    name: str
    method: str
    path: str
    weight: float
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


class LoadModel(StrEnum):
    """Open: arrivals come by the clock. Closed: a fixed number of users, each waiting for its answer."""

    OPEN = "open"
    CLOSED = "closed"


class GeneratorKind(StrEnum):
    """What sends the load; `measurement.load.generators` has a case for each."""

    GATLING = "gatling"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A Gatling simulation with its load profile.

    Attributes:
        simulation: fully qualified class name.
        module: Maven module that holds it; None for the simulation Pacecar brings.
        jar: jar that holds it, instead of a module.
        sliced: the simulation uses Pacecar's kit, so one process can switch between the sides.
        model: open or closed.
        rate_per_s: open model: arrivals per second on the side under load.
        users: closed model: concurrent users per side.
        think_time_s: closed model: mean pause of a user between requests.
        endpoints: the mix of the built-in simulation.
        properties: system properties for a simulation without the kit; `{url}`, `{seconds}` and `{rate}` are filled in.
        inherit: variables of Pacecar's own environment that Maven and Gatling get beside the usual.
        generator: what sends the load.
    """

    simulation: str
    module: Path | None
    jar: Path | None
    sliced: bool
    model: LoadModel
    rate_per_s: float
    users: int
    think_time_s: float
    endpoints: tuple[Endpoint, ...]
    properties: dict[str, str] = field(default_factory=dict)
    inherit: tuple[str, ...] = ()
    generator: GeneratorKind = GeneratorKind.GATLING
