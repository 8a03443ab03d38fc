"""A synthetic service, what changes in it, and which metrics are examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.causes.build import POOL, Build, Mix, Place

ENDPOINTS = {"GET /orders": 0.5, "GET /price": 0.3, "POST /orders": 0.2}
TYPICAL, P50, P99, ALL = "latency.typical", "latency.p50", "latency.p99", ""
_RUN = "java.lang.Thread.run\norg.apache.tomcat.util.net.SocketProcessorBase.run\njava.lang.reflect.Method.invoke"
_HANDLERS = dict(
    zip(ENDPOINTS, ("shop.web.Orders.list", "shop.web.Prices.price", "shop.web.Orders.place"), strict=True)
)
CALLER = "shop.store.Orders.load"
#: What waiting looks like below the frame of the application.
WAITS = {
    "database": "org.postgresql.core.v3.QueryExecutorImpl.execute\nsun.nio.ch.Net.poll",
    "connection": "com.zaxxer.hikari.pool.HikariPool.getConnection\nsun.misc.Unsafe.park",
    "lock": "java.util.concurrent.locks.ReentrantLock.lock\nsun.misc.Unsafe.park",
    "memory": "libjvm.so.ZPageAllocator::alloc_page_stall",
    "sleep": "java.lang.Thread.sleep",
    "unknown": "lib.Odd.wait",
}
_USUAL_MS = {"database": 0.6, "connection": 0.08, "lock": 0.08, "sleep": 0.06, "unknown": 0.1}
#: CPU of requests and of what runs beside them, ms; bytes.
_CPU_MS, _BESIDE_MS, BYTES = 0.85, 0.1, 380_000.0


@dataclass(frozen=True, kw_only=True)
class Root:
    """What must be named of a cause: its kind and, unless None, the places in its scope."""

    kind: str
    frame: str | None = None
    pool: str | None = None
    series: str | None = None
    dependency: str | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A metric that is examined for causes.

    Attributes:
        metric: from the catalog.
        endpoint: of the metric.
        first: the root that must come first; None if none may be named.
        also: other true roots.
        share: of the change that the first one really accounts for; None if unknown.
    """

    metric: str
    endpoint: str = ALL
    first: Root | None = None
    also: tuple[Root, ...] = ()
    share: float | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """Two builds, and the metrics that are examined."""

    baseline: Build
    candidate: Build
    mix: Mix
    asked: tuple[Asked, ...]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A service before the change, and the change.

    Attributes:
        build: the baseline.
        mix: the requests.
        endpoint: the one that changes.
        amount: ms per request of the mix that the root adds.
        rest: ms that something unseen adds to every request.
        random: for further draws.
    """

    build: Build
    mix: Mix
    endpoint: str
    amount: float
    rest: float
    random: np.random.Generator

    @property
    def share(self) -> float:
        """Of a change of all requests that the root accounts for; what is longer meets more pauses."""
        return self.amount / ((self.amount + self.rest) * self.longer)

    @property
    def longer(self) -> float:
        """By what requests grow that last a ms longer: pauses that begin meanwhile."""
        return 1 + self.build.pauses * self.build.pause_ms / 1e3 + 0.75 * self.build.generator_pause_ms / 1e3

    @property
    def other(self) -> Build:
        """The baseline with what is unseen."""
        return replace(self.build, unseen_ms=self.build.unseen_ms + self.rest)

    def case(self, candidate: Build, *asked: Asked, baseline: Build | None = None) -> Case:
        """With `build` before."""
        return Case(baseline=baseline or self.build, candidate=candidate, mix=self.mix, asked=asked)

    def slower(self, first: Root | None, *also: Root, share: float | None = None) -> tuple[Asked, ...]:
        """Asked of all requests, and of those to the endpoint that changed."""
        part = self.mix.shares[self.endpoint]
        of_endpoint = None
        if share is not None:
            of_endpoint = self.amount / part / ((self.amount / part + self.rest) * self.longer)
        return (
            Asked(metric=TYPICAL, first=first, also=also, share=share),
            Asked(metric=P50, endpoint=self.endpoint, first=first, also=also, share=of_endpoint),
        )


def drawn(random: np.random.Generator) -> Drawn:
    """A service of thirty places, and a change of a third to one and a half times its latency, seven tenths to all of
    it the root's.
    """
    mix = Mix(shares=ENDPOINTS, labelled=bool(random.random() < 0.5))
    cpu = _costs(random, 30, _CPU_MS) | {_beside("Ticker.tick"): _BESIDE_MS}
    waits = {
        wait(name, endpoint): cost * part for name, cost in _USUAL_MS.items() for endpoint, part in ENDPOINTS.items()
    }
    build = Build(cpu=cpu, waits=waits, allocated=_costs(random, 20, BYTES))
    whole = float(random.uniform(0.7, 3.5))
    share = float(random.uniform(0.7, 1.0))
    endpoint = str(random.choice(list(ENDPOINTS)))
    return Drawn(build=build, mix=mix, endpoint=endpoint, amount=share * whole, rest=(1 - share) * whole, random=random)


def _costs(random: np.random.Generator, count: int, whole: float) -> dict[Place, float]:
    costs = random.lognormal(0, 1.2, count)
    names = list(ENDPOINTS)
    places = [
        Place(frames=_stack(names[number % 3], f"shop.core.C{number % 7}.m{number}"), endpoint=names[number % 3])
        for number in range(count)
    ]
    return dict(zip(places, (costs / costs.sum() * whole).tolist(), strict=True))


def _stack(endpoint: str, *frames: str) -> str:
    return "\n".join([_RUN, _HANDLERS[endpoint], *frames])


def _beside(name: str, pool: str = "scheduler") -> Place:
    return Place(frames=f"java.lang.Thread.run\nshop.jobs.{name}", pool=pool)


def wait(name: str, endpoint: str, *, pool: str = POOL, caller: str = CALLER) -> Place:
    """Where requests to an endpoint wait for `name`."""
    return Place(frames=_stack(endpoint, caller, WAITS[name]), endpoint=endpoint, pool=pool)


def more(costs: Mapping[Place, float], place: Place, amount: float) -> dict[Place, float]:
    """The same costs, with this place more expensive by `amount`."""
    return dict(costs) | {place: costs.get(place, 0.0) + amount}


def frame_of(place: Place) -> str:
    """The deepest frame."""
    return place.frames.rpartition("\n")[2]
