"""Gatling's class path with the simulation of a scenario: Pacecar's own, one from a Maven module, one from a jar."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from pacecar.inputs.toolchain import lock
from pacecar.inputs.toolchain.maven import DEPENDENCY_PLUGIN, Maven, ToolchainError
from pacecar.inputs.toolchain.store import Product, copy, digest, entries, product
from pacecar.model.scenario import Scenario
from pacecar.system import paths
from pacecar.system.resources import Resources

#: What the kit needs to run, without what tests it.
_KIT_SCOPE = "compile"
#: `group:artifact:jar:version:scope`, or with a classifier before the version.
_LISTED = re.compile(r"^\s+([\w.-]+):([\w.-]+):jar:(?:([\w.-]+):)?([\w.-]+):(?:compile|runtime)\b", re.MULTILINE)


def gatling_classpath(scenario: Scenario, *, resources: Resources, log_dir: Path) -> tuple[Path, ...]:
    """Everything Gatling needs to run the scenario's simulation.

    Args:
        scenario: whose `module` or `jar`, if any, holds the simulation.
        resources: Maven runs in it.
        log_dir: for Maven's output.

    Returns:
        Folders and jars in the order of the class path; all but a user's jar lie in the cache.

    Raises:
        ToolchainError: when the jar or the module does not exist, or Maven cannot build or resolve it.
    """
    maven = Maven(resources=resources, log_dir=log_dir, inherit=scenario.inherit)
    if scenario.module is not None:
        return _module(scenario.module.resolve(), maven)
    kit = _kit(maven)
    if scenario.jar is None:
        return kit
    if not scenario.jar.is_file():
        raise ToolchainError(
            f"The scenario's jar {scenario.jar} does not exist.", hint="Build it first, or correct `jar` in [scenario]."
        )
    return (scenario.jar.resolve(), *kit)


def made_kit(*, resources: Resources, log_dir: Path) -> Product:
    """Gatling with Pacecar's simulation as Maven resolves it, whatever the lock says. Raises ToolchainError."""
    return _made_kit(Maven(resources=resources, log_dir=log_dir), held=False)


def kit_coordinates(*, resources: Resources, log_dir: Path) -> dict[str, str]:
    """Name of each jar that the kit depends on -> `group:artifact:version[:classifier]`. Raises ToolchainError."""
    build = _copy_of(paths.brought("scenarios"), resources)
    output = build / "dependencies.txt"
    listing = (f"{DEPENDENCY_PLUGIN}:list", f"-DincludeScope={_KIT_SCOPE}", f"-DoutputFile={output}")
    Maven(resources=resources, log_dir=log_dir).run(*listing, job="scenarios-list", cwd=build)
    found = {}
    for group, artifact, classifier, version in _LISTED.findall(output.read_text()):
        behind = f"-{classifier}" if classifier else ""
        found[f"{artifact}-{version}{behind}.jar"] = ":".join(filter(None, (group, artifact, version, classifier)))
    return found


def _kit(maven: Maven) -> tuple[Path, ...]:
    made = _made_kit(maven, held=True)
    lock.check(made.folder, lock.GATLING)
    return entries(made.folder)


def _made_kit(maven: Maven, *, held: bool) -> Product:
    source = paths.brought("scenarios")
    origins: list[Path] = []

    def make(folder: Path) -> None:
        build = _copy_of(source, maven.resources)
        maven.run("-Dmaven.test.skip=true", "package", *_listing(build, scope=_KIT_SCOPE), job="scenarios", cwd=build)
        kit = next((build / "target").glob("pacecar-scenarios-*.jar"))
        origins.extend(_listed(build))
        _collect([kit, *origins], folder)

    def check(folder: Path) -> None:
        lock.check(folder, lock.GATLING, origins=origins)

    return product(
        lock.GATLING, key=_kit_key(source), make=make, resources=maven.resources, check=check if held else None
    )


def _module(module: Path, maven: Maven) -> tuple[Path, ...]:
    if not (module / "pom.xml").is_file():
        raise ToolchainError(
            f"The scenario's module {module} holds no pom.xml.", hint="Correct `module` in [scenario]."
        )
    kit = paths.brought("scenarios")
    origins: list[Path] = []

    def make(folder: Path) -> None:
        # The module may depend on the kit, which lies in no public repository.
        build = _copy_of(kit, maven.resources)
        maven.run("-Dmaven.test.skip=true", "install", job="scenarios-install", cwd=build)
        # In place, not in a copy: the module may have a parent or a neighbour it refers to by path. Test scope,
        # because simulations customarily are a module's test classes.
        listing = maven.resources.folder("classpath")
        maven.run("test-compile", *_listing(listing, scope="test"), job="scenario-module", cwd=module)
        classes = [module / "target" / name for name in ("test-classes", "classes")]
        origins.extend(_listed(listing))
        _collect([*(path for path in classes if path.is_dir()), *origins], folder)

    def check(folder: Path) -> None:
        lock.check(folder, None, origins=origins)

    sources = [module / "pom.xml", module / "src", *_parent_poms(module)]
    key = digest([path for path in sources if path.exists()], _kit_key(kit))
    made = product(f"module-{module.name}", key=key, make=make, resources=maven.resources, check=check)
    lock.check(made.folder, None)
    return entries(made.folder)


def _kit_key(source: Path) -> str:
    return digest([source / "pom.xml", source / "src" / "main"], *_listing(Path(), scope=_KIT_SCOPE))


def _parent_poms(module: Path) -> list[Path]:
    poms = []
    for folder in module.parents:
        if not (folder / "pom.xml").is_file():
            break
        poms.append(folder / "pom.xml")
    return poms


def _copy_of(source: Path, resources: Resources) -> Path:
    copy = resources.folder("maven", place=paths.copies())
    shutil.copy2(source / "pom.xml", copy)
    shutil.copytree(source / "src" / "main", copy / "src" / "main")
    return copy


def _listing(folder: Path, *, scope: str) -> tuple[str, ...]:
    output = folder / "classpath.txt"
    return (f"{DEPENDENCY_PLUGIN}:build-classpath", f"-DincludeScope={scope}", f"-Dmdep.outputFile={output}")


def _listed(folder: Path) -> list[Path]:
    text = (folder / "classpath.txt").read_text().strip()
    return [Path(entry) for entry in text.split(os.pathsep) if entry]


def _collect(entries: list[Path], folder: Path) -> None:
    # Numbered: the order of a class path matters, and two groups may have jars of the same name.
    for number, entry in enumerate(entries):
        target = folder / f"{number:03d}-{entry.name}"
        if entry.is_dir():
            shutil.copytree(entry, target)
        else:
            copy(entry, target)
