"""What stacks say about the requests they belong to: the frame that serves one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pacecar.analysis.stats.arrays import Indices, Mask
from pacecar.analysis.stats.paths import Paths

#: How frameworks call the method that serves a request; the application's frame after one of these is the handler,
#: while filters and wrappers of the application above it are called plainly.
_CALLED_BY_REFLECTION = (
    "java.lang.reflect.Method.invoke",
    "jdk.internal.reflect.",
    "java.lang.invoke.",
    "sun.reflect.",
)
#: In names of the classes that the JVM makes of `Orders::list` and `() -> …`; each of their methods only calls another.
_OF_LAMBDA = "$$Lambda."
#: Labels that name no endpoint.
_BARE = frozenset({"", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HTTP"})


def marked(names: Sequence[str], prefixes: tuple[str, ...]) -> Mask:
    """(names,) which of them begin with one of `prefixes`."""
    return np.fromiter((name.startswith(prefixes) for name in names), dtype=bool, count=len(names))


def entries(stacks: Paths, names: Sequence[str], application: Mask) -> Indices:
    """(stacks,) the application's frame that serves the request, `OrderController.list`; -1 when a stack has none.

    Args:
        stacks: frames' numbers, from the entry point to the leaf.
        names: of the frames.
        application: (names,) which are the user's own code.
    """
    whole = application[stacks.steps]
    own = whole & ~np.fromiter((_OF_LAMBDA in name for name in names), dtype=bool, count=len(names))[stacks.steps]
    reflective = marked(names, _CALLED_BY_REFLECTION)[stacks.steps]
    called = np.zeros(len(own), dtype=bool)
    called[1:] = reflective[:-1] & (stacks.path[1:] == stacks.path[:-1])
    found = stacks.first(own & called)
    for others in (own, whole):
        found = np.where(found >= 0, found, stacks.first(others))
    return found


def is_bare(labels: Sequence[str]) -> Mask:
    """(labels,) which do not tell what a sample serves, so that the frame that serves the request does.

    A span is labelled with the name it has when it begins; a framework that finds the route later gives no more than
    the method of HTTP.
    """
    return np.fromiter((label in _BARE for label in labels), dtype=bool, count=len(labels))
