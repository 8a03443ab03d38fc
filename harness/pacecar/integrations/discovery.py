"""The file in which Prometheus finds the forks that are up, as its `file_sd_configs` reads it.

    [{"targets": ["127.0.0.1:40123"], "labels": {"side": "candidate", "pair": "2"}}]

Prometheus watches the file's folder, and takes up to five seconds to scrape what is new in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.system import notice
from pacecar.system.resources import Resources


class TargetsError(UsageError):
    """The file cannot be written."""


@contextmanager
def announced(path: Path | None, forks: Mapping[str, Mapping[str, str]], *, resources: Resources) -> Iterator[None]:
    """Have `path` list `forks` (`host:port` -> labels) while inside, and nothing afterwards.

    It stands in the ledger of `resources`, so that it does not outlive one that was killed.

    Raises:
        TargetsError: when the file cannot be written.
    """
    if path is None:
        yield
        return
    content = _listing(forks)
    resources.announces(path, digest=notice.digest_of(content))
    _write(path, content)
    try:
        yield
    finally:
        _write(path, notice.NOTHING)


def _listing(forks: Mapping[str, Mapping[str, str]]) -> bytes:
    groups = [{"targets": [instance], "labels": dict(labels)} for instance, labels in forks.items()]
    return (json.dumps(groups, indent=1) + "\n").encode()


def _write(path: Path, content: bytes) -> None:
    try:
        notice.put(path, content)
    except OSError as error:
        raise TargetsError(
            f"{path} cannot be written: {error.strerror}.", hint="Name another file: targets in [prometheus]"
        ) from error
