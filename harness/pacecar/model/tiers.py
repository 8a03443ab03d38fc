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


class Trigger(StrEnum):
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

    on: tuple[Trigger, ...] = (Trigger.REGRESSED, Trigger.INCONCLUSIVE, Trigger.INVALID)
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Portions of counted requests: the same ones of one endpoint, in each block of it, on both sides at once.

    All that the quick tier measures; in the full tier, what follows the last window of a pair.

    Attributes:
        requests: of one block, on each side.
        rounds: measured blocks of each endpoint in a pair.
        unmeasured: rounds before them, in which classes are loaded and what is made on first use is made.
        endpoints: at most so many are asked, those with the largest weights.
        longest_s: no further round is begun so many seconds after the first one, once a third of them is measured.
        strict: no further block is begun then, whatever is measured.
    """

    requests: int = 20
    rounds: int = 5
    unmeasured: int = 2
    endpoints: int = 40
    longest_s: float = 20.0
    strict: bool = False


#: Fewest blocks of an endpoint in a pair of the full tier: the first may hold the opening of a connection.
FEWEST_AFTER_WINDOWS = 2
#: About how long a block takes of a service that answers within milliseconds, its edges included.
BLOCK_S = 0.12
#: In the full tier, unless somebody says how long.
LONGEST_AFTER_WINDOWS_S = 10.0
_MOST_ENDPOINTS = 40
_ROUNDS_AFTER_WINDOWS = 4


def after_windows(longest_s: float = LONGEST_AFTER_WINDOWS_S) -> Blocks:
    """The blocks of the full tier, as many as fit into `longest_s`: forks are warm by then, so that every one counts.

    Fewer endpoints are asked where the time is short, so that each of them has enough blocks.
    """
    fitting = int(longest_s / (FEWEST_AFTER_WINDOWS * BLOCK_S))
    return Blocks(
        rounds=_ROUNDS_AFTER_WINDOWS,
        unmeasured=0,
        endpoints=max(1, min(_MOST_ENDPOINTS, fitting)),
        longest_s=longest_s,
        strict=True,
    )
