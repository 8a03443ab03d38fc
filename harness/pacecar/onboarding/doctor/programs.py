"""The programs a comparison starts, and those that other commands can use."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.model.check import Check
from pacecar.system import paths
from pacecar.system.resources import Resources

_OLDEST_JAVA = 17
_PATIENCE_S = 20.0
_MOST_OUTPUT = 65_536
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_INSTALL_JDK = "apt-get install openjdk-17-jdk-headless"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program that says its version in the first line of its answer.

    Attributes:
        name: what the check is called.
        command: how its version is asked for.
        remedy: how to get it.
        required: see `Check`.
    """

    name: str
    command: tuple[str, ...]
    remedy: str
    required: bool = False


_PROGRAMS = (
    Program(name="git", command=("git", "--version"), remedy="apt-get install git", required=True),
    Program(name="go", command=("go", "version"), remedy="only for make lint: apt-get install golang-go"),
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def checks(resources: Resources) -> tuple[Check, ...]:
    """All programs; each is asked for its version."""
    return (
        _python(),
        _java(resources),
        _java_home(),
        _compiler(),
        _maven(resources),
        *(_program(program, resources) for program in _PROGRAMS),
        _browser(),
    )


def java_major(answer: str) -> int | None:
    """17 of `openjdk version "17.0.15"`, 8 of `"1.8.0_392"`; None when `answer` names no version."""
    match = re.search(r'(?:version "|Java version: )(\d{1,4})(?:\.(\d{1,4}))?', answer)
    if match is None:
        return None
    major = int(match[1])
    return int(match[2]) if major == 1 and match[2] else major


def _python() -> Check:
    return Check(name="python", ok=True, found=f"{platform.python_implementation()} {platform.python_version()}")


def _java(resources: Resources) -> Check:
    remedy = f"{_INSTALL_JDK}, and point JAVA_HOME to it"
    answer = _answer((str(paths.java()), "-version"), resources)
    if answer is None:
        return Check(name="java", ok=False, found=f"{paths.java()} cannot be run", remedy=remedy)
    new_enough = (java_major(answer) or 0) >= _OLDEST_JAVA
    found = f"{_first_line(answer)} ({paths.java()})"
    return Check(name="java", ok=new_enough, found=found, remedy=None if new_enough else remedy)


def _java_home() -> Check:
    home, on_path = os.environ.get("JAVA_HOME", ""), shutil.which("java")
    if not home:
        return Check(name="JAVA_HOME", ok=True, found="not set; the java on the PATH is used", required=False)
    own = Path(home, "bin", "java")
    if not os.access(own, os.X_OK):
        remedy = "unset JAVA_HOME, or point it to a JDK"
        return Check(name="JAVA_HOME", ok=False, found=f"{home}, which holds no bin/java", remedy=remedy)
    same = on_path is None or os.path.realpath(on_path) == os.path.realpath(own)
    found = home if same else f"{home}, but the java on the PATH is {os.path.realpath(on_path or '')}"
    one_java = f'services run with JAVA_HOME; to use only one Java: export PATH="{home}/bin:$PATH"'
    return Check(name="JAVA_HOME", ok=same, found=found, remedy=None if same else one_java, required=False)


def _compiler() -> Check:
    javac = Path(os.path.realpath(paths.java())).with_name("javac")
    if os.access(javac, os.X_OK):
        return Check(name="javac", ok=True, found=str(javac))
    remedy = f"a JRE cannot compile: {_INSTALL_JDK}"
    return Check(name="javac", ok=False, found=f"none beside {paths.java()}", remedy=remedy)


def _maven(resources: Resources) -> Check:
    remedy = "it fetches Gatling and builds the sample: apt-get install maven"
    answer = _answer(("mvn", "-version"), resources)
    if answer is None:
        return Check(name="mvn", ok=False, found="not found", remedy=remedy)
    major = java_major(answer)
    if major is None or major < _OLDEST_JAVA:
        remedy = f"Maven runs with Java {major}; export JAVA_HOME=<a JDK of {_OLDEST_JAVA} or newer>"
        return Check(name="mvn", ok=False, found=_first_line(answer), remedy=remedy)
    return Check(name="mvn", ok=True, found=f"{_first_line(answer)}, with Java {major}")


def _program(program: Program, resources: Resources) -> Check:
    answer = _answer(program.command, resources)
    if answer is None:
        return Check(name=program.name, ok=False, found="not found", remedy=program.remedy, required=program.required)
    return Check(name=program.name, ok=True, found=_first_line(answer), required=program.required)


def _browser() -> Check:
    found = next((path for path in map(shutil.which, _BROWSERS) if path), None)
    remedy = None if found else "only for the browser tests: apt-get install chromium"
    return Check(name="chromium", ok=found is not None, found=found or "not found", remedy=remedy, required=False)


def _answer(command: Sequence[str], resources: Resources) -> str | None:
    """What `command` prints; None when it does not exist, fails, or takes too long."""
    if shutil.which(command[0]) is None:
        return None
    log = resources.folder("doctor") / "output.log"
    try:
        status, _ = resources.run(command, name=command[0], log=log, timeout_s=_PATIENCE_S)
    except UsageError:
        return None
    with log.open("rb") as file:
        text = file.read(_MOST_OUTPUT).decode("utf-8", "replace")
    return _COLOUR.sub("", text) if status == 0 else None


def _first_line(answer: str) -> str:
    lines = [line.strip() for line in answer.splitlines() if line.strip() and not line.startswith("Picked up ")]
    return "".join(letter for letter in lines[0] if letter.isprintable())[:100] if lines else "no answer"
