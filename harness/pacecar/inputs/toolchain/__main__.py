"""`make lock`: write `jars.lock` anew from what Maven resolves today."""

from __future__ import annotations

from pathlib import Path

from pacecar.inputs.toolchain import lock
from pacecar.inputs.toolchain.agents import made_agents
from pacecar.inputs.toolchain.classpath import made_kit
from pacecar.system.resources import Resources


def main() -> None:
    """Resolve everything without holding it against the old lock, and write the new one."""
    with Resources() as resources:
        logs: Path = resources.folder("logs")
        folders = {lock.GATLING: made_kit(resources=resources, log_dir=logs).folder}
        folders |= {name: made.folder for name, made in made_agents(resources=resources, log_dir=logs).items()}
        lock.write({name: dict(lock.held(folders[name])) for name in lock.PRODUCTS})


if __name__ == "__main__":
    main()
