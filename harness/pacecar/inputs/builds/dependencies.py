"""Which libraries two builds have in different versions.

A library is known by the name of its jar, `jackson-core-2.17.1.jar`, inside the build or beside it; where libraries
were unpacked into one jar, by what Maven has left of each of them there.
"""

from __future__ import annotations

import re
from pathlib import Path

from pacecar.inputs.builds.contents import Contents, opened
from pacecar.model.recording import LibraryChange
from pacecar.system.foreign.jars import NoJar

#: Changes that are kept; a platform's upgrade changes a hundred.
MOST = 200
#: Libraries that are looked at; no service has so many.
_MOST_LIBRARIES = 5_000
_LONGEST = 120
#: `name-1.2.3.jar`: the version begins with the first hyphen before a digit.
_BEFORE_VERSION = re.compile(r"(?<=.)-(?=\d)", re.DOTALL)
_JAR = ".jar"
_LEFT_BY_MAVEN = re.compile(r"META-INF/maven/(?P<group>[^/]+)/(?P<name>[^/]+)/pom\.properties")
_VERSION = re.compile(rb"^version=(\S+)\s*$", re.MULTILINE)

Versions = dict[str, set[str]]


def changed_libraries(baseline: Path, candidate: Path) -> tuple[LibraryChange, ...]:
    """The libraries in which two builds differ, by name; those that changed their version before those that came or
    went, and at most `MOST`.

    Empty where a build is no archive that can be read.

    Args:
        baseline: a jar, or a folder.
        candidate: likewise.
    """
    try:
        with opened(baseline) as before, opened(candidate) as after:
            old, new = _libraries(before), _libraries(after)
    except (OSError, NoJar):
        return ()
    changes = [
        LibraryChange(name=name[:_LONGEST], baseline=_shown(old.get(name)), candidate=_shown(new.get(name)))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    return tuple(sorted(changes, key=lambda each: None in (each.baseline, each.candidate))[:MOST])


def _libraries(contents: Contents) -> Versions:
    found: Versions = {}
    for path in contents.names:
        name = path.rpartition("/")[2]
        hyphen = _BEFORE_VERSION.search(name) if name.endswith(_JAR) else None
        if hyphen is not None and len(found) < _MOST_LIBRARIES:
            found.setdefault(name[: hyphen.start()], set()).add(name[hyphen.end() : -len(_JAR)])
    return found or _unpacked(contents)


def _unpacked(contents: Contents) -> Versions:
    """Those whose classes lie in the jar itself, the service's own modules among them."""
    found: Versions = {}
    for name in contents.names:
        left = _LEFT_BY_MAVEN.fullmatch(name)
        version = _VERSION.search(contents.bytes_of(name)[:4096]) if left and len(found) < _MOST_LIBRARIES else None
        if left is not None and version is not None:
            found.setdefault(f"{left['group']}:{left['name']}", set()).add(version[1].decode("utf-8", "replace"))
    return found


def _shown(versions: set[str] | None) -> str | None:
    return ", ".join(sorted(versions))[:_LONGEST] if versions else None
