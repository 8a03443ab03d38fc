"""The distinct stacks of many forks, taken apart once: numbers of frames instead of text in every row of samples."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pacecar.analysis.profiles.entries import entries, marked
from pacecar.analysis.profiles.idle import idle, own_loops
from pacecar.analysis.profiles.proxies import stands_for
from pacecar.analysis.stats.arrays import Indices, Mask
from pacecar.analysis.stats.paths import Paths

#: The number of the name "".
NO_NAME = 0
_NUMBER = "i"


class Names(dict[str, int]):
    """Name -> its number, in the order in which they were first asked for; "" is the first."""

    def __init__(self) -> None:
        super().__init__({"": NO_NAME})

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number

    def numbers(self, names: Iterable[str]) -> Indices:
        """Of each of these names."""
        return np.fromiter((self[name] for name in names), dtype=np.intp)


class StackNumbers:
    """Stack -> its number, whichever fork it is seen in. A stack is kept as the bytes of its frames' numbers: its text
    takes ten times as much.

    Attributes:
        names: of the frames.
    """

    def __init__(self) -> None:
        self.names = Names()
        self._known: dict[bytes, int] = {}

    def numbers(self, texts: Iterable[str]) -> Indices:
        """Of these stacks: frames from the entry point to the leaf, joined by newlines."""
        known, number = self._known, self.names.__getitem__
        return np.fromiter(
            (known.setdefault(array(_NUMBER, map(number, text.split("\n"))).tobytes(), len(known)) for text in texts),
            dtype=np.intp,
        )

    def paths(self) -> Paths:
        """All stacks so far, by number."""
        width = array(_NUMBER).itemsize
        return Paths(
            steps=np.frombuffer(b"".join(self._known), dtype=_NUMBER).astype(np.intp),
            lengths=np.fromiter((len(key) // width for key in self._known), dtype=np.intp, count=len(self._known)),
        )


@dataclass(frozen=True, kw_only=True)
class Stacks:
    """Distinct stacks by number; names by theirs.

    Attributes:
        names: of frames.
        application: (names,) which are the user's own code.
        whole: every frame, from the entry point to the leaf.
        kept: the application's frames alone, so that the cost of a library belongs to the frame of the application that
            called it. A stack without such a frame keeps those whose code differs between the builds, such as those of
            a library in another version, and one without those its leaf; without prefixes every frame is kept.
        leaf: (stacks,) the frame that ran, where it is not the last of `kept`; else `NO_NAME`.
        entry: (stacks,) the frame that serves the request; `NO_NAME` where there is none.
        starts: (stacks,) whether that is the method with which the program begins.
        idle: (stacks,) whether a thread that sleeps with it waits for work.
        loops: (stacks,) whether a thread that sleeps with it does so in its own loop.
    """

    names: tuple[str, ...]
    application: Mask
    whole: Paths
    kept: Paths
    leaf: Indices
    entry: Indices
    starts: npt.NDArray[np.bool_]
    idle: npt.NDArray[np.bool_]
    loops: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, numbers: StackNumbers, *, application: Sequence[str], changed_classes: Collection[str] = ()) -> Stacks:
        """Work out what each stack says.

        Args:
            numbers: the stacks; names of classes that proxies stand for are added to their names.
            application: prefixes of the class names that are the user's own code.
            changed_classes: names of classes whose code differs between the builds.
        """
        prefixes = tuple(application)
        written = numbers.names.numbers([stands_for(name) for name in list(numbers.names)])
        names, whole = tuple(numbers.names), numbers.paths()
        own = marked(names, prefixes)
        plain = Paths(steps=written[whole.steps], lengths=whole.lengths)
        kept = whole
        if prefixes:
            # A proxy and its class, or a method that calls itself, are one frame of the application.
            changed = of_classes(names, changed_classes)
            kept = _only(plain, own).or_else(_only(plain, changed).or_else(whole.ends()))
        elsewhere = (kept.last != whole.last) & (kept.last != plain.last)
        loops = own_loops(whole, names)
        serving = entries(plain, names, own)
        return cls(
            names=names,
            application=own,
            whole=whole,
            kept=kept,
            leaf=np.where(elsewhere, whole.last, NO_NAME),
            entry=np.where(serving >= 0, serving, NO_NAME),
            starts=_main(names)[serving] & (serving >= 0),
            idle=idle(whole, names, own, loops=loops),
            loops=loops,
        )

    def order(self) -> Indices:
        """(stacks,) the place of each in the order of their texts."""
        names = np.array(ranks(self.names), dtype=">u4")  # big-endian, so that bytes compare as numbers do
        steps, width = names[self.whole.steps].tobytes(), names.itemsize
        ends = (self.whole.begins + self.whole.lengths).tolist()
        return ranks([steps[width * b : width * e] for b, e in zip(self.whole.begins.tolist(), ends, strict=True)])


def of_classes(names: Sequence[str], classes: Collection[str]) -> Mask:
    """(names,) which are frames of these classes."""
    known = frozenset(classes)
    return np.array([name.rpartition(".")[0] in known for name in names], dtype=bool)


def _main(names: Sequence[str]) -> Mask:
    """(names,) which are a program's first method."""
    return np.fromiter((name.endswith(".main") for name in names), dtype=bool, count=len(names))


def _only(paths: Paths, marked: Mask) -> Paths:
    """The marked frames of each path; one that calls itself stands there once. `marked`: (names,)."""
    return paths.only(marked[paths.steps]).without_repeats()


def entry_names(texts: Sequence[str], *, application: Sequence[str]) -> list[str]:
    """The frame that serves the request of each of these stacks; "" where there is none."""
    numbers = StackNumbers()
    which = numbers.numbers(texts)
    stacks = Stacks.of(numbers, application=application)
    return [stacks.names[entry] for entry in stacks.entry[which].tolist()]


def ranks(texts: Sequence[str] | Sequence[bytes]) -> Indices:
    """(texts,) the place of each in their order."""
    places = np.empty(len(texts), dtype=np.intp)
    places[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return places
