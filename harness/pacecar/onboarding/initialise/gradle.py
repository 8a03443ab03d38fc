"""Gradle projects, of one project or of many. Their scripts are programs: only words in them are looked for."""

from __future__ import annotations

import re
from pathlib import Path

from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.gradle_scripts import SETTINGS, included, script_in
from pacecar.onboarding.initialise.project import Packing, Project, described, short, wrapper
from pacecar.onboarding.initialise.settings import read_settings

_NAME = re.compile(r"rootProject\.name\s*=\s*[\"']([^\"'\n]{1,100})[\"']")
_WORD = re.compile(r"[A-Za-z][\w.-]{2,80}", re.ASCII)
_MAIN = re.compile(r"\bmainClass(?:Name)?\b(?:\.set\(|\s*=)\s*[\"']([A-Za-z_][\w.]{1,200})[\"']", re.ASCII)
_APPLICATION = re.compile(r"[\"'(\s]application[\"')\s]")
_SHADOW = ("com.github.johnrengelman.shadow", "com.gradleup.shadow")


def gradle_project(directory: Path, *, module: str | None = None) -> Project:
    """The project of the scripts in `directory`; of several that run, `module`, or the one with most to ask.

    Args:
        directory: where the settings lie.
        module: folder of the project to take; None to choose.
    """
    settings = script_in(directory, SETTINGS)
    whole = script_in(directory)
    # A convention in the main script holds for all projects.
    scripts = {name: f"{whole}\n{script_in(directory / name)}" for name in included(settings)}
    running = [name for name, script in scripts.items() if _runs(script_in(directory / name))]
    remarks: tuple[str, ...] = ()
    if module in scripts:
        chosen = module
    elif running:
        chosen = max(running, key=lambda name: len(guessed_endpoints(directory / name).found))
        others = ", ".join(name for name in running if name != chosen)
        told = f"; for another: --module, as {others}" if others else ""
        remarks = (f"of the projects, {chosen} was chosen as the service{told}",)
    else:
        chosen = ""
    named = _NAME.search(settings)
    name = chosen.rpartition("/")[2] or (named[1] if named else directory.absolute().name)
    packing = _packing(directory, project=chosen, name=name, script=scripts.get(chosen, whole), remarks=remarks)
    return described(name, packing=packing, directory=directory, folder=chosen)


def _packing(directory: Path, *, project: str, name: str, script: str, remarks: tuple[str, ...]) -> Packing:
    words = frozenset(word.strip(".-") for word in _WORD.findall(script))
    task, artifact, program = _artifact(directory / project, name=name, script=script, words=words)
    prefix = f":{project.replace('/', ':')}:" if project else ""
    if artifact == _ANY_JAR and task == "assemble":
        remarks = (*remarks, "that the jar of `assemble` holds all it needs to run")
    return Packing(
        tool="Gradle",
        # No daemon: it would outlive the build and be measured with the service.
        command=(wrapper(directory, "gradlew", "gradle"), "-q", "--no-daemon", f"{prefix}{task}"),
        artifact=f"{project}/{artifact}" if project else artifact,
        program=program,
        words=words,
        remarks=remarks,
    )


_ANY_JAR = "build/libs/*.jar"
_JAR = ("-jar", "{artifact}")


def _artifact(module: Path, *, name: str, script: str, words: frozenset[str]) -> tuple[str, str, tuple[str, ...]]:
    """The task that makes what runs, what it leaves, and how that is run."""
    if "org.springframework.boot" in words:
        return "bootJar", _ANY_JAR, _JAR
    if "io.quarkus" in words:
        if read_settings(module).get("quarkus.package.jar.type", "quarkus.package.type") == "uber-jar":
            return "quarkusBuild", "build/*-runner.jar", _JAR
        return "quarkusBuild", "build/quarkus-app", ("-jar", "{artifact}/quarkus-run.jar")
    if words.intersection(_SHADOW):
        return "shadowJar", "build/libs/*-all.jar", _JAR
    main = _MAIN.search(script)
    if main and (_APPLICATION.search(script) or "io.micronaut.application" in words):
        # The folder that installDist makes bears the project's name.
        folder = name if short(name) == name else "*"
        return "installDist", f"build/install/{folder}", ("-cp", "{artifact}/lib/*", main[1])
    return "assemble", _ANY_JAR, _JAR


def _runs(script: str) -> bool:
    marks = ("org.springframework.boot", "io.quarkus", "io.micronaut.application", *_SHADOW)
    return any(mark in script for mark in marks) or _APPLICATION.search(script) is not None
