"""The load that both builds are put under: requests, and how they arrive."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pacecar.model.capacity import LONGEST_S

#: Of the load generator's heap, where nobody needs another.
HEAP_BYTES = 512 << 20
#: That may share a load.
MOST_INJECTORS = 64


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
    """Open: arrivals come by the clock. Closed: a fixed number of users, each waiting for its answer. Staircase: open,
    and after the windows the rate is raised step by step.
    """

    OPEN = "open"
    CLOSED = "closed"
    STAIRCASE = "staircase"


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
        model: how requests arrive.
        rate_per_s: by the clock: arrivals per second on the side under load, of a staircase in the windows before it
            and in its first step.
        within_ms: staircase: the latency that `capacity.QUANTILE` of the requests of a step must stay within; None
            without one.
        users: closed model: concurrent users per side.
        think_time_s: closed model: mean pause of a user between requests.
        endpoints: the mix of the built-in simulation.
        properties: system properties for a simulation without the kit; `{url}`, `{seconds}` and `{rate}` are filled in.
        inherit: variables of Pacecar's own environment that Maven and Gatling get beside the usual.
        generator: what sends the load.
        heap_bytes: size of its heap.
        injectors: how many processes of it share the load; of a simulation without the kit, one.
        traced: each request of a window begins a trace (W3C Trace Context) that is to be recorded.
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
    within_ms: float | None = None
    heap_bytes: int = HEAP_BYTES
    injectors: int = 1
    traced: bool = False

    @property
    def by_the_clock(self) -> bool:
        """Whether requests arrive at a rate, however long their answers take."""
        return self.model is not LoadModel.CLOSED

    @property
    def steps_s(self) -> float:
        """How long the steps that follow the windows of a pair may take, for all sides together."""
        return LONGEST_S if self.model is LoadModel.STAIRCASE else 0.0
