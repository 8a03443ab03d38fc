"""What the drawings of the report have in common: places on their axes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A labelled place on an axis, in the drawing's own unit: percent of its width, or as its box has it."""

    at: float
    label: str
