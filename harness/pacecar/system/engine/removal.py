"""Removing what Pacecar has started in the engine: containers, then their networks and volumes."""

from __future__ import annotations

import time

from pacecar.system import engine
from pacecar.system.engine import EngineError

#: A request that was on its way when its sender was killed may still be carried out by the engine.
_SETTLE_S = 0.3
_PATIENCE_S = 60.0

_LISTS = {
    "container": ("container", "ls", "--all", "--quiet", "--no-trunc"),
    "network": ("network", "ls", "--quiet", "--no-trunc"),
    "volume": ("volume", "ls", "--quiet"),
}
_REMOVALS = {
    "container": ("container", "rm", "--force", "--volumes"),
    "network": ("network", "rm"),
    "volume": ("volume", "rm", "--force"),
}


def remove(label: str, *, host: str | None = None, settled: bool = True) -> list[str]:
    """Remove every container, network and volume with `label`. Returns what was removed, one line each.

    Args:
        label: `name=value`.
        host: address of the engine, see `engine.ask`.
        settled: nobody is starting anything under this label any more; otherwise it is looked for once more.

    Raises:
        EngineError: when the engine cannot be reached, or keeps something.
    """
    removed: dict[str, str] = {}
    deadline = time.monotonic() + _PATIENCE_S
    quiet = 0
    while True:
        found = _remove_once(label, host)
        removed |= found
        quiet = 0 if found else quiet + 1
        if quiet > (0 if settled else 1):
            return [f"removed {kind} {name[:12] if kind != 'volume' else name}" for name, kind in removed.items()]
        if time.monotonic() > deadline:
            raise EngineError(
                f"The engine keeps {' and '.join(sorted(set(found.values())))}s that should be gone.",
                hint=f"See them: docker ps --all --filter label={label}",
            )
        if not settled or quiet == 0:
            time.sleep(_SETTLE_S if quiet or not settled else 0.0)


def listed(kind: str, label: str, *, host: str | None = None) -> list[str]:
    """Ids of the containers, networks or volumes (`kind`) with `label`."""
    return engine.ask([*_LISTS[kind], "--filter", f"label={label}"], host=host).split()


def _remove_once(label: str, host: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, removal in _REMOVALS.items():
        if names := listed(kind, label, host=host):
            # One that goes by itself meanwhile makes the command fail, and is not there when it is looked for again.
            engine.call([*removal, *names], timeout_s=_PATIENCE_S, host=host)
            found |= dict.fromkeys(names, kind)
    return found
