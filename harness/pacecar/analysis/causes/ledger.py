"""What the mean latency of each endpoint is made of, and what of it nobody saw.

Parts are measured by different instruments: CPU and wall-clock samples of threads at work, the pauses of the JVM, the
requests' own times. What a request hands to threads that are not known to serve it is in none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.profiles.sampled import NONE, RUNNING
from pacecar.analysis.profiles.stacks import NO_NAME
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.pauses import stopped
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.analysis.quantities.rows import added, chosen, lacking
from pacecar.analysis.quantities.waits import waits
from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.effect import CONFIDENCE, Effect
from pacecar.analysis.stats.pairs import RESOLUTION, paired_effect
from pacecar.model.causes import Exchange, Ledger, LedgerEntry
from pacecar.model.profiles import ProfileKind

ON_CPU = "on a CPU"
RUNNABLE = "ready, without a CPU"
STOPPED = "while the JVM stood still"
UNSEEN = "unseen"
#: Endpoints that get one, the busiest first.
_MOST = 20
#: Parts are exchanged when both moved with a smaller p-value and by at least so much of the baseline's mean, and the
#: whole by less than so much of the smaller one.
_CHANCE, _WORTH, _LEFT = 0.001, 0.1, 0.5

Sides = tuple[Numbers, Numbers]


def ledgers(quantities: Quantities, endpoints: Iterable[str]) -> tuple[Ledger, ...]:
    """One for all requests, and where samples tell which endpoint they serve, one for each of `endpoints`.

    None where a fork has no profile of CPU and wall-clock time.
    """
    if any(lacking(quantities, event) is not None for event in (ProfileKind.CPU, ProfileKind.WALL)):
        return ()
    told = [ALL, *(each for each in list(endpoints)[:_MOST] if each in quantities.labelled)]
    return tuple(found for endpoint in told if (found := _ledger(quantities, endpoint)) is not None)


def _ledger(quantities: Quantities, endpoint: str) -> Ledger | None:
    whole = tuple(
        np.array(
            [
                latencies.mean() if len(latencies := fork.latencies.get(endpoint, np.empty(0))) else np.nan
                for fork in forks
            ]
        )
        for forks in zip(*quantities.pairs, strict=True)
    )
    before, after = whole
    if not np.isfinite(before).all() or not np.isfinite(after).all():
        return None
    parts = dict(_parts(quantities, endpoint))
    seen = [sum((side[place] for side in parts.values()), start=np.zeros(len(before))) for place in (0, 1)]
    changes = {part: _change(sides) for part, sides in parts.items()}
    parts[UNSEEN] = before - seen[0], after - seen[1]
    return Ledger(
        endpoint=endpoint,
        baseline_ms=float(before.mean()),
        candidate_ms=float(after.mean()),
        entries=tuple(_entry(part, sides) for part, sides in parts.items()),
        exchange=_exchanged(changes, before=float(before.mean()), change=float((after - before).mean())),
    )


def _exchanged(changes: Mapping[str, Effect], *, before: float, change: float) -> Exchange | None:
    """The two parts, of all that were seen, that moved most in either direction."""
    sure = {
        part: effect.mean
        for part, effect in changes.items()
        if effect.p_value() < _CHANCE and abs(effect.mean) >= _WORTH * before
    }
    gone, come = min(sure, key=sure.__getitem__, default=""), max(sure, key=sure.__getitem__, default="")
    if not sure or sure[gone] >= 0 or sure[come] <= 0 or abs(change) >= _LEFT * min(-sure[gone], sure[come]):
        return None
    return Exchange(gone=gone, come=come)


def _parts(quantities: Quantities, endpoint: str) -> Iterator[tuple[str, Sides]]:
    on_cpu = _at_work(quantities, ProfileKind.CPU, NONE, endpoint)
    running = _at_work(quantities, ProfileKind.WALL, RUNNING, endpoint)
    yield ON_CPU, on_cpu
    # Samples by wall-clock time reach a thread that is ready when it runs again; both scatter, so it may be below zero.
    yield RUNNABLE, (np.maximum(running[0] - on_cpu[0], 0.0), np.maximum(running[1] - on_cpu[1], 0.0))
    still = quantities.of(stopped(endpoint))
    if isinstance(still, Quantity):
        yield STOPPED, (still.baseline[:, 0], still.candidate[:, 0])
    waited = quantities.of(waits(endpoint))
    if isinstance(waited, Quantity):
        for key, scope in enumerate(waited.keys):
            sides = waited.baseline[:, key], waited.candidate[:, key]
            if any(side.any() for side in sides):
                yield f"waiting for {Wait(scope.dependency or Wait.UNKNOWN).value}", sides


def _at_work(quantities: Quantities, event: ProfileKind, state: int, endpoint: str) -> Sides:
    """Time of threads that serve requests, per request."""
    assert quantities.sampled is not None
    rows = chosen(quantities, quantities.sampled, event, endpoint=endpoint, states=(state,))
    rows = rows[rows["endpoint"] != NO_NAME]
    before, after, _ = added(quantities, rows, np.zeros(len(rows), dtype=np.intp), 1, endpoint=endpoint)
    return before[:, 0], after[:, 0]


def _change(sides: Sides) -> Effect:
    before, after = sides
    level = float(np.abs(np.concatenate(sides)).max())
    return paired_effect((after - before).tolist(), resolution=RESOLUTION * level or 1.0)


def _entry(part: str, sides: Sides) -> LedgerEntry:
    before, after = sides
    effect = _change(sides)
    low, high = effect.interval(CONFIDENCE) if before.any() or after.any() else (None, None)
    return LedgerEntry(
        part=part,
        baseline=float(before.mean()),
        candidate=float(after.mean()),
        change=effect.mean,
        low=low,
        high=high,
    )
