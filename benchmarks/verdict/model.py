"""Synthetic comparisons with a known truth: what recorded pairs look like, drawn instead of measured.

All parameters are in `noise.json`, which `fit.py` writes from recorded pairs. On a logarithmic scale, a request of side
s in slice k of pair i to endpoint e takes

    median_e + machine_i + fork_is + fork_ise + slice_isk + shape_e(z)

If it is among the slowest `tail_share`, it takes fork_tail_is more; requests just below get a rising part of that.
`shape_e` is the recorded distribution of the endpoint as a function of a standard normal z. The same request has
correlated z on both sides, because it is the same work. The slowest requests are the exception: each side draws its
own, because a request is mostly slow for what it happened to wait for.

A fork in a bad mood (a JIT decision that went the other way) is shifted as a whole, and so is each of its endpoints.
Slices have heavy tails (another tenant, a collection). CPU, allocation and pauses per request are drawn per fork and
slice.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from pacecar.analysis.stats.quantiles import TAIL

Array = npt.NDArray[np.float64]

#: Quantile -> its metric; `TAIL` holds those that are averaged.
QUANTILES = {0.50: "latency.p50", 0.90: "latency.p90", 0.99: "latency.p99"}
#: Normal scores at which the shape of an endpoint's distribution is kept.
SCORES = np.linspace(-4, 4, 81)
#: Normal scores of the requests below the tail between which a fork's share in it rises from none to all.
RISING = (1.0, 2.4)
#: Ranks between which a loud tail becomes loud.
LOUD_RANKS = (0.90, 0.95)


@dataclass(frozen=True, kw_only=True)
class Change:
    """How the candidate really differs: factors, 1.0 for no change.

    Attributes:
        latency: of every request.
        tail: of the slowest requests alone.
        cpu: of CPU per request.
        allocation: of bytes per request.
        endpoint: the only one whose latencies change; None for all.
        failing: share of requests that fail, in addition to those that always do.
    """

    latency: float = 1.0
    tail: float = 1.0
    cpu: float = 1.0
    allocation: float = 1.0
    endpoint: int | None = None
    failing: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Loudness:
    """How much more the two sides of a pair differ than in earlier runs: factors of their log-ratios.

    Attributes:
        latency: of requests.
        service: name -> factor of a resource per request.
        endpoint: the only one that is loud; None for all.
        tail_only: only the slowest requests are loud.
    """

    latency: float = 1.0
    service: dict[str, float] = field(default_factory=dict)
    endpoint: int | None = None
    tail_only: bool = False


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One comparison of `pairs` pairs.

    Attributes:
        requests: per endpoint, latencies in ms: (pairs, sides, slices, requests).
        service: "cpu" (ms), "allocation" (bytes) and "gc.pause" (ms) per request: (pairs, sides, slices).
        failed: failed requests: (pairs, sides).
    """

    requests: list[Array]
    service: dict[str, Array]
    failed: Array

    @cached_property
    def by_fork(self) -> dict[tuple[str, str], Array]:
        """Metric and endpoint -> value of each fork: (pairs, sides)."""
        flat = [values.reshape(*values.shape[:2], -1) for values in self.requests]
        everything = np.concatenate(flat, axis=2)
        found: dict[tuple[str, str], Array] = {}
        for endpoint, values in [("", everything), *((f"endpoint {number}", each) for number, each in enumerate(flat))]:
            found |= {(name, endpoint): level for name, level in _latencies(values).items()}
        counts = np.array([values.shape[2] for values in flat])
        medians = [np.log(found["latency.p50", f"endpoint {number}"]) for number in range(len(flat))]
        found["latency.typical", ""] = np.exp(np.average(medians, axis=0, weights=counts))
        found |= {(name, ""): values.mean(axis=2) for name, values in self.service.items()}
        found["errors", ""] = 100 * self.failed / everything.shape[2]
        return found

    @cached_property
    def by_slice(self) -> dict[tuple[str, str], Array]:
        """Metric and endpoint -> value of each slice: (pairs, sides, slices)."""
        found = {(name, ""): values for name, values in self.service.items()}
        for number, values in enumerate(self.requests):
            for name, level in zip(QUANTILES.values(), np.quantile(values, list(QUANTILES), axis=3), strict=True):
                found[name, f"endpoint {number}"] = level
        return found


def _latencies(values: Array) -> dict[str, Array]:
    """Metric -> value of each fork (pairs, sides), of requests (pairs, sides, requests)."""
    levels = np.quantile(values, [*QUANTILES, *TAIL], axis=2)
    found = dict(zip(QUANTILES.values(), levels, strict=False))
    tail = np.exp(np.log(levels[len(QUANTILES) :]).mean(axis=0))
    return found | {"latency.tail": tail, "latency.mean": values.mean(axis=2)}


