"""What came from a build or a service is made safe to keep and to show: clean text, finite numbers, bounded lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

from pacecar.text.plain import cleaned

Item = TypeVar("Item")

#: Characters of the longest text kept; both schemas hold the same figure.
TEXT_LIMIT = 400
_SIGNIFICANT_DIGITS = 7
#: Fields that hold packed columns, which the schema allows nothing but base64.
_PACKED = frozenset({"data"})


def clean_text(text: str, *, limit: int = TEXT_LIMIT) -> str:
    """`text` on one line, cut at `limit` characters.

    What `plain.cleaned` takes out becomes U+FFFD.
    """
    shown = cleaned(text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def tidy(value: Any) -> Any:
    """Plain data with every text cleaned and every number finite: NaN and infinities become None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, Mapping):
        return {str(key): item if key in _PACKED else tidy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tidy(item) for item in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return _rounded(float(value))
    return [tidy(item) for item in value]


def cut(items: Sequence[Item], *, limit: int) -> tuple[tuple[Item, ...], int]:
    """The first `limit` items, and how many were left out."""
    return tuple(items[:limit]), max(0, len(items) - limit)


def _rounded(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")
