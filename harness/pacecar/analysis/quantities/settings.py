"""What the JVMs of the two builds were told differently."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacecar.analysis.metrics.measured import MeasuredFork

if TYPE_CHECKING:
    from pacecar.analysis.quantities.measured import Quantities

_FLAG = re.compile(r"-XX:(?:(?P<on>[+-])(?P<switch>\w{1,80})|(?P<name>\w{1,80})=(?P<value>.{0,80}))", re.ASCII)
_ON = {"+": "on", "-": "off"}
_MOST = 20


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A flag of the JVM; "" on the side that does without it."""

    name: str
    baseline: str
    candidate: str


def settings_changed(quantities: Quantities) -> tuple[Setting, ...]:
    """The flags that all forks of either side share, and that differ between the sides; by name, the first few.

    Nothing where a JVM did not tell its flags: then nobody knows which are missing.
    """
    sides = [_shared([pair[place] for pair in quantities.pairs]) for place in (0, 1)]
    before, after = sides
    if not before or not after:
        return ()
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    # A flag that differs between the forks of one side says nothing of its build.
    told = [name for name in names if None not in (before.get(name, ""), after.get(name, ""))]
    return tuple(
        Setting(name=name, baseline=before.get(name) or "", candidate=after.get(name) or "") for name in told[:_MOST]
    )


def _shared(forks: Sequence[MeasuredFork]) -> dict[str, str | None]:
    """Flag -> its value; None where not all forks have the same. Empty where one of them told none."""
    each = [_flags(fork.data.record.jvm_flags) for fork in forks]
    if not all(each):
        return {}
    names = {name for flags in each for name in flags}
    values = {name: {flags.get(name, "") for flags in each} for name in names}
    return {name: found.pop() if len(found) == 1 else None for name, found in values.items()}


def _flags(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        if (match := _FLAG.fullmatch(text)) is not None:
            found[match["switch"] or match["name"]] = _ON[match["on"]] if match["on"] else match["value"]
    return found
