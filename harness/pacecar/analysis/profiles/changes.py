"""Which frames changed: cost per request on both sides, who is to blame, and what only moved."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pacecar.analysis.profiles.changed_callers import changed_callers
from pacecar.analysis.profiles.gaps import profiled
from pacecar.analysis.profiles.merged import Merged, merge
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.profiles.stacks import of_classes
from pacecar.analysis.stats.attribution import FALSE_DISCOVERIES, attribute
from pacecar.analysis.stats.culprits import Attribution, Culprit, Move, NodeCosts
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import NOTE

#: Rows kept of one kind of profile: the first by change, and among the rest the most costly.
MOST_CHANGED = 120
MOST_COSTLY = 80
_ENDPOINTS = 5
_BELOW = 3
#: The part of a frame's change that must be left where what was not seen of its pool changed the other way.
_SEEN = 0.5
#: Kind of profile -> expected share of false ones among its named frames. Where nothing changed these are chances of
#: naming any frame, and add up over the kinds: 5 % at most. CPU, whose changes are the smallest, has most of that; what
#: waits, blocks or allocates too much stands out.
_FALSE_DISCOVERIES = dict.fromkeys(ProfileKind, 0.005) | {ProfileKind.CPU: FALSE_DISCOVERIES}


def frame_changes(
    sampled: Sampled, *, application: Sequence[str], changed_classes: Collection[str] = ()
) -> tuple[FrameChange, ...]:
    """The frames of forks measured side by side: of each kind of profile those to blame, then by change, the user's own
    first.

    Ranked by how large the change is at least (the end of its interval nearest zero), then by its estimate: the
    largest estimate of hundreds is mostly noise. Pairs in which a side has no profile of a kind are left out of it.

    Args:
        sampled: the samples of all pairs.
        application: prefixes of the class names that are the user's own code.
        changed_classes: names of classes whose code differs between the builds.
    """
    return tuple(
        change
        for event in ProfileKind
        for change in _of_event(event, sampled, application=application, changed_classes=changed_classes)
    )


def _of_event(
    event: ProfileKind, sampled: Sampled, *, application: Sequence[str], changed_classes: Collection[str]
) -> tuple[FrameChange, ...]:
    merged = merge(sampled, sampled.of_event(event, pairs=_profiled(sampled, event)))
    if merged is None:
        return ()
    touched = of_classes(merged.names, changed_classes)
    found = attribute(
        NodeCosts(
            tree=merged.tree,
            baseline=merged.baseline,
            candidate=merged.candidate,
            poisson=merged.poisson,
            name=merged.name,
            timed=event is not ProfileKind.ALLOCATION,
        ),
        touched=touched if changed_classes else None,
        false_discoveries=_FALSE_DISCOVERIES[event],
    )
    return _changes(event, merged, _seen(found, merged), touched, application=application)


def _profiled(sampled: Sampled, event: str) -> list[int]:
    """The pairs whose forks, both or the only one, tell what `event` cost them."""
    return [
        pair
        for pair, forks in enumerate(sampled.forks)
        if all(profiled(fork, event) for fork in forks if fork is not None)
    ]


def _seen(found: Attribution, merged: Merged) -> Attribution:
    """Where the profiler did not see what ran, there is nobody to blame, and nothing came or went. What a frame lost
    may be what was no longer seen of its pool, and the other way round.
    """
    notes = {number for number, name in enumerate(merged.names) if name.startswith(NOTE)}
    unseen = dict.fromkeys(merged.pools, 0.0)
    for number in notes:
        unseen[merged.pools[number]] += float(found.own.mean[number])
    return replace(
        found,
        culprits=tuple(
            culprit
            for culprit in found.culprits
            if culprit.frame not in notes
            and abs(culprit.change + unseen[merged.pools[culprit.frame]]) >= _SEEN * abs(culprit.change)
        ),
        moves=tuple(move for move in found.moves if not notes & {move.gone_from, move.gone_to}),
    )


def described_frames(sampled: Sampled, *, application: Sequence[str]) -> tuple[FrameChange, ...]:
    """The same of forks that were not paired: means and their difference, without a claim.

    Args:
        sampled: the samples of forks, each by itself, see `sampled.unpaired`.
        application: as in `frame_changes`.
    """
    found: list[FrameChange] = []
    for event in ProfileKind:
        part = sampled.of_event(event, pairs=_profiled(sampled, event))
        merged = merge(sampled, part) if part.before and part.after else None
        if merged is not None:
            means = _means(merged, part.before, part.after)
            found += _changes(event, means, None, of_classes(merged.names, ()), application=application)
    return tuple(found)


def _means(merged: Merged, before: int, after: int) -> Merged:
    """The mean profile of each side, as a single pair."""
    return Merged(
        tree=merged.tree,
        names=merged.names,
        pools=merged.pools,
        name=merged.name,
        baseline=merged.baseline.sum(axis=0, keepdims=True) / before,
        candidate=merged.candidate.sum(axis=0, keepdims=True) / after,
        poisson=merged.poisson,
        parts=merged.parts,
    )


def _changes(
    event: ProfileKind, merged: Merged, found: Attribution | None, touched: np.ndarray, *, application: Sequence[str]
) -> tuple[FrameChange, ...]:
    """A row for every frame that has a cost of its own, or is the user's; without `found` nothing is claimed."""
    rows = _ranked(_rows(merged, found, application=tuple(application)))
    endpoints = _largest(merged, "endpoint", rows.index, limit=_ENDPOINTS, of_change=False)
    moved = _largest(merged, "endpoint", rows.index, limit=_ENDPOINTS, of_change=True)
    below = _largest(merged, "leaf", rows.index, limit=_BELOW, of_change=True)
    blamed = {culprit.frame: culprit for culprit in found.culprits} if found else {}
    callers = changed_callers(merged, tuple(blamed.values()), touched)
    moves = _moves(merged, found)
    gone_to = {move.gone_from: merged.names[move.gone_to] for move in moves}
    come_from = {move.gone_to: merged.names[move.gone_from] for move in moves}
    return tuple(
        FrameChange(
            event=event,
            frame=merged.names[number],
            pool=merged.pools[number] or None,
            application=bool(row["application"]),
            self_baseline=float(row["own_before"]),
            self_candidate=float(row["own_after"]),
            self_change=float(row["change"]),
            low=float(row["low"]),
            high=float(row["high"]),
            total_baseline=float(row["total_before"]),
            total_candidate=float(row["total_after"]),
            endpoints=tuple(endpoint for endpoint, _ in endpoints.get(number, [])),
            by_endpoint=tuple(moved.get(number, [])),
            blamed=number in blamed,
            diffuse=number in blamed and blamed[number].diffuse,
            touched=bool(touched[number]),
            gone_to=gone_to.get(number),
            come_from=come_from.get(number),
            descriptive=found is None,
            together_with=_places(merged, blamed.get(number)),
            changed_caller=callers.get(number),
            below=tuple(below.get(number, [])),
        )
        for number, row in zip(rows.index.tolist(), rows.to_dict("records"), strict=True)
    )


