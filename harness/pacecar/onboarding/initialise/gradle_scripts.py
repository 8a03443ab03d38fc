"""Gradle's scripts: programs that are not run. What they say in plain words is looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files

SCRIPTS = ("build.gradle.kts", "build.gradle")
SETTINGS = ("settings.gradle.kts", "settings.gradle")
# A string comes first, as it may hold what else begins a comment: `'**/*.class'`, `"https://…"`. Closed or not, it ends
# with its line, and a block of text with the script.
_STRING_OR_COMMENT = re.compile(
    r"("
    r'"""(?:[^"]++|"(?!""))*+(?:"{3,5}+|\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}+|\Z)"
    r'|"(?:[^"\\\n$]++|\\[^\n]|\$(?:\{[^{}\n]{0,200}+\})?)*+"?'
    r"|'(?:[^'\\\n]++|\\[^\n])*+'?"
    r")|//[^\n]*+|/\*.*?(?:\*/|\Z)",
    re.DOTALL,
)
_INCLUDE = re.compile(r"(?<![\w.\"'])(?:settings\.)?include\b[\s(]{0,100}+")
_INCLUDED = re.compile(r"\s*+[\"']([^\"'\n]{1,200}+)[\"']\s*+(,?)")
_PROJECT_PATH = re.compile(r":?([A-Za-z0-9_][\w.-]*(?::[A-Za-z0-9_][\w.-]*){0,4})", re.ASCII)
_MOST_PROJECTS = 100


def script_in(folder: Path, names: tuple[str, ...] = SCRIPTS) -> str:
    """The first script of these `names` in a folder that says anything, without its comments; "" where none does."""
    found = next((text for name in names if (text := files.text(folder / name))), "")
    return _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", found)


def included(settings: str) -> list[str]:
    """Folders of the projects that a script of settings includes, at most 100."""
    return [path.replace(":", "/") for path in islice(_included(settings), _MOST_PROJECTS)]


def _included(settings: str) -> Iterator[str]:
    for match in _INCLUDE.finditer(settings):
        at = match.end()
        while found := _INCLUDED.match(settings, at):
            if path := _PROJECT_PATH.fullmatch(found[1]):
                yield path[1]
            if not found[2]:
                break
            at = found.end()
