"""Synthetic comparisons with known truth: what recorded pairs look like, drawn instead of measured.

All parameters stand in `noise.json`, which `fit.py` writes from recorded pairs. On the logarithmic scale a request of
side s in slice k of pair i at endpoint e takes

    median_e + machine_i + fork_is + fork_ise + slice_isk + shape_e(z)

and, when it is among the slowest `tail_share`, fork_tail_is more, of which those just below take a rising part.
`shape_e` is the recorded distribution of the endpoint as a function of a standard normal z. The same request has
correlated z on both sides, for it is the same work, but for the slowest: which those are is drawn for each side by
itself, for it is mostly what they happened to wait for.
A fork in a bad mood (a JIT decision gone the other way) is shifted as a whole, and each of its endpoints by itself;
slices have heavy tails (another tenant, a collection). CPU, allocation and pauses per request are drawn per fork and
slice.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

Array = npt.NDArray[np.float64]

QUANTILES = (0.50, 0.90, 0.99)
#: Normal scores at which the shape of an endpoint's distribution is kept.
SCORES = np.linspace(-4, 4, 81)
#: Normal scores of the requests below the tail between which a fork's share in it rises from none to all.
RISING = (1.0, 2.4)
#: Metrics of a drawn fork: three quantiles of five endpoints and of all requests' tail, and four of the whole service.
SERVICE = ("latency.p99", "cpu", "allocation", "gc.pause", "errors")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What the candidate really does differently: factors, 1.0 for no change.

    Attributes:
        latency: of every request.
        tail: of the slowest requests alone.
        cpu: of CPU per request.
        allocation: of bytes per request.
    """

    latency: float = 1.0
    tail: float = 1.0
    cpu: float = 1.0
    allocation: float = 1.0


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
        found: dict[tuple[str, str], Array] = {}
        for number, values in enumerate(self.requests):
            flat = values.reshape(*values.shape[:2], -1)
            for quantile, level in zip(QUANTILES, np.quantile(flat, QUANTILES, axis=2), strict=True):
                found[f"latency.p{100 * quantile:g}", f"endpoint {number}"] = level
        everything = np.concatenate([values.reshape(*values.shape[:2], -1) for values in self.requests], axis=2)
        found["latency.p99", ""] = np.quantile(everything, 0.99, axis=2)
        found |= {(name, ""): values.mean(axis=2) for name, values in self.service.items()}
        found["errors", ""] = 100 * self.failed / everything.shape[2]
        return found

    @cached_property
    def by_slice(self) -> dict[tuple[str, str], Array]:
        """Metric and endpoint -> value of each slice: (pairs, sides, slices)."""
        found = {(name, ""): values for name, values in self.service.items()}
        for number, values in enumerate(self.requests):
            for quantile, level in zip(QUANTILES, np.quantile(values, QUANTILES, axis=3), strict=True):
                found[f"latency.p{100 * quantile:g}", f"endpoint {number}"] = level
        return found


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
    slow = slow + candidate * np.log(change.latency)
    changed = candidate * np.log(change.tail)
    share = noise["tail_share"]
    # The share below the tail, and the tail, as functions of a standard normal of their own.
    rank = special.ndtr(SCORES)
    below, beyond = special.ndtri((1 - share) * rank), special.ndtri(1 - share * (1 - rank))
    requests, own_level = [], random.normal(0, 1, (len(noise["endpoints"]), pairs, sides, 1, 1))
    for endpoint, own_fork in zip(noise["endpoints"], own_level, strict=True):
        shape = (pairs, sides, slices, max(1, round(noise["rate"] * endpoint["share"] * noise["slice_s"])))
        own, both = random.standard_normal(shape), random.standard_normal((pairs, 1, *shape[2:]))
        z = math.sqrt(noise["alike"]) * both + math.sqrt(1 - noise["alike"]) * own
        usual = np.interp(z, SCORES, np.interp(below, SCORES, endpoint["shape"]))
        usual += tail * np.clip((z - RISING[0]) / (RISING[1] - RISING[0]), 0.0, 1.0)
        slowest = np.interp(own, SCORES, np.interp(beyond, SCORES, endpoint["shape"])) + tail + changed
        level = slow + endpoint["fork"] * own_fork
        requests.append(endpoint["median_ms"] * np.exp(level + np.where(random.random(shape) < share, slowest, usual)))
    # What makes a fork's busiest endpoint slow takes CPU.
    busiest = body + noise["endpoints"][0]["fork"] * own_level[0]
    speed = random.normal(0, machine["cpu"], (pairs, 1, 1)) + fork["cpu_with_latency"] * busiest[..., 0]
    factors = {"cpu": change.cpu, "allocation": change.allocation, "gc.pause": 1.0}
    service = {}
    for name, factor in factors.items():
        logs = candidate[..., 0] * np.log(factor) + (speed if name == "cpu" else 0.0)
        logs = logs + random.normal(0, fork[name], (pairs, sides, 1))
        service[name] = noise["service"][name] * np.exp(logs + random.normal(0, slice_[name], (pairs, sides, slices)))
    total = sum(values.shape[2] * values.shape[3] for values in requests)
    failed = random.binomial(total, noise["failing"], (pairs, sides)).astype(float)
    return Drawn(requests=requests, service=service, failed=failed)


def louder(drawn: Drawn, factor: float) -> Drawn:
    """The same comparison of identical builds, with the log-ratios of the two sides multiplied by `factor`.

    They are those of slices: of what the service used in each, and of requests of each rank, the fastest of a slice of
    one side against the fastest of that of the other, and so on.
    """
    return Drawn(
        requests=[_apart(np.sort(values, axis=3), factor) for values in drawn.requests],
        service={name: _apart(values, factor) for name, values in drawn.service.items()},
        failed=drawn.failed,
    )


def _apart(values: Array, factor: float) -> Array:
    logs = np.log(values)
    middle = logs.mean(axis=1, keepdims=True)
    return np.asarray(np.exp(middle + factor * (logs - middle)))
