"""What must be found about a build: what its expectation says, and the same with the sides swapped."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from benchmarks.sample.whole import Target

#: The expectation of builds in which there is nothing to find.
NOTHING: Mapping[str, Any] = {"verdict": "passed", "moves": [], "blame": [], "innocent": []}
IDENTICAL = "identical"
#: Ends the name of a comparison in which the build is the baseline.
REVERSED = "-reversed"
#: Of an expectation file, what the quick tier finds.
_QUICK = "quick"
_OPPOSITE = {"regressed": "improved", "improved": "regressed", "passed": "passed"}


def names_of(target: Target, *, quick: bool = False) -> tuple[str, ...]:
    """Names of the comparisons: patches, those with a root also in the other direction, and identical builds.

    In the quick tier: the patches whose expectations have a table for it, in one direction.
    """
    patches = sorted(path.stem for path in target.builds.glob("*.patch"))
    if quick:
        return (*(name for name in patches if _QUICK in _file_of(target, name)), IDENTICAL)
    mirrored = [f"{name}{REVERSED}" for name in patches if target.investigates and "root" in expected_of(target, name)]
    return (*patches, *mirrored, IDENTICAL)


def sides_of(target: Target, name: str) -> tuple[str, str]:
    """Baseline and candidate of the comparison `name`, as the command line takes builds."""
    if name == IDENTICAL:
        return target.tree, target.tree
    patched = target.patched(name.removesuffix(REVERSED))
    return (patched, target.tree) if name.endswith(REVERSED) else (target.tree, patched)


def expected_of(target: Target, name: str, *, quick: bool = False) -> Mapping[str, Any]:
    """What must be found in the comparison `name`, in the full tier or in the quick one."""
    if name == IDENTICAL:
        return NOTHING
    found = _file_of(target, name.removesuffix(REVERSED))
    if quick:
        return {**NOTHING, **found[_QUICK]}
    return _mirrored(found) if name.endswith(REVERSED) else found


def _file_of(target: Target, patch: str) -> Mapping[str, Any]:
    return tomllib.loads((target.builds / f"{patch}.toml").read_text())


def _mirrored(expected: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same frames and the same root; what moved up by a half moves down by a third."""
    moves = [
        move
        | {
            "direction": "down" if move["direction"] == "up" else "up",
            "at_least": move["at_least"] / (1 + (1 if move["direction"] == "up" else -1) * move["at_least"]),
        }
        for move in expected["moves"]
    ]
    return {**expected, "verdict": _OPPOSITE[expected["verdict"]], "moves": moves}