def parameters() -> dict[str, Any]:
    """The fitted parameters."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("noise.json").read_text())
    return found


def draw(noise: dict[str, Any], random: np.random.Generator, *, pairs: int, change: Change = Change()) -> Drawn:
    """A comparison of so many pairs.

    Args:
        noise: as `parameters` gives it.
        random: source of randomness.
        pairs: how many.
        change: what the candidate does differently.
    """
    sides, slices = 2, noise["slices"]
    fork, slice_, machine = noise["fork"], noise["slice"], noise["machine"]
    lottery = random.normal(0, machine["latency"], (pairs, 1, 1, 1))
    moods = random.random((pairs, sides, 1, 1)) < fork["mood_share"]
    body = random.normal(0, fork["body"], (pairs, sides, 1, 1)) + moods * fork["mood"]
    tail = random.normal(0, fork["tail"], (pairs, sides, 1, 1))
    freedom = slice_["degrees"]
    bursts = random.standard_t(freedom, (pairs, sides, slices, 1)) / np.sqrt(freedom / (freedom - 2))
    slow = lottery + body + slice_["body"] * bursts
    candidate = np.array([0.0, 1.0]).reshape(1, 2, 1, 1)
    share = noise["tail_share"]
    # The share below the tail, and the tail, as functions of a standard normal of their own.
    rank = special.ndtr(SCORES)
    below, beyond = special.ndtri((1 - share) * rank), special.ndtri(1 - share * (1 - rank))
    requests, own_level = [], random.normal(0, 1, (len(noise["endpoints"]), pairs, sides, 1, 1))
    for number, (endpoint, own_fork) in enumerate(zip(noise["endpoints"], own_level, strict=True)):
        here = float(change.endpoint in (None, number))
        changed = here * candidate * np.log(change.tail)
        shape = (pairs, sides, slices, max(1, round(noise["rate"] * endpoint["share"] * noise["slice_s"])))
        own, both = random.standard_normal(shape), random.standard_normal((pairs, 1, *shape[2:]))
        z = math.sqrt(noise["alike"]) * both + math.sqrt(1 - noise["alike"]) * own
        usual = np.interp(z, SCORES, np.interp(below, SCORES, endpoint["shape"]))
        usual += tail * np.clip((z - RISING[0]) / (RISING[1] - RISING[0]), 0.0, 1.0)
        slowest = np.interp(own, SCORES, np.interp(beyond, SCORES, endpoint["shape"])) + tail + changed
        level = slow + endpoint["fork"] * own_fork + here * candidate * np.log(change.latency)
        requests.append(endpoint["median_ms"] * np.exp(level + np.where(random.random(shape) < share, slowest, usual)))
    # Whatever makes the busiest endpoint of a fork slow also takes CPU.
    busiest = body + noise["endpoints"][0]["fork"] * own_level[0]
    speed = random.normal(0, machine["cpu"], (pairs, 1, 1)) + fork["cpu_with_latency"] * busiest[..., 0]
    factors = {"cpu": change.cpu, "allocation": change.allocation, "gc.pause": 1.0}
    service = {}
    for name, factor in factors.items():
        logs = candidate[..., 0] * np.log(factor) + (speed if name == "cpu" else 0.0)
        logs = logs + random.normal(0, fork[name], (pairs, sides, 1))
        service[name] = noise["service"][name] * np.exp(logs + random.normal(0, slice_[name], (pairs, sides, slices)))
    total = sum(values.shape[2] * values.shape[3] for values in requests)
    failing = noise["failing"] + candidate[..., 0, 0] * change.failing
    failed = random.binomial(total, np.broadcast_to(failing, (pairs, sides))).astype(float)
    return Drawn(requests=requests, service=service, failed=failed)


def louder(drawn: Drawn, loudness: Loudness) -> Drawn:
    """The same comparison of identical builds, with the log-ratios of the two sides multiplied.

    They are those of slices: of what the service used in each, and of requests of each rank, the fastest of a slice of
    one side against the fastest of that of the other, and so on.
    """
    requests = list(drawn.requests)
    for number, values in enumerate(requests):
        if loudness.endpoint in (None, number) and loudness.latency != 1.0:
            ranks = (np.arange(values.shape[3]) + 0.5) / values.shape[3]
            share = np.clip((ranks - LOUD_RANKS[0]) / (LOUD_RANKS[1] - LOUD_RANKS[0]), 0, 1)
            factors = 1 + (loudness.latency - 1) * (share if loudness.tail_only else 1.0)
            requests[number] = _apart(np.sort(values, axis=3), factors)
    service = {
        name: _apart(values, np.asarray(loudness.service.get(name, 1.0))) for name, values in drawn.service.items()
    }
    return Drawn(requests=requests, service=service, failed=drawn.failed)


def _apart(values: Array, factor: Array | float) -> Array:
    logs = np.log(values)
    middle = logs.mean(axis=1, keepdims=True)
    return np.asarray(np.exp(middle + factor * (logs - middle)))