def _moves(merged: Merged, found: Attribution | None) -> list[Move]:
    """Moves from one name to another, the largest last; from pool to pool a frame keeps its name."""
    smallest_first = found.moves[::-1] if found else ()
    return [move for move in smallest_first if merged.names[move.gone_from] != merged.names[move.gone_to]]


def _places(merged: Merged, culprit: Culprit | None) -> tuple[tuple[str, str], ...]:
    """(pool, frame) of all that a culprit's cost came from, or went to."""
    return tuple((merged.pools[each], merged.names[each]) for each in (culprit.partners if culprit else ()))


def _rows(merged: Merged, found: Attribution | None, *, application: tuple[str, ...]) -> pd.DataFrame:
    tree = merged.tree
    before, after = (tree.by_frame(side).mean(axis=0) for side in (merged.baseline, merged.candidate))
    total_before, total_after = (
        tree.totals_by_frame(side).mean(axis=0) for side in (merged.baseline, merged.candidate)
    )
    rows = pd.DataFrame(
        {
            "name": merged.names,
            "application": [bool(application) and name.startswith(application) for name in merged.names],
            "own_before": before,
            "own_after": after,
            "change": after - before,
            "low": -math.inf,
            "high": math.inf,
            "blamed": 0.0,
            "total_before": total_before,
            "total_after": total_after,
        }
    )
    if found is not None:
        rows["change"], (rows["low"], rows["high"]) = found.own.mean, found.own.interval()
        for culprit in found.culprits:
            rows.loc[culprit.frame, "blamed"] = culprit.at_least
            if culprit.partners and not culprit.diffuse:
                together = [culprit.frame, *culprit.partners]
                rows.loc[culprit.frame, ["own_before", "own_after"]] = before[together].sum(), after[together].sum()
            if culprit.diffuse or culprit.partners:
                rows.loc[culprit.frame, ["change", "low", "high"]] = culprit.change, culprit.low, culprit.high
    costly = rows["application"] | (rows["own_before"] > 0) | (rows["own_after"] > 0)
    return rows[costly & (rows["name"] != "")]


def _ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Those to blame, then the user's own, by certain change, then by estimate; the cheap and unchanged are cut."""
    certain = np.maximum(0.0, np.maximum(rows["low"], -rows["high"]))
    ranked = rows.assign(certain=certain, size=rows["change"].abs()).sort_values(
        ["blamed", "application", "certain", "size", "name"], ascending=[False, False, False, False, True]
    )
    changed = ranked.sort_values(["blamed", "certain", "size"], ascending=False, kind="stable").index[:MOST_CHANGED]
    costly = ranked[["own_before", "own_after"]].max(axis=1).drop(changed).nlargest(MOST_COSTLY).index
    return ranked.drop(index=ranked.index.difference(changed.union(costly)))


def _largest(
    merged: Merged, part: str, frames: pd.Index[int], *, limit: int, of_change: bool
) -> dict[int, list[tuple[str, float]]]:
    """Frame -> its parts of the largest amount (or change) without sign."""
    parts = merged.parts
    parts = parts[parts["frame"].isin(frames) & (parts[part] != "")]
    sums = parts.groupby(["frame", part], sort=True)[["baseline", "candidate"]].sum()
    amounts = sums["candidate"] - sums["baseline"] if of_change else sums["candidate"] + sums["baseline"]
    first = amounts[amounts != 0].sort_values(key=np.abs, ascending=False, kind="stable").groupby(level=0).head(limit)
    found: dict[int, list[tuple[str, float]]] = {}
    for number, name, amount in zip(*(first.index.get_level_values(level) for level in (0, 1)), first, strict=True):
        found.setdefault(int(number), []).append((str(name), float(amount)))
    return found
