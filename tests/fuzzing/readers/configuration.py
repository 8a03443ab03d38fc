"""The content of a configuration file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pacecar.inputs.config.config_text import ConfigError
from pacecar.inputs.config.loading import parse as parsed


def parse(data: bytes) -> None:
    with contextlib.suppress(ConfigError):
        parsed(data.decode("utf-8", "replace"), Path("pacecar.toml"))


def seeds() -> Iterator[bytes]:
    yield b'[target]\nname = "orders"\ncommand = ["java", "-jar", "{artifact}"]\n'
    yield b'[scenario]\nrate = 10\n[[scenario.endpoints]]\nname = "GET /"\npath = "/"\nweight = 1.5\n'
    yield b"a.b.c = [{x = 1}, [2, 3]]\n\"q\" = '''t'''\nd = 2024-01-01T00:00:00Z\n"
