"""A small flame graph: two endpoints of one pool, the compiler, and a class whose name is an attack."""

from __future__ import annotations

import pandas as pd

from pacecar.model.frames import Facet, Flame
from pacecar.model.profiles import ProfileKind

#: A class that would like to run in the reader's browser.
HOSTILE_FRAME = "com.evil.</script><img src=x onerror=alert(1)>.run"
#: Stack -> own ms on either side; the tops are pools and what they serve.
_STACKS: dict[tuple[str, str], dict[tuple[str, ...], tuple[float, float]]] = {
    ("http-worker", "OrderController.list"): {
        ("java.lang.Thread.run",): (0.05, 0.05),
        ("java.lang.Thread.run", "com.example.orders.OrderController.list"): (0.22, 0.22),
        (
            "java.lang.Thread.run",
            "com.example.orders.OrderController.list",
            "com.example.orders.json.JacksonEncoder.write",
        ): (0.62, 1.03),
        (
            "java.lang.Thread.run",
            "com.example.orders.OrderController.list",
            "com.example.orders.cache.PriceCache.lookup",
        ): (0.09, 0.0),
    },
    ("http-worker", "SearchController.find"): {
        ("java.lang.Thread.run", HOSTILE_FRAME): (0.1, 0.1),
        ("java.lang.Thread.run", "com.example.orders.SearchIndex.scan"): (0.3, 0.31),
    },
    ("C2 CompilerThread", ""): {("libjvm.so.Compile::Optimize",): (0.2, 0.21)},
}


def flame(*, filters: int = 0) -> Flame:
    """A CPU flame graph of the changed frames: two endpoints of one pool, and the compiler.

    Args:
        filters: frames that stand between a thread's first one and the service's own, as a web framework has many.
    """
    between = tuple(f"org.web.Filter{number}.doFilter" for number in range(filters))
    stacks_of = {
        facet: {(path[0], *between, *path[1:]) if path[1:] else path: costs for path, costs in stacks.items()}
        for facet, stacks in _STACKS.items()
    }
    facets = tuple(Facet(pool=pool, endpoint=endpoint, state="") for pool, endpoint in _STACKS)
    names = list(dict.fromkeys(name for stacks in stacks_of.values() for path in stacks for name in path))
    rows = [
        {"parent": -1, "frame": -1, "facet": place, "baseline": 0.0, "candidate": 0.0} for place in range(len(facets))
    ]
    place: dict[tuple[object, ...], int] = {(number,): number for number in range(len(facets))}
    paths = [(n, path, costs) for n, stacks in enumerate(stacks_of.values()) for path, costs in stacks.items()]
    for depth in range(1, 4 + filters):
        for number, path, (before, after) in paths:
            if len(path) == depth or (len(path) > depth and (number, *path[:depth]) not in place):
                own = (before, after) if len(path) == depth else (0.0, 0.0)
                place[(number, *path[:depth])] = len(rows)
                rows.append(
                    {
                        "parent": place[(number, *path[: depth - 1])],
                        "frame": names.index(path[depth - 1]),
                        "facet": -1,
                        "baseline": own[0],
                        "candidate": own[1],
                    }
                )
    nodes = pd.DataFrame(rows).assign(error=0.02).sort_values("parent", kind="stable")
    renumbered = {old: new for new, old in enumerate(nodes.index)}
    nodes["parent"] = [renumbered.get(parent, -1) for parent in nodes["parent"]]
    return Flame(
        event=ProfileKind.CPU,
        frames=tuple(names),
        application=tuple(name.startswith("com.example.orders") for name in names),
        facets=facets,
        nodes=nodes.reset_index(drop=True),
    )
