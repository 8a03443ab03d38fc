"""Manifests and pair records as JSON, checked strictly when read back.

A run may come from another machine or as an artifact of a pull request, so nothing in it is taken on trust:
files are capped in size, every field must have exactly its type, and names that become paths must be plain.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from pacecar.archive import RunError, migrations
from pacecar.model.recording import Manifest, PairRecord, Window
from pacecar.system.foreign import files

_MAX_BYTES = 16 * 1024 * 1024
#: What tables hold moments and numbers of windows in.
_MOST = 2**63
_MOST_WINDOWS = 2**31
#: What earlier Pacecars left blank in the record of a fork.
_BLANK = ("died", "unsettled")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Record = TypeVar("Record")


@functools.cache
def manifest_adapter() -> TypeAdapter[Manifest]:
    """`manifest.json` and its shape. Built once it is needed: a list of runs needs none."""
    return TypeAdapter(Manifest)


@functools.cache
def pair_adapter() -> TypeAdapter[PairRecord]:
    """`pair.json` and its shape."""
    return TypeAdapter(PairRecord)


def is_plain_name(name: str) -> bool:
    """Whether `name`, which may come from elsewhere, can name a file: no separator, no dot before it, not long."""
    return _PLAIN_NAME.fullmatch(name) is not None


def to_json(adapter: TypeAdapter[Record], record: Record) -> bytes:
    """`record` as indented JSON with a final newline; what is no text, such as a byte of a file's name, is replaced."""
    try:
        return adapter.dump_json(record, indent=2) + b"\n"
    except PydanticSerializationError:
        plain = json.dumps(adapter.dump_python(record, mode="json"), indent=2, ensure_ascii=False)
        return plain.encode("utf-8", "replace") + b"\n"


def read(adapter: TypeAdapter[Record], path: Path) -> Record:
    """The record in the file `path`.

    Raises:
        RunError: when the file is missing, too large, not JSON, or a field is missing or of another type.
    """
    return validated(adapter, _content(path), where=str(path))


def validated(adapter: TypeAdapter[Record], content: bytes, *, where: str) -> Record:
    """The record that `content`, found at `where`, holds. Raises RunError like `read`."""
    _check_numbers(content, where)
    try:
        return adapter.validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise RunError(f"{where} is damaged: {field}: {first['msg']}." if field else f"{where} is not JSON.") from error


def read_pair(path: Path) -> PairRecord:
    """The record of a pair in the file `path`. Raises RunError like `read`."""
    return pair_in(_content(path), where=str(path))


def pair_in(content: bytes, *, where: str) -> PairRecord:
    """The record of a pair that `content`, found at `where`, holds. Raises RunError like `read`."""
    try:
        document = json.loads(content)
        forks = {side: migrations.without_blanks(fork, *_BLANK) for side, fork in document["forks"].items()}
        content = json.dumps(document | {"forks": forks}).encode()
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        pass  # no record; what is wrong with it is said below
    record = validated(pair_adapter(), content, where=where)
    _check_windows((*record.windows, *record.blocks), where)
    return record


def read_manifest(path: Path) -> Manifest:
    """The manifest in the file `path`.

    Raises:
        RunError: see `read`; also when a newer Pacecar wrote it or its run id cannot name a folder.
    """
    manifest = read_of_any_version(manifest_adapter(), path, migrations.MANIFEST)
    if not is_plain_name(manifest.run_id):
        raise RunError(f"{path} is damaged: run_id: not a plain name.")
    return manifest


def read_of_any_version(adapter: TypeAdapter[Record], path: Path, migration: migrations.Migration) -> Record:
    """The record in the file `path`, brought to today's version.

    Raises:
        RunError: see `read`; also when a newer Pacecar wrote it.
    """
    content = _content(path)
    document = _document(content, path)
    version = document["schema_version"]
    if version > migration.newest:
        raise RunError(
            f"{path} has schema version {version}; this Pacecar reads up to {migration.newest}.",
            hint="Read it with the Pacecar that wrote it, or a newer one.",
        )
    if version < migration.newest:
        content = _migrated(document, path, migration)
    return validated(adapter, content, where=str(path))


def _migrated(document: migrations.PlainRecord, path: Path, migration: migrations.Migration) -> bytes:
    try:
        return json.dumps(migration.migrated(document)).encode()
    except RecursionError as error:
        raise RunError(f"{path} is damaged: it is nested too deeply.") from error


def _document(content: bytes, path: Path) -> migrations.PlainRecord:
    # Its version is looked at before everything else: a newer manifest may differ in any other field.
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not JSON.") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if type(version) is not int or version < 1:
        raise RunError(f"{path} is damaged: it states no schema_version.")
    return document  # type: ignore[no-any-return]  # a dict, or it would have no version


def _check_numbers(content: bytes, where: str) -> None:
    """Raise RunError for a number that is none or that fits no 64 bits: JSON sets no limit, everything else does."""
    try:
        json.loads(content, parse_int=_whole, parse_float=_real, parse_constant=_real)
    except OverflowError as error:
        raise RunError(f"{where} is damaged: it holds a number that nobody can count to.") from error
    except (ValueError, RecursionError):
        pass  # not JSON, which is said elsewhere


def _whole(digits: str) -> int:
    if len(digits) > len(str(-_MOST)) or not -_MOST <= (number := int(digits)) < _MOST:
        raise OverflowError
    return number


def _real(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise OverflowError
    return number


def _check_windows(windows: Sequence[Window], where: str) -> None:
    numbers = {window.index for window in windows}
    if len(numbers) < len(windows) or not all(0 <= number < _MOST_WINDOWS for number in numbers):
        raise RunError(f"{where} is damaged: windows: their numbers are not those of windows.")
    if not all(window.start_ns < window.end_ns for window in windows):
        raise RunError(f"{where} is damaged: windows: one ends before it has begun.")


def _content(path: Path) -> bytes:
    try:
        return files.content(path, most=_MAX_BYTES, inside=path.parent)
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error
