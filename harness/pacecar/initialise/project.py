"""What a project is, as far as its files tell."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar.initialise import files
from pacecar.initialise.endpoints import GuessedEndpoint, guessed_endpoints
from pacecar.initialise.packages import own_packages
from pacecar.initialise.pom import Pom, UnreadablePom, read_pom

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_FILE = re.compile(r"[A-Za-z0-9_.*-]{1,80}")
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,4}")
_JAVA_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_GRADLE_NAME = re.compile(r"rootProject\.name\s*=\s*[\"']([^\"'\n]{1,100})[\"']")
_SETTINGS = ("application.properties", "application.yml", "application.yaml")
_MOST_MODULES = 100
_LONGEST_MODULE = 80


@dataclass(frozen=True, kw_only=True)
class Project:
    """What could be found out.

    Attributes:
        name: short name.
        build_tool: "Maven", "Gradle", or "" when neither was recognised.
        build_command: how the jar is built; empty without a build tool.
        artifact: the built jar, or one that lies there already; "" when there is none.
        spring_boot: it is a Spring Boot application.
        actuator: it has health pages.
        probes: its settings turn the readiness page on.
        prometheus: it can show a Prometheus page.
        exposed: its settings mention that page.
        application: package prefixes of its own code.
        endpoints: guessed from annotations.
        versioned: it lies in a git repository.
        remarks: what went wrong or was chosen while looking.
    """

    name: str
    build_tool: str = ""
    build_command: tuple[str, ...] = ()
    artifact: str = ""
    spring_boot: bool = False
    actuator: bool = False
    probes: bool = False
    prometheus: bool = False
    exposed: bool = False
    application: tuple[str, ...] = ()
    endpoints: tuple[GuessedEndpoint, ...] = ()
    versioned: bool = False
    remarks: tuple[str, ...] = ()


def examine(directory: Path) -> Project:
    """The project in `directory`. Whatever its files hold, something comes out."""
    place = directory.absolute()
    versioned = any((folder / ".git").exists() for folder in (place, *place.parents))
    return replace(_by_build_tool(directory), versioned=versioned)


def _by_build_tool(directory: Path) -> Project:
    nothing = Project(name=_short(directory.absolute().name))
    if (directory / "pom.xml").exists():
        try:
            return _maven(directory, read_pom(directory / "pom.xml"))
        except UnreadablePom as problem:
            return replace(nothing, remarks=(f"pom.xml was not used: {problem}",))
    for name in ("build.gradle.kts", "build.gradle"):
        if (directory / name).exists():
            return _gradle(directory, files.text(directory / name))
    return replace(nothing, artifact=_existing_jar(directory))


def _maven(directory: Path, pom: Pom) -> Project:
    module, chosen = ".", pom
    remarks: tuple[str, ...] = ()
    if pom.packaging == "pom":
        module, chosen, remarks = _deployable_module(directory, pom)
    wrapper = "./mvnw" if os.access(directory / "mvnw", os.X_OK) else "mvn"
    only = () if module == "." else ("-pl", module, "-am")
    jar = chosen.jar if _FILE.fullmatch(chosen.jar) and chosen.jar.count("*") <= 1 else "*"
    return _with_sources(
        Project(
            name=_short(chosen.artifact or directory.absolute().name),
            build_tool="Maven",
            build_command=(wrapper, "-q", "-B", "-DskipTests", *only, "package"),
            artifact=f"{'' if module == '.' else module + '/'}target/{jar}.jar",
            spring_boot="spring-boot-maven-plugin" in pom.plugins | chosen.plugins,
            actuator="spring-boot-starter-actuator" in pom.dependencies | chosen.dependencies,
            prometheus="micrometer-registry-prometheus" in pom.dependencies | chosen.dependencies,
            application=(chosen.group,) if _JAVA_NAME.fullmatch(chosen.group) else (),
            remarks=remarks,
        ),
        directory / module,
    )


def _deployable_module(directory: Path, pom: Pom) -> tuple[str, Pom, tuple[str, ...]]:
    """The module that is packed as a Spring Boot application, else the last one: it may need all the others."""
    last = (".", pom)
    for name in pom.modules[:_MOST_MODULES]:
        if len(name) > _LONGEST_MODULE or not _MODULE.fullmatch(name):
            continue
        try:
            module = read_pom(directory / name / "pom.xml")
        except UnreadablePom:
            continue
        last = (name, module)
        if "spring-boot-maven-plugin" in module.plugins:
            break
    return (*last, (f"of the modules, {last[0]} was taken for the service",) if last[0] != "." else ())


def _gradle(directory: Path, script: str) -> Project:
    settings = files.text(directory / "settings.gradle.kts") or files.text(directory / "settings.gradle")
    named = _GRADLE_NAME.search(settings)
    spring_boot = "org.springframework.boot" in script
    wrapper = "./gradlew" if os.access(directory / "gradlew", os.X_OK) else "gradle"
    return _with_sources(
        Project(
            name=_short(named[1] if named else directory.absolute().name),
            build_tool="Gradle",
            # No daemon: it would outlive the build and be measured with the service.
            build_command=(wrapper, "-q", "--no-daemon", "bootJar" if spring_boot else "assemble"),
            artifact="build/libs/*.jar",
            spring_boot=spring_boot,
            actuator="spring-boot-starter-actuator" in script,
            prometheus="micrometer-registry-prometheus" in script,
        ),
        directory,
    )


def _with_sources(project: Project, module: Path) -> Project:
    settings = "\n".join(files.text(module / "src" / "main" / "resources" / name) for name in _SETTINGS)
    return replace(
        project,
        probes="probes" in settings,
        exposed="prometheus" in settings or 'include: "*"' in settings or "include=*" in settings,
        application=own_packages(module) or project.application,
        endpoints=guessed_endpoints(module),
    )


def _existing_jar(directory: Path) -> str:
    for folder in ("", "target", "build/libs"):
        for jar in sorted((directory / folder).glob("*.jar")):
            if jar.is_file() and jar.name.isprintable() and len(jar.name) < 150:
                return jar.relative_to(directory).as_posix()
    return ""


def _short(name: str) -> str:
    return _NAME.sub("-", name).strip("._-")[:40].strip("._-") or "service"
