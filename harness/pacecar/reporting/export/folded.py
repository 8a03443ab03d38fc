"""Folded stacks: a line per stack, frames joined by semicolons, then a whole number.

The format of Brendan Gregg's FlameGraph (https://github.com/brendangregg/FlameGraph), which speedscope opens too.
"""

from __future__ import annotations

from pacecar.reporting.export.stacks import StackSums


def folded(sums: StackSums) -> str:
    """The stacks with their pool on top; weights in ns, of allocation in bytes."""
    weights: dict[str, int] = {}
    for pool, frames, weight in zip(sums.rows["pool"], sums.rows["frames"], sums.rows["weight"], strict=True):
        stack = ";".join(_frame(name) for name in (f"[{pool}]", *frames.split("\n")))
        weights[stack] = weights.get(stack, 0) + round(weight)
    return "".join(f"{stack} {weight}\n" for stack, weight in sorted(weights.items()) if weight > 0)


def _frame(name: str) -> str:
    # A semicolon would begin another frame; what follows the last blank is the number.
    return name.replace(";", ":").replace("\n", " ") or "?"
