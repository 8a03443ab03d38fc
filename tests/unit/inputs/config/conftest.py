"""A project folder with a configuration in it."""

import textwrap

import pytest

from pacecar.inputs import config

SMALLEST = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--server.port={port}"]
ready = "/ready"
"""


@pytest.fixture
def smallest():
    return SMALLEST


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load the smallest configuration with `more` after it, or exactly `whole`."""
    monkeypatch.chdir(tmp_path)

    def loaded(more="", *, whole=None, overrides=None):
        path = tmp_path / "pacecar.toml"
        path.write_text(SMALLEST + textwrap.dedent(more) if whole is None else whole)
        return config.load(path.relative_to(tmp_path), overrides=overrides or {})

    return loaded


@pytest.fixture
def refusal(load):
    """The message of the ConfigError that loading ends with, checked to be one line."""

    def refused(more="", **arguments):
        with pytest.raises(config.ConfigError) as caught:
            load(more, **arguments)
        assert "\n" not in caught.value.message
        assert len(caught.value.message) < 400
        return caught.value.message

    return refused
