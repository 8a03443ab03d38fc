"""Whether two builds are the same in all that a service loads, so that there is nothing to measure.

Bytes are compared, never the checksums that an archive claims of itself: they could lie. What cannot be read, is too
large to be read, or is ambiguous is not the same. An entry that both archives have packed alike is not unpacked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.inputs.builds import class_file, unloaded
from pacecar.inputs.builds.contents import Contents, opened
from pacecar.model.recording import Sameness
from pacecar.system.foreign.jars import NoJar

#: Names that are told; of the rest their number.
_TOLD = 20
#: What is unpacked of both builds together, at most: some seconds' work.
_MOST_UNPACKED = 4 << 30
_ARCHIVE = ".jar"


def sameness(baseline: Path, candidate: Path) -> Sameness | None:
    """How two builds are the same, or None when they are not, as far as that can be told.

    Not counted: times, order and compression in an archive, the lines of the source in classes, and what a service
    never loads, see `unloaded`.

    Args:
        baseline: a jar, or a folder.
        candidate: likewise.
    """
    compared = _Comparison()
    try:
        with opened(baseline) as before, opened(candidate) as after:
            compared.contents(before, after)
    except (_Differs, OSError, NoJar):
        return None
    return Sameness(
        identical=False,
        lines=compared.lines,
        unloaded=tuple(compared.unloaded[:_TOLD]),
        more=max(0, len(compared.unloaded) - _TOLD),
    )


class _Differs(Exception):
    """The builds are not the same, or nobody can tell."""


@dataclass(kw_only=True)
class _Comparison:
    """A comparison in progress, which ends with the first difference that counts.

    Attributes:
        unloaded: files that differ, and that no service loads.
        lines: how many classes differ in nothing but the lines of their source.
    """

    lines: int = 0
    unloaded: list[str] = field(default_factory=list)
    _left: int = field(default_factory=lambda: _MOST_UNPACKED)

    def contents(self, before: Contents, after: Contents, *, inside: str = "") -> None:
        """Compare two archives or folders; `inside` is where they lie in the builds, such as `lib/json.jar!/`."""
        _require(before.around == after.around)
        old, new = (dict.fromkeys(each.names) for each in (before, after))
        # Of a name that is there twice, who reads the jar decides which counts.
        _require(len(old) == len(before.names) and len(new) == len(after.names))
        for name in sorted(old.keys() ^ new.keys()):
            _require(unloaded.is_never_loaded(name))
            self.unloaded.append(inside + name)
        both = sorted(old.keys() & new.keys(), key=lambda name: (name.endswith(_ARCHIVE), name))
        for name in both:
            self._entry(name, before, after, inside=inside)
        self._order(before, after)

    def _entry(self, name: str, before: Contents, after: Contents, *, inside: str) -> None:
        if _equal(before.packed(name), after.packed(name)):
            return
        if before.size_of(name) == after.size_of(name) and self._unpacked_alike(name, before, after):
            return
        if unloaded.is_never_loaded(name) or unloaded.is_signature(name):
            self.unloaded.append(inside + name)
        elif unloaded.may_describe(name):
            _require(max(before.size_of(name), after.size_of(name)) <= unloaded.MOST_BYTES)
            _require(unloaded.alike(name, before.bytes_of(name), after.bytes_of(name)))
            self.unloaded.append(inside + name)
        elif name.endswith(".class"):
            _require(max(before.size_of(name), after.size_of(name)) <= class_file.MOST_BYTES)
            _require(class_file.same_but_for_lines(before.bytes_of(name), after.bytes_of(name)))
            self.lines += 1
        else:
            _require(name.endswith(_ARCHIVE) and not inside)
            with opened(_whole(before, name)) as old, opened(_whole(after, name)) as new:
                self.contents(old, new, inside=f"{name}!/")

    def _unpacked_alike(self, name: str, before: Contents, after: Contents) -> bool:
        return _equal(self._within_budget(before.unpacked(name)), self._within_budget(after.unpacked(name)))

    def _within_budget(self, portions: Iterator[bytes]) -> Iterator[bytes]:
        for portion in portions:
            self._left -= len(portion)
            _require(self._left >= 0)
            yield portion

    def _order(self, before: Contents, after: Contents) -> None:
        """Jars inside a jar are searched in their order: of a class that two of them have, the first one counts."""
        orders = [[name for name in each.names if name.endswith(_ARCHIVE)] for each in (before, after)]
        if orders[0] == orders[1]:
            return
        inside = {name: _names_in(after, name) for name in orders[1]}
        winners: list[dict[str, str]] = []
        for order in orders:
            found: dict[str, str] = {}
            for archive in order:
                for name in inside.get(archive, ()):
                    found.setdefault(name, archive)
            winners.append(found)
        _require(winners[0] == winners[1])


def _names_in(contents: Contents, archive: str) -> list[str]:
    """What a jar inside another one has for whoever asks by name; nobody asks for a folder."""
    with opened(_whole(contents, archive)) as inner:
        return [name for name in inner.names if not name.endswith("/") and not name.startswith("META-INF/")]


def _whole(contents: Contents, name: str) -> bytes:
    found = contents.bytes_of(name)
    _require(bool(found))  # empty: too large
    return found


def _equal(before: Iterator[bytes], after: Iterator[bytes]) -> bool:
    return all(old == new for old, new in itertools.zip_longest(before, after))


def _require(same: bool) -> None:
    if not same:
        raise _Differs
