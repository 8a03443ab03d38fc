"""The way from a file to a configuration: read, override, validate, check, translate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from pacecar.inputs.config.agreement import check, check_paths
from pacecar.inputs.config.config_text import ConfigText, parsed, read_text
from pacecar.inputs.config.kept import restored
from pacecar.inputs.config.model import FileTable
from pacecar.inputs.config.overrides import overridden
from pacecar.inputs.config.sentences import first_error
from pacecar.inputs.config.shapes import Configuration
from pacecar.inputs.config.translation import configuration

_NO_OVERRIDES: Mapping[str, str] = MappingProxyType({})


def load(path: Path, *, overrides: Mapping[str, str] = _NO_OVERRIDES) -> Configuration:
    """The configuration in the file at `path`.

    Args:
        path: a TOML file; relative paths in it are meant from its folder.
        overrides: dotted key -> value in place of the file's, such as `{"plan.pairs": "2"}`.

    Raises:
        ConfigError: one sentence with file, line and key.
    """
    written, file = _validated(read_text(path), path, overrides)
    check_paths(file, written)
    return configuration(file, written)


def parse(text: str, path: Path, *, overrides: Mapping[str, str] = _NO_OVERRIDES) -> Configuration:
    """The configuration in `text`, which once stood in `path`; the paths in it may be gone by now.

    Values that runs do not keep are marks in it: it is what a run is judged by, and `again` what it goes on by.

    Raises:
        ConfigError: as `load`.
    """
    written, file = _validated(text, path, overrides)
    return configuration(file, written)


def again(text: str, path: Path, *, overrides: Mapping[str, str] = _NO_OVERRIDES) -> Configuration:
    """The configuration in `text`, which once stood in `path`, to be measured by once more: with all its values.

    Raises:
        ConfigError: as `parse`; also when a value that was not kept is to be had nowhere, see `kept.restored`.
    """
    whole = restored(text, path, overrides)
    return parse(whole.text, path, overrides=whole.overrides)


def _validated(text: str, path: Path, overrides: Mapping[str, str]) -> tuple[ConfigText, FileTable]:
    written = overridden(parsed(text, path=path), overrides)
    try:
        file = FileTable.model_validate(written.table)
    except ValidationError as error:
        raise first_error(error, written) from error
    check(file, written)
    return written, file
