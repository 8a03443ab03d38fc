"""What each of two forks must have for itself, because both are up at once: a database that lies in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise.databases import FileDatabase, in_file, named_in_sources
from pacecar.onboarding.initialise.frameworks import Service
from pacecar.onboarding.initialise.settings import Settings

#: A setting that an argument may name.
_KEY = re.compile(r"[A-Za-z][\w.\"-]{0,120}", re.ASCII)
_MOST = 5
_EMPTY = "; it begins empty, so have the service or target.hooks.setup make its tables"


def with_own_databases(service: Service, settings: Settings, *, folder: Path, modules: Sequence[Path]) -> Service:
    """The service with each database in a file moved into the scratch folder of its fork, or with a word about it.

    Args:
        service: as its framework settles it.
        settings: of the service.
        folder: where it is started.
        modules: folders that hold its sources.
    """
    found = list(islice(_in_settings(settings), _MOST))
    for name, database in found:
        service = with_own(service, name, database, folder=folder)
    known = found or any("{fork}" in argument for argument in service.jvm_args)
    shown = None if known else named_in_sources(*modules)
    if shown is None:
        return service
    shared = "two forks are up at once" if service.port is None else "what one fork leaves, the next one finds"
    remark = (
        f"its sources name a database in a file, {shown}, and {shared}: have it read the URL from a variable, and set "
        "that in target.env to a file in {fork}, the fork's own folder"
    )
    return replace(service, remarks=(*service.remarks, remark))


def with_own(service: Service, name: str, database: FileDatabase, *, folder: Path) -> Service:
    """The service with one database moved, which its setting `name` names."""
    url = database.url
    if url is None or service.setting is None or not _KEY.fullmatch(name):
        remark = (
            f"its setting {name} names a database in a file, and two forks are up at once: have each use another one, "
            "in {fork}, the fork's own folder"
        )
        return replace(service, remarks=(*service.remarks, remark))
    argument = f"{service.setting}{name}={url}"
    remark = (
        f"its setting {name} names a database in a file, which two forks cannot share, so each gets one of its own in "
        "{fork}, a fresh folder"
    )
    copies = tuple(database.copies(folder))
    remark += ", with a copy of the data that lies in the project" if copies else _EMPTY
    before = service.setting.startswith("-D")
    return replace(
        service,
        jvm_args=(*service.jvm_args, argument) if before else service.jvm_args,
        program_args=service.program_args if before else (*service.program_args, argument),
        setup=(*service.setup, *copies),
        remarks=(*service.remarks, remark),
    )


def _in_settings(settings: Settings) -> Iterator[tuple[str, FileDatabase]]:
    for name, value in settings.values.items():
        # What is not known of a path, such as `${user.home}`, may well stand before the file's name.
        if "dbc:" in value and (database := in_file(settings.filled_in(value) or value)):
            yield settings.names.get(name, name), database
