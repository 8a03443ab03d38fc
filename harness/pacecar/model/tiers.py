"""The tiers of a run: everything in a quarter of an hour, or what can be counted in two minutes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """What a run is to answer, and in how much time."""

    #: Everything, latency and CPU among it, in rounds of windows.
    FULL = "full"
    #: What can be counted exactly, endpoint by endpoint, in blocks of few requests.
    QUICK = "quick"


class Call(StrEnum):
    """What may call for the full tier after a quick one: a verdict of it, everything, or nothing."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    PASSED = "passed"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """What calls for the full tier after a quick one, besides a person or the clock.

    Attributes:
        on: verdicts of the quick tier, or `always` or `never` alone.
        classes: names of classes and packages, in which `*` stands for anything. That one of them differs between the
            builds calls for the full tier, too.
    """

    on: tuple[Call, ...] = (Call.REGRESSED, Call.INCONCLUSIVE, Call.INVALID)
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Portions of the quick tier: the same requests of one endpoint, in each block of it, on both sides at once.

    Attributes:
        requests: of one block, on each side.
        rounds: measured blocks of each endpoint in a pair.
        unmeasured: rounds before them, in which classes are loaded and what is made on first use is made.
        endpoints: at most so many are asked, those with the largest weights.
        longest_s: no further round is begun so many seconds after the first one, once a third of them is measured.
    """

    requests: int = 20
    rounds: int = 5
    unmeasured: int = 2
    endpoints: int = 40
    longest_s: float = 20.0
