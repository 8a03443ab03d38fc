"""Where a service is started: in the folder of its module, where what it names by relative paths lies only there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.source_text import without_comments

#: `example.keystore`, `./conf/keys.p12`, `file:conf/more.yml`; a word alone may mean anything.
_PATH = re.compile(
    r"(?:optional:)?(?:file:)?((?:\./)?[A-Za-z0-9_][\w-]{0,60}(?:[./][\w-]{1,60}){0,10}[./][\w-]{1,60}/?"
    r"|\./[A-Za-z0-9_][\w-]{0,60}/?)",
    re.ASCII,
)
#: `staticFiles.add("src/main/resources/public")`: no path of a request begins so.
_IN_SOURCES = re.compile(r"\"((?:\./)?src/main/[\w./-]{1,100}+)\"", re.ASCII)
_LONGEST, _MOST_TEXTS, _MOST_ITEMS, _DEEPEST = 300, 5_000, 1_000, 12
_HERE = PurePosixPath()


def working_folder(directory: Path, module: PurePosixPath, texts: Iterable[str]) -> PurePosixPath:
    """The folder below `directory` in which a service finds the files that it names.

    Args:
        directory: the folder of the configuration.
        module: the folder in there that the service is built from.
        texts: such as values of its settings, of which some may be paths.

    Returns:
        `module` where a relative path leads to something there, and to nothing in `directory`.
    """
    if module == _HERE:
        return _HERE
    for path in islice(_paths(texts), _MOST_TEXTS):
        if _exists(directory / module / path) and not _exists(directory / path):
            return module
    return _HERE


def texts_in(document: object) -> Iterator[str]:
    """The texts in a document of YAML, those in lists among them; at most 5,000."""
    # An alias lets a few bytes stand for many values, so what comes out is counted, not what went in.
    left, todo = _MOST_TEXTS, [(document, 0)]
    while todo and left > 0:
        left -= 1
        value, depth = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list) and depth < _DEEPEST:
            inner = value.values() if isinstance(value, dict) else value
            todo += [(each, depth + 1) for each in islice(inner, _MOST_ITEMS)]


def named_in_sources(module: Path) -> Iterator[str]:
    """Paths that the sources of a module name, and that lie among them."""
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        if "src/main/" in source:
            yield from (match[1] for match in _IN_SOURCES.finditer(without_comments(source)))


def _paths(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for part in text.split(",") if len(text) <= _LONGEST else ():
            if found := _PATH.fullmatch(part.strip()):
                yield found[1]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
