"""`[[target.dependencies]]`: the processes that a fork needs, and who may name them by `{NAME.port}`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from pacecar.inputs.config.config_text import ConfigText, absolute
from pacecar.inputs.config.fields import (
    AS_WRITTEN,
    CommandLine,
    FilePath,
    Inherited,
    QueryName,
    Text,
    Title,
    UrlPath,
    Variable,
    duration_between,
)
from pacecar.inputs.config.lines import Location
from pacecar.inputs.config.suggestion import did_you_mean, quoted
from pacecar.model.deployment import Dependency

_KEY = ("target", "dependencies")
_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_FILLED_IN = ("port", "folder", "java", "artifact")
_PORT = "{port}"
#: What others may know of a dependency, as `{NAME.port}`.
_KNOWN = ("port", "folder")
#: Behind a dollar sign the braces are somebody else's: Spring's `${server.port}` is no reference to a dependency.
_REFERENCE = re.compile(r"(?<!\$)\{([A-Za-z][A-Za-z0-9_-]{0,62})\.([a-z]+)\}")
#: Logs of these names lie in the folder that a dependency's lies in; those of collections are called gc-PID.
_TAKEN = re.compile(r"service|setup|reset|gc-.*")


def _no_log_of_ours(value: str) -> str:
    if _TAKEN.fullmatch(value):
        raise ValueError(f"{quoted(value)} is the name of another log of a fork; choose a different name")
    return value


class DependencyTable(BaseModel):
    """One of `[[target.dependencies]]`."""

    model_config = AS_WRITTEN

    name: Annotated[QueryName, AfterValidator(_no_log_of_ours)]
    command: Annotated[CommandLine, Field(min_length=1)]
    ready: UrlPath | None = None
    ready_line: Title | None = None
    ready_timeout: Annotated[float, duration_between("1 s", "30 min")] = 60.0
    directory: FilePath = "."
    env: dict[Variable, Text] = {}
    secrets: dict[Variable, Inherited] = {}

    @property
    def listens(self) -> bool:
        """Whether it is told a port."""
        return any(_PORT in text for text in (*self.command, *self.env.values()))


DependencyTables = Annotated[list[DependencyTable], Field(max_length=20)]
LocatedTexts = Iterable[tuple[Location, str]]


def dependencies(tables: Sequence[DependencyTable], written: ConfigText) -> tuple[Dependency, ...]:
    """What `tables`, checked already, describe."""
    return tuple(
        Dependency(
            name=table.name,
            command=tuple(table.command),
            directory=absolute(written, table.directory),
            ready_path=table.ready,
            ready_line=table.ready_line,
            timeout_s=table.ready_timeout,
            env=dict(table.env),
            secrets=dict(table.secrets),
        )
        for table in tables
    )


def check_dependencies(tables: Sequence[DependencyTable], written: ConfigText) -> None:
    """Raise ConfigError at the first key of a dependency that contradicts another one."""
    for index, table in enumerate(tables):
        here: Location = (*_KEY, index)
        if table.name in {each.name for each in tables[:index]}:
            raise written.error((*here, "name"), f"{quoted(table.name)} occurs twice")
        if table.ready is not None and table.ready_line is not None:
            raise written.error((*here, "ready_line"), "give ready or ready_line, not both")
        for variable in table.secrets:
            if variable in table.env:
                raise written.error((*here, "secrets", variable), "is also in env; keep one of the two")
        _check_command(table, here, written)
        own = [((*here, "command", place), text) for place, text in enumerate(table.command)]
        own += [((*here, "env", variable), text) for variable, text in table.env.items()]
        check_references(own, tables[:index], written, later=tables[index:])


def check_references(
    texts: LocatedTexts, known: Sequence[DependencyTable], written: ConfigText, *, later: Sequence[DependencyTable] = ()
) -> None:
    """Raise ConfigError at the first of `texts` that refers to a dependency which it cannot know.

    Args:
        texts: where each stands, and what it says.
        known: the dependencies that are up by then.
        written: where errors point to.
        later: those that are not.
    """
    names = {table.name: table for table in known}
    for location, text in texts:
        for name, what in _REFERENCE.findall(text):
            if name not in names and what not in _KNOWN:
                continue  # braces of somebody else's
            if (problem := _problem(name, what, names, later)) is not None:
                raise written.error(location, f"{{{name}.{what}}} {problem}")


def check_unused(texts: LocatedTexts, written: ConfigText) -> None:
    """Raise ConfigError at the first of `texts` that refers to a dependency where there are none, as in containers."""
    for location, text in texts:
        for name, what in _REFERENCE.findall(text):
            if what in _KNOWN:
                problem = (
                    f'{{{name}.{what}}} is filled in for target.deploy = "process" only; say it in target.command, '
                    "which a container does without"
                )
                raise written.error(location, problem)


def check_folders(tables: Sequence[DependencyTable], written: ConfigText) -> None:
    """Raise ConfigError when the working directory of a dependency does not exist."""
    for index, table in enumerate(tables):
        folder = absolute(written, table.directory)
        if not os.path.isdir(folder):  # noqa: PTH112  never raises
            raise written.error((*_KEY, index, "directory"), f"there is no directory {quoted(folder)}")


def _problem(name: str, what: str, known: dict[str, DependencyTable], later: Sequence[DependencyTable]) -> str | None:
    if name in known:
        if what not in _KNOWN:
            return f"is not filled in: a dependency has only {{{name}.port}} and {{{name}.folder}}"
        if what == "port" and not known[name].listens:
            return f"has no value: {quoted(name)} has {{port}} in neither its command nor its env"
        return None
    if name in {table.name for table in later}:
        return (
            f"is not known yet: {quoted(name)} does not start before this one; dependencies start in the order listed"
        )
    if not known:
        return f"is not filled in: no dependency called {quoted(name)} starts before it"
    listed = ", ".join(map(quoted, known))
    return f"is not filled in: there is no dependency {quoted(name)}, only {listed}{did_you_mean(name, known)}"


def _check_command(table: DependencyTable, here: Location, written: ConfigText) -> None:
    for place, argument in enumerate(table.command):
        for word in _PLACEHOLDER.findall(argument):
            if word not in _FILLED_IN:
                problem = f"{{{word}}} is not filled in{did_you_mean(word, _FILLED_IN)}"
                raise written.error((*here, "command", place), problem)
    if table.ready_line is None and not table.listens:
        problem = (
            "does not hold {port}, the port that Pacecar waits for; add it here or to env, or set ready_line to what "
            "it prints once it is up"
        )
        raise written.error((*here, "command"), problem)
