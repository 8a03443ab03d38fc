"""The two files of a document: written whole or not at all, and read as what any stranger might have written."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

if TYPE_CHECKING:
    import jsonschema

from pacecar.errors import UsageError
from pacecar.model.comparison import Verdict
from pacecar.reporting.document.migrations import migrated
from pacecar.reporting.document.profile_shapes import Profiles
from pacecar.reporting.document.shapes import Document
from pacecar.reporting.document.tidy import clean_text, tidy
from pacecar.system import paths
from pacecar.system.disk import durable
from pacecar.system.foreign import files

DOCUMENT_NAME = "document.json"
PROFILES_NAME = "profiles.json"
#: Largest files in bytes, written or read.
DOCUMENT_BYTES = 1_000_000
PROFILES_BYTES = 16_000_000
#: The verdict is among the first fields of a document.
_HEAD_BYTES = 4_096
#: No schema has more levels of lists and objects, or more fields in one object.
_DEEPEST = 12
_MOST_FIELDS = 64


class DocumentError(UsageError):
    """A file is not a document that this version can read."""


def write_document(document: Document, folder: Path) -> Path:
    """Write `document.json` and, where the document has them, `profiles.json` into `folder`.

    Returns:
        The path of `document.json`, which is never larger than `DOCUMENT_BYTES`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plain = _plain(document)
    profiles = plain.pop("profiles")
    if profiles is not None:
        durable.write_bytes(folder / PROFILES_NAME, _fitted(profiles, limit=PROFILES_BYTES))
    path = folder / DOCUMENT_NAME
    durable.write_bytes(path, _fitted(plain, limit=DOCUMENT_BYTES))
    return path


def load_document(path: Path, *, profiles: bool = True) -> Document:
    """The document at `path`, a `document.json` or its folder, with the profiles beside it if there are any.

    Args:
        path: a file or a folder.
        profiles: read them, too.

    Raises:
        DocumentError: when a file is missing, too large, not valid by its schema, or belongs to another run.
    """
    path = path / DOCUMENT_NAME if path.is_dir() else path
    document = _document().validate_python(_checked(path, limit=DOCUMENT_BYTES, schema="document"))
    sidecar = path.parent / PROFILES_NAME
    if not profiles or not sidecar.exists():
        return document
    read = _profiles().validate_python(_checked(sidecar, limit=PROFILES_BYTES, schema="profiles"))
    if read.run_id != document.run_id:
        raise DocumentError(
            f"{sidecar} belongs to run {read.run_id}, {path} to run {document.run_id}.",
            hint="Keep the two files of a run together, or remove the profiles.",
        )
    return dataclasses.replace(document, profiles=read)


def verdict_in(folder: Path) -> Verdict | None:
    """The verdict of the document in `folder`, of which only the head is read; None where there is none to be had."""
    try:
        head = files.beginning(folder / DOCUMENT_NAME, most=_HEAD_BYTES).decode(errors="ignore")
        return Verdict(from_json(head, allow_partial=True)["verdict"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def tidied(document: Document) -> Document:
    """The document as it will be read back: clean text, finite numbers."""
    return _document().validate_python(_plain(document))


@functools.cache
def _document() -> TypeAdapter[Document]:
    return TypeAdapter(Document)


@functools.cache
def _profiles() -> TypeAdapter[Profiles]:
    return TypeAdapter(Profiles)


@functools.cache
def validator(schema: str) -> jsonschema.Draft202012Validator:
    """The validator for `document` or `profiles`."""
    import jsonschema  # takes a fifth of a second, and most commands read no document

    text = paths.brought(f"reports/schemas/{schema}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def _plain(document: Document) -> dict[str, Any]:
    # What is not tidy yet, such as a number of NumPy, is no reason to warn.
    plain: dict[str, Any] = tidy(_document().dump_python(document, warnings=False))
    return plain


def _checked(path: Path, *, limit: int, schema: str) -> Any:
    """The content of `path` as plain, tidy data that the schema and the shapes accept."""
    try:
        content = files.beginning(path, most=limit + 1)
    except OSError as error:
        raise DocumentError(
            f"{path} cannot be read: {error.strerror}.", hint="List what there is: pacecar runs list"
        ) from error
    if len(content) > limit:
        raise DocumentError(f"{path} is larger than {limit} bytes, which no {schema} of Pacecar is.")
    try:
        data = json.loads(content, parse_constant=_refuse)
        _refuse_what_no_schema_allows(data, schema)
        data = migrated(data, schema)
        problem = next(validator(schema).iter_errors(data), None)
        if problem is None:
            tidied_data = tidy(data)
            (_document() if schema == "document" else _profiles()).validate_python(tidied_data)
            return tidied_data
        where, what = (
            "/".join(str(step) for step in problem.absolute_path) or "the top",
            clean_text(problem.message, limit=200),
        )
    except (ValueError, RecursionError, ValidationError) as error:
        where, what = "the top", clean_text(str(error), limit=200)
    raise DocumentError(
        f"{path} is not a {schema} this version can read: at {where}: {what}",
        hint="Write it again with this version: pacecar judge RUN",
    )


def _refuse_what_no_schema_allows(data: Any, schema: str) -> None:
    """Refuse what is longer or deeper than anything in the schema, before the schema itself is asked.

    Where a value may be one of two shapes, the validator collects all that is wrong with the first of them: half a
    million wrong numbers in a list would be half a million errors in memory.
    """
    longest = _longest_list(schema)
    level = [data]
    for _ in range(_DEEPEST):
        if any(isinstance(each, list) and len(each) > longest for each in level):
            raise ValueError(f"a list of more than {longest} entries is in no {schema}")
        if any(isinstance(each, dict) and len(each) > _MOST_FIELDS for each in level):
            raise ValueError(f"an object of more than {_MOST_FIELDS} fields is in no {schema}")
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [value for values in inner for value in values if isinstance(value, (dict, list))]
        if not level:
            return
    raise ValueError(f"no {schema} is nested so deeply")


@functools.cache
def _longest_list(schema: str) -> int:
    def caps(part: Any) -> Iterator[int]:
        if isinstance(part, dict):
            yield from ([part["maxItems"]] if isinstance(part.get("maxItems"), int) else [])
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from caps(inner)

    return max(caps(validator(schema).schema))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _fitted(plain: dict[str, Any], *, limit: int) -> bytes:
    while len(encoded := _encoded(plain)) > limit:
        # The tail goes first: every list has what matters most at its head.
        largest = max(plain["omitted"], key=lambda name: len(_encoded(plain[name])))
        kept = plain[largest][: len(plain[largest]) // 2]
        plain["omitted"][largest] += len(plain[largest]) - len(kept)
        plain[largest] = kept
    return encoded


def _encoded(plain: Any) -> bytes:
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
