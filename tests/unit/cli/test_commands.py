"""The table of commands says what the commands say of themselves, and nothing is loaded that is not called."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from pacecar.cli.commands import COMMANDS, GROUPS

#: Libraries that take longer to load than a person waits for a list.
HEAVY = {"pandas", "numpy", "scipy", "pyarrow", "aiohttp", "github", "jsonschema", "jinja2", "obstore", "fsspec"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_the_commands_own(name: str) -> None:
    command = COMMANDS[name]
    function = getattr(importlib.import_module(f"pacecar.cli.{command.module}"), command.name)
    assert function.__doc__.split("\n\n")[0].replace("\n    ", " ") == command.help


@pytest.mark.parametrize("name", GROUPS)
def test_help_of_a_group_is_its_own(name: str) -> None:
    group = GROUPS[name]
    assert getattr(importlib.import_module(f"pacecar.cli.{group.module}"), group.name).info.help == group.help


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("runs", "list"), ("compare", "--hlep")])
def test_what_is_not_called_is_not_loaded(arguments: tuple[str, ...], tmp_path) -> None:
    script = "import sys; from pacecar.__main__ import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, *arguments], cwd=tmp_path, capture_output=True, text=True)
    loaded = {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}
    assert "typer" in loaded
    if arguments[0] != "compare":
        assert not loaded & HEAVY
