"""Gradle's scripts: programs that are not run. What they say in plain words is looked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
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
#: `project(":carts").projectDir = file("services/carts")`, and other ways to name that folder.
_ROOT = r"(?:settingsDir|settings\.dir|rootDir|rootProject\.projectDir)"
_MOVED = re.compile(
    r"\bproject\s{0,9}+\(\s{0,9}+[\"'](?P<path>[\w.:-]{1,200}+)[\"']\s{0,9}+\)\s{0,9}+"
    r"(?:(?:\.\s{0,9}+apply\s{0,9}+)?\{[^{}]{0,200}?\b|\.\s{0,9}+)projectDir\s{0,9}+=\s{0,9}+"
    rf"(?:{_ROOT}\.resolve\(\s{{0,9}}+|(?:new\s{{1,9}}+)?[fF]ile\s{{0,9}}+\(\s{{0,9}}+(?:{_ROOT}\s{{0,9}}+,\s{{0,9}}+)?)"
    rf"[\"'](?:\$\{{?{_ROOT}\}}?/)?(?P<folder>[\w./-]{{1,200}}+)[\"']",
    re.ASCII,
)
_FOLDER = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_][\w.-]*){0,5}", re.ASCII)
#: `apply from: "$rootDir/gradle/jvm.gradle"`: where it lies, and what stands behind it.
_APPLIED = re.compile(
    r"\bapply\s{0,9}+\(?\s{0,9}+from\s{0,9}+[:=]\s{0,9}+(?P<root>rootProject\.)?(?:(?:project\.)?file\(\s{0,9}+)?"
    r"[\"'](?P<place>\$\{?[\w.]{1,40}+\}?/)?(?P<path>[\w./ -]{1,200}+)[\"']",
    re.ASCII,
)
_PLUGIN = re.compile(r"[\"'`]([A-Za-z][\w.-]{2,100}+)[\"'`]", re.ASCII)
#: `apply plugin: ServicePlugin`, `apply<ServicePlugin>()`: a class of the build's own.
_PLUGIN_CLASS = re.compile(r"\bapply\s{0,9}+(?:\(?\s{0,9}+plugin\s{0,9}+[:=]\s{0,9}+|<)([A-Z]\w{0,100}+)", re.ASCII)
#: `rootProject.children.each { it.name = "shop-${it.name}" }`
_RENAMED = re.compile(
    r"\bchildren\b[^\n;]{0,40}\{[^{}]{0,100}?\bname\s{0,9}+=\s{0,9}+[\"']([A-Za-z0-9][\w.-]{0,40}+)\$\{?\w{1,40}+\.name\}?[\"']",
    re.ASCII,
)
_BUILD = re.compile(r"\bincludeBuild\s{0,9}+\(?\s{0,9}+[\"']([\w./-]{1,100}+)[\"']", re.ASCII)
_PRECOMPILED = ("src/main/kotlin", "src/main/groovy", "src/main/java")
_CLASSES = {".groovy", ".kt", ".java"}
_MOST_APPLIED = 30
_MOST_LETTERS = 1 << 20
#: `implementation(project(":common"))`, `api projects.common`; what stands before it on its line says what for.
_NEEDED = re.compile(
    r"\b(?:project\s{0,9}+\(\s{0,9}+(?:path\s{0,9}+[:=]\s{0,9}+)?"
    r"(?:[\"'](?P<path>[\w:.-]{1,200})[\"']|(?P<hidden>[^)\n]{1,200}))|(?<!\.)projects\.(?P<name>[\w.]{1,200}))",
    re.ASCII,
)
_MOST_NEEDED = 1_000
_NOT_APPLIED = re.compile(r"\bapply[ \t(]{1,9}+false\b")
_STATEMENT = re.compile(r"[;{]")
_LIBRARY = re.compile(r"[\"'][\w.-]{1,100}+:([\w.-]{1,100}+)[:\"'@]", re.ASCII)
_LETTERS = re.compile(r"[^a-z0-9]+")


def script_in(folder: Path, names: tuple[str, ...] = SCRIPTS) -> str:
    """The first script of these `names` in a folder that says anything, without its comments; "" where none does."""
    return _read(next((folder / name for name in names if files.text(folder / name)), None))


def applied(directory: Path, folder: Path, script: str, conventions: Mapping[str, Path]) -> str:
    """Scripts that the one of a project applies, by their paths or as plugins of the build's own; and what these apply.

    Args:
        directory: where the build's settings lie.
        folder: of the project.
        script: its own.
        conventions: as `conventions` finds them.
    """
    found: dict[Path, str] = {}
    todo = [script]
    while todo:
        text = todo.pop()
        plugins = (each[1] for pattern in (_PLUGIN, _PLUGIN_CLASS) for each in pattern.finditer(text))
        named = (conventions[each] for each in plugins if each in conventions)
        for path in (*_paths(directory, folder, text), *named):
            if path not in found and len(found) < _MOST_APPLIED and sum(map(len, found.values())) < _MOST_LETTERS:
                found[path] = _read(path)
                todo.append(found[path])
    return "\n".join(found.values())


def _paths(directory: Path, folder: Path, script: str) -> Iterator[Path]:
    for match in islice(_APPLIED.finditer(script), _MOST_APPLIED):
        whole = match["root"] or "root" in (match["place"] or "").lower()
        if path := _within(directory, (directory if whole else folder) / match["path"]):
            yield path


def conventions(directory: Path, settings: str) -> dict[str, Path]:
    """Plugins that a build itself holds, in `buildSrc` and in builds that it includes.

    Scripts are known by their ids, classes by their names.
    """
    found: dict[str, Path] = {}
    for build in ("buildSrc", *(match[1] for match in islice(_BUILD.finditer(settings), _MOST_APPLIED))):
        place = _within(directory, directory / build)
        for part in (place, *_folders(place)) if place else ():
            for path in (each for name in _PRECOMPILED for each in _entries(part / name)):
                name = path.name.removesuffix(".kts")
                if path.suffix in _CLASSES:
                    found.setdefault(path.stem, path)
                elif name.endswith(".gradle"):
                    found.setdefault(name.removesuffix(".gradle"), path)
    return found


def _within(directory: Path, place: Path) -> Path | None:
    """The place in plain words; None where it lies outside of the directory."""
    found = Path(os.path.normpath(place.absolute()))
    return found if found.is_relative_to(os.path.normpath(directory.absolute())) else None


def _folders(place: Path) -> list[Path]:
    return [path for path in _entries(place) if path.is_dir() and not path.is_symlink()]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(islice(folder.iterdir(), _MOST_PROJECTS))
    except OSError:
        return []


def _read(path: Path | None) -> str:
    text = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", files.text(path)) if path else ""
    # A plugin that is named so that others, or libraries, know its version.
    return "\n".join(line for line in text.split("\n") if not _NOT_APPLIED.search(line))


def renamed(settings: str) -> str:
    """What a script of settings puts before the names of all projects that it includes; "" where it leaves them."""
    found = _RENAMED.search(settings)
    return found[1] if found else ""


def without_tests(script: str) -> str:
    """A script without the lines that speak of tests, such as `testImplementation(libs.postgresql)`."""
    return "\n".join(line for line in script.split("\n") if "test" not in line.lower())


def libraries_in(script: str) -> list[str]:
    """Names of the libraries that a script needs for more than tests, without those of their groups."""
    return _LIBRARY.findall(without_tests(script))


def needed(script: str, known: Mapping[str, str], *, prefix: str) -> list[str]:
    """Which of the `known` folders of projects a script needs for more than tests; all where it hides which.

    Args:
        script: all that holds for a project.
        known: projects that the settings include, see `included`.
        prefix: as `renamed` finds it.
    """
    by_letters = {_letters(prefix + path): folder for folder, path in known.items()}
    found: dict[str, None] = {}
    for match in islice(_NEEDED.finditer(script), _MOST_NEEDED):
        line = script[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
        if "test" in _STATEMENT.split(line)[-1].lower():
            continue
        if match["hidden"]:
            return list(known)
        words = _letters(match["path"] or match["name"])
        if words in by_letters:
            found[by_letters[words]] = None
    return list(found)


def _letters(name: str) -> str:
    return _LETTERS.sub("", name.lower())


def included(settings: str) -> dict[str, str]:
    """Folders of the projects that a script of settings includes, at most 100, with the paths that it gives them.

    A project that lies outside of the build's folder is left out.
    """
    moved = {
        match["path"].removeprefix(":"): os.path.normpath(match["folder"])
        for match in islice(_MOVED.finditer(settings), _MOST_PROJECTS)
    }
    found = {moved.get(path, path.replace(":", "/")): path for path in islice(_included(settings), _MOST_PROJECTS)}
    return {folder: path for folder, path in found.items() if _FOLDER.fullmatch(folder)}


def _included(settings: str) -> Iterator[str]:
    for match in _INCLUDE.finditer(settings):
        at = match.end()
        while found := _INCLUDED.match(settings, at):
            if path := _PROJECT_PATH.fullmatch(found[1]):
                yield path[1]
            if not found[2]:
                break
            at = found.end()
