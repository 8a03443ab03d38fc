"""Settings in HOCON, or in the YAML that Ktor reads: which environment variables they ask for."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files

_FOLDER = Path("src", "main", "resources")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//)[^\n]*+")
#: `${NAME}`; `${?NAME}` may be missing.
_ASKED = re.compile(r"\$\{([A-Z][A-Z0-9_]{0,80}+)\}", re.ASCII)
#: `$NAME` as a whole value; with a question mark before the name, or a default behind it, it may be missing.
_ASKED_BY_KTOR = re.compile(
    r"""[:\[,-][^\S\n]{0,20}+["']?\$([A-Z][A-Z0-9_]{0,80}+)["']?[^\S\n]{0,20}+(?:[,\]]|$)""", re.MULTILINE
)
_KTOR = re.compile(r"^ktor\s{0,9}:", re.MULTILINE)
_MOST = 10


def asked_variables(module: Path) -> tuple[str, ...]:
    """Names of variables that the settings of a module ask for without a default."""
    found = {match[1] for match in _ASKED.finditer(_without_comments(module / _FOLDER / "application.conf"))}
    for name in ("application.yaml", "application.yml"):
        text = _without_comments(module / _FOLDER / name)
        if _KTOR.search(text):
            found |= {match[1] for match in _ASKED_BY_KTOR.finditer(text)}
    return tuple(islice(sorted(found), _MOST))


def _without_comments(path: Path) -> str:
    return _COMMENT.sub(" ", files.text(path))
