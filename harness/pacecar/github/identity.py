"""What a comparison is called among others of the same pull request: its comment, artifacts and caches carry the name.

Jobs of a matrix, several jobs of one workflow and several workflows each have a name of their own without being asked.
A name can come from an artifact that a stranger has made; one that `is_name` accepts is plain text anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pacecar.errors import UsageError
from pacecar.reporting.markdown import Markdown

#: The longest name.
LONGEST = 60
#: What every comment of ours begins with.
FAMILY = "<!-- pacecar: comparison "

_NAME = re.compile(r"[a-z0-9](?:[._-]?[a-z0-9])*")
_OTHER = re.compile(r"[^a-z0-9]+")
_DEFAULT_CONFIG = Path("pacecar.toml")
_DIGITS = 8
_MOST_MATRIX = 100_000


class WrongName(UsageError):
    """A name of a comparison that cannot be one."""


def is_name(text: str) -> bool:
    """Whether `text` can name a comparison: small letters and digits, with single `.`, `_` or `-` between them."""
    return len(text) <= LONGEST and _NAME.fullmatch(text) is not None


def marker(name: str) -> Markdown:
    """What the comment of the comparison `name` is found again by; invisible."""
    assert is_name(name)
    return Markdown(f"{FAMILY}{name} -->")


def comparison_name(environ: Mapping[str, str], *, given: str | None, matrix: str | None, config: Path) -> str:
    """The name of the comparison that a job makes.

    Args:
        environ: the job's variables.
        given: what its author calls it; without that it is made of workflow, job, matrix and configuration file.
        matrix: the job's own values of its matrix, as JSON; None, null or nothing without one.
        config: the configuration file.

    Raises:
        WrongName: when `given` cannot be a name, or `matrix` is none.
    """
    if given:
        if not is_name(given):
            raise WrongName(
                f"{given[:LONGEST]!r} cannot name a comparison.",
                hint="Use lowercase letters and digits, with single dots, hyphens or underscores between them; at most "
                f"{LONGEST} in all.",
            )
        return given
    job = [environ.get("GITHUB_WORKFLOW", ""), environ.get("GITHUB_JOB", "")]
    values = _matrix(matrix)
    own = [*_texts(values), *([str(config)] if config != _DEFAULT_CONFIG else [])]
    plain = ".".join(job)
    if not own and is_name(plain) and [_slug(part) for part in job] == job:
        return plain
    exact = json.dumps([job, values, str(config)], sort_keys=True)
    digest = hashlib.sha256(exact.encode()).hexdigest()[:_DIGITS]
    words = ".".join(filter(None, (*map(_slug, job), _slug("-".join(own)))))
    return f"{words[: LONGEST - _DIGITS - 1].rstrip('.-')}-{digest}".lstrip("-")


def _matrix(text: str | None) -> dict[str, Any]:
    values: Any
    try:
        values = json.loads(text or "null") if len(text or "") <= _MOST_MATRIX else text
    except (ValueError, RecursionError):
        values = text
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise WrongName(
            "The job's matrix is not a JSON object.", hint="In a step: env: PACECAR_MATRIX: ${{ toJSON(matrix) }}"
        )
    return values


def _texts(values: object) -> Iterator[str]:
    """What the values say, however deep they are."""
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(reversed(value.values()))
        elif isinstance(value, list):
            pending.extend(reversed(value))
        elif value is not None:
            yield str(value)


def _slug(text: str) -> str:
    return _OTHER.sub("-", text.lower()).strip("-")
