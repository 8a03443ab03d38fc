"""Databases in a file: two forks are up at once, so each gets one in a scratch folder of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.source_text import without_comments

#: `jdbc:h2:file:./data/shop;MODE=MySQL`: driver, whether it says that a file is meant, the file, options.
_URL = re.compile(
    r"(?P<driver>r2dbc:h2:|jdbc:(?:(?:pool|p6spy|log4jdbc|otel|aws-wrapper):)?(?P<kind>h2|hsqldb|derby|sqlite):)"
    r"(?:directory:)?(?P<file>file:(?:///)?)?(?P<path>[^;?\s]{1,300}+)(?P<options>[;?][^\n]{0,500})?",
    re.ASCII,
)
#: What is no file: a scheme such as `mem:` and `tcp:`, SQLite's `:memory:`, a server of Derby's.
_NO_FILE = re.compile(r"\w{2,20}:|:|//", re.ASCII)
_IN_MEMORY = re.compile(r"[?&]mode=memory\b")
#: Options that may be written down elsewhere: no secrets, and nothing that Pacecar or a shell would fill in.
_OPTIONS = re.compile(r"[\w=;,.&?:'\"/\\ ()*@-]*", re.ASCII)
_SECRET = re.compile(r"passw|passphrase|pwd|secret|cipher|crypt|(?<![a-z_])key=", re.IGNORECASE)
_NAME = re.compile(r"[^/\\]{1,300}\Z")
_SAFE_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,60}", re.ASCII)
_OTHERWISE = "database"
#: A file of the project that may be copied; not what a build makes, and may delete.
_IN_PROJECT = re.compile(
    r"(?:\./)?((?!target/|build/)[A-Za-z0-9_][\w.-]{0,60}(?:/[A-Za-z0-9_][\w.-]{0,60}){0,6})", re.ASCII
)
#: What a database makes of the name in its URL.
_ENDINGS = {
    "h2": (".mv.db", ".h2.db"),
    "hsqldb": (".properties", ".script", ".data", ".lobs"),
    "derby": ("",),
    "sqlite": ("",),
}
_IN_A_STRING = re.compile(r"\"((?:jdbc|r2dbc):(?:h2|hsqldb|derby|sqlite|p6spy|otel):[^\"\n]{1,400})\"")
_LONGEST_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class FileDatabase:
    """A database that lies in a file.

    Attributes:
        kind: "h2", "hsqldb", "derby", "sqlite".
        driver: what its URL begins with.
        path: of the file, as the URL names it.
        options: what follows in the URL.
    """

    kind: str
    driver: str
    path: str
    options: str

    @property
    def shown(self) -> str:
        """Its URL without the options, which may hold a password."""
        return f"{self.driver}{self.path}"[:_LONGEST_SHOWN]

    @property
    def url(self) -> str | None:
        """The URL of the same in the scratch folder of a fork; None where its options should not be written down."""
        if _SECRET.search(self.options) or not _OPTIONS.fullmatch(self.options):
            return None
        return f"{self.driver}{{fork}}/{self._name}{self.options}"

    @property
    def _name(self) -> str:
        last = _NAME.search(self.path)
        return last[0] if last and _SAFE_NAME.fullmatch(last[0]) else _OTHERWISE

    def copies(self, folder: Path) -> Iterator[tuple[str, ...]]:
        """Commands that copy what lies in a `folder` of the project, so that each fork begins with the same data."""
        within = _IN_PROJECT.fullmatch(self.path)
        for ending in _ENDINGS[self.kind] if within and ".." not in self.path else ():
            there = f"{within[1]}{ending}" if within else ""
            if (folder / there).exists() and not (folder / there).is_symlink():
                yield ("cp", "-r", f"./{there}", f"{{fork}}/{self._name}{ending}")


def in_file(url: str) -> FileDatabase | None:
    """The database of a URL; None where this names a server, or a database in memory."""
    found = _URL.fullmatch(url.strip())
    if found is None or (not found["file"] and _NO_FILE.match(found["path"])) or _IN_MEMORY.search(url):
        return None
    if found["path"].startswith(":") or found["path"] == ".":
        return None
    reactive = found["kind"] is None
    # With R2DBC, three slashes stand before a path, absolute or not.
    driver = f"{found['driver']}file:///" if reactive else f"{found['driver']}{(found['file'] or '').rstrip('/')}"
    return FileDatabase(kind=found["kind"] or "h2", driver=driver, path=found["path"], options=found["options"] or "")


def named_in_sources(*modules: Path) -> str | None:
    """The first database in a file that the sources of modules name; None without one."""
    return next(_in_sources(modules), None)


def _in_sources(modules: Iterable[Path]) -> Iterator[str]:
    for folder, path in files.sources(*modules):
        source = files.text(folder / path)
        if "jdbc:" in source or "r2dbc:" in source:
            found = (in_file(match[1]) for match in _IN_A_STRING.finditer(without_comments(source)))
            yield from (each.shown for each in found if each)
