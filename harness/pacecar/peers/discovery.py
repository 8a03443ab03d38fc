"""The file in which Prometheus finds the forks that are up, as its `file_sd_configs` reads it.

    [{"targets": ["127.0.0.1:40123"], "labels": {"side": "candidate", "pair": "2"}}]

Prometheus watches the file's folder, and takes up to five seconds to scrape what is new in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pacecar.errors import UsageError


class TargetsError(UsageError):
    """The file cannot be written."""


@contextmanager
def announced(path: Path | None, forks: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """Have `path` list `forks` (`host:port` -> labels) while inside, and nothing afterwards.

    Raises:
        TargetsError: when the file cannot be written.
    """
    if path is None:
        yield
        return
    _write(path, forks)
    try:
        yield
    finally:
        _write(path, {})


def _write(path: Path, forks: Mapping[str, Mapping[str, str]]) -> None:
    groups = [{"targets": [instance], "labels": dict(labels)} for instance, labels in forks.items()]
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(json.dumps(groups, indent=1) + "\n")
        part.replace(path)
    except OSError as error:
        raise TargetsError(
            f"{path} cannot be written: {error.strerror}.", hint="Name another file: targets in [prometheus]"
        ) from error
