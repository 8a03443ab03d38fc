"""Durations, rates, sizes and percentages: parse what people write, print what people read.

Inside the harness a quantity is a float whose unit stands in its name (`_s`, `_ms`, `_ns`, `_bytes`);
only this module turns text into such floats and back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Literal, cast, get_args

#: The units of metrics; "1" counts.
Unit = Literal["1", "ms", "s", "ns", "B", "%", "/s"]
_UNITS: frozenset[str] = frozenset(get_args(Unit))

_NUMBER = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)\s*(\D*)")
#: Longer text is no quantity; the cap keeps messages short.
_LONGEST = 40

#: What is smaller than this many decimals can show is printed as 0.
_MOST_DECIMALS = 6
#: What is larger is printed with an exponent: nobody counts so many digits.
_MOST_DIGITS = 15
#: Numbers beyond ten to this power, either way, are shown as they are.
_FURTHEST_PLACE = 300
#: Longer durations, in seconds, are nobody's; they are printed with an exponent.
_LONGEST_S = 1e11

#: The unit of a number that is written without one.
_BARE = ""

# The first four units of a kind are the examples in messages.
_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "m": 60.0, "us": 1e-6, "µs": 1e-6, "μs": 1e-6}
_BYTES = {
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
    "GiB": 1024.0**3,
}
_PER_SECOND = {"/s": 1.0, "/min": 1 / 60}
_PERCENT = {"%": 0.01}


def _parse(text: str, units: Mapping[str, float], what: str) -> float:
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None or match.group(2) not in units:
        examples = " or ".join(f'"{f"20 {unit}".strip()}"' for unit in list(units)[:4])
        raise ValueError(f'"{_shown(text)}" is not a {what}; write it as {examples}')
    return float(match.group(1)) * units[match.group(2)]


def _shown(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST])
    return plain if len(text) <= _LONGEST else f"{plain}..."


def parse_duration_s(text: str) -> float:
    """Seconds of `"20 s"`, `"250 ms"`, `"2 min"`. Raises ValueError."""
    return _parse(text, _SECONDS, "duration")


def parse_rate_per_s(text: str) -> float:
    """Events per second of `"150 /s"` or `"90/min"`. Raises ValueError."""
    return _parse(text, _PER_SECOND, "rate")


def parse_bytes(text: str) -> float:
    """Bytes of `"256 MiB"`, `"10 kB"`. Raises ValueError."""
    return _parse(text, _BYTES, "size")


def parse_percentage(text: str) -> float:
    """The fraction of `"10 %"`: 0.1. Raises ValueError."""
    return _parse(text, _PERCENT, "percentage")


def parse_quantity(text: str, unit: str) -> float:
    """`text` expressed in `unit`, one of the units of metrics: ms, ns, s, B, %, /s, 1. Raises ValueError.

    `parse_quantity("0.2 s", "ms")` is 200.
    """
    if unit == "ns":
        return parse_duration_s(text) / 1e-9
    if unit in _SECONDS:
        return parse_duration_s(text) / _SECONDS[unit]
    if unit == "B":
        return parse_bytes(text)
    if unit == "%":
        return 100 * parse_percentage(text)
    if unit == "/s":
        return parse_rate_per_s(text)
    return _parse(text, {_BARE: 1.0}, "plain number")


def unit_of(text: str) -> Unit:
    """`text` as one of the units of metrics. Raises ValueError."""
    if text not in _UNITS:
        raise ValueError(f'"{_shown(text)}" is not a unit; it is one of {", ".join(get_args(Unit))}')
    return cast(Unit, text)


def format_duration(seconds: float) -> str:
    """`3 min 05 s`, `42 s`, `380 ms`; beyond any run `3e+08 h`."""
    if not abs(seconds) < _LONGEST_S:
        return f"{seconds / 3600:.0e} h"
    if round(seconds * 1000) < 1000:
        return f"{seconds * 1000:.0f} ms"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def format_change(fraction: float) -> str:
    """A signed percentage, readable: `+12.4%`, `-0.3%`, `+140%`; beyond all sense `+1e+20 times`."""
    if not abs(fraction) < 10.0**_MOST_DIGITS:
        return f"{fraction:+.0e} times"
    percent = 100 * fraction
    digits = 0 if abs(percent) >= 100 else 1
    return f"{percent:+.{digits}f}%"


def format_share(percent: float) -> str:
    """A share in percent with two digits, without an exponent: `0.45%`, `12%`, `100%`."""
    return f"{percent:.0f}%" if round(abs(percent)) >= 10 else f"{percent:.2g}%"


def format_quantity(value: float, unit: str) -> str:
    """A value of a metric with its unit: `18.3 ms`, `1.2 MB`, `0.4 %`, `340/s`."""
    if unit == "B" and math.isfinite(value):
        for name, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if round(abs(value)) >= factor:
                return f"{_significant(value / factor)} {name}"
        return f"{value:.0f} B"
    text = _significant(value)
    return f"{text}{'' if unit == '/s' else ' '}{unit}" if unit != "1" else text


def rounded_like(value: float, largest: float) -> float:
    """`value` to the place of the third significant digit of `largest`: what is finer is noise beside it."""
    if not (0 < abs(largest) < math.inf and math.isfinite(value)):
        return value
    place = 2 - math.floor(math.log10(abs(largest)))
    return value if abs(place) > _FURTHEST_PLACE else round(value, place) + 0.0  # never "-0"


def format_bound(amount: float, unit: str | None) -> str:
    """An upper bound: two significant digits, rounded up, for no more is known than what was shown: `2.2%`, `13 ms`.

    Args:
        amount: above zero.
        unit: of `amount`, "%" for percentage points; None where it is a fraction.
    """
    above = _rounded_up(amount if unit is not None else 100 * amount)
    if not above < 10.0**_MOST_DIGITS:
        return f"{above:.0e}" if unit is None else format_quantity(above, unit)
    if unit is None or unit == "%":
        return f"{_plain(above)}{'%' if unit is None else ' points'}"
    return format_quantity(above, unit)


def _rounded_up(value: float, *, digits: int = 2) -> float:
    """`value` to `digits` significant digits, never less than it is but for the last bit."""
    if not 0 < value < math.inf:
        return value
    place = digits - 1 - math.floor(math.log10(value))
    if abs(place) > _FURTHEST_PLACE:
        return value
    scaled = value * 10.0**place
    nearest = round(scaled)
    whole = nearest if math.isclose(scaled, nearest, rel_tol=1e-9) else math.ceil(scaled)
    return whole / 10.0**place


def _plain(value: float) -> str:
    """Without trailing zeros; without an exponent, unless fewer decimals would say less than it is."""
    text = f"{value:.{_MOST_DECIMALS}f}"
    return text.rstrip("0").rstrip(".") if float(text) >= value * (1 - 1e-9) else f"{value:.1e}"


def _significant(value: float) -> str:
    """At least three significant digits, no trailing zeros; an exponent only where there would be too many digits."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) >= 10.0**_MOST_DIGITS:
        return f"{value:.2e}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(decimals, _MOST_DECIMALS)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
