"""`make lock`: write `jars.lock` anew from what Maven resolves today."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pacecar.inputs.toolchain import lock
from pacecar.inputs.toolchain.agents import agent_coordinates, made_agents
from pacecar.inputs.toolchain.classpath import kit_coordinates, made_kit
from pacecar.system.resources import Resources


def main() -> None:
    """Resolve everything without holding it against the old lock, and write the new one."""
    with Resources() as resources:
        logs: Path = resources.folder("logs")
        folders = {lock.GATLING: made_kit(resources=resources, log_dir=logs).folder}
        folders |= {name: made.folder for name, made in made_agents(resources=resources, log_dir=logs).items()}
        known = kit_coordinates(resources=resources, log_dir=logs) | agent_coordinates()
        lock.write({name: _locked(folders[name], known) for name in lock.PRODUCTS})


def _locked(folder: Path, known: Mapping[str, str]) -> dict[str, lock.Locked]:
    return {name: lock.Locked(sha256=sha256, coordinates=known[name]) for name, sha256 in lock.held(folder)}


if __name__ == "__main__":
    main()
