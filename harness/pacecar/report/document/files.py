"""The two files of a document: written whole or not at all, and read as what any stranger might have written."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from pacecar import places
from pacecar.comparison import Verdict
from pacecar.errors import UsageError
from pacecar.report.document.profile_shapes import Profiles
from pacecar.report.document.shapes import Document
from pacecar.report.document.tidy import clean_text, tidy

DOCUMENT_NAME = "document.json"
PROFILES_NAME = "profiles.json"
#: Largest files in bytes, written or read.
DOCUMENT_BYTES = 1_000_000
PROFILES_BYTES = 16_000_000
#: The verdict is among the first fields of a document.
_HEAD_BYTES = 4_096

_DOCUMENT: TypeAdapter[Document] = TypeAdapter(Document)
_PROFILES: TypeAdapter[Profiles] = TypeAdapter(Profiles)


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
        _replace(folder / PROFILES_NAME, _fitted(profiles, limit=PROFILES_BYTES))
    path = folder / DOCUMENT_NAME
    _replace(path, _fitted(plain, limit=DOCUMENT_BYTES))
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
    document = _DOCUMENT.validate_python(_checked(path, limit=DOCUMENT_BYTES, schema="document"))
    sidecar = path.parent / PROFILES_NAME
    if not profiles or not sidecar.exists():
        return document
    read = _PROFILES.validate_python(_checked(sidecar, limit=PROFILES_BYTES, schema="profiles"))
    if read.run_id != document.run_id:
        raise DocumentError(
            f"{sidecar} belongs to run {read.run_id}, {path} to run {document.run_id}.",
            hint="Keep the two files of a run together, or remove the profiles.",
        )
    return dataclasses.replace(document, profiles=read)


def verdict_in(folder: Path) -> Verdict | None:
    """The verdict of the document in `folder`, of which only the head is read; None where there is none to be had."""
    try:
        with (folder / DOCUMENT_NAME).open("rb") as file:
            head = file.read(_HEAD_BYTES).decode(errors="ignore")
        return Verdict(from_json(head, allow_partial=True)["verdict"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def tidied(document: Document) -> Document:
    """The document as it will be read back: clean text, finite numbers."""
    return _DOCUMENT.validate_python(_plain(document))


@functools.cache
def validator(schema: str) -> jsonschema.Draft202012Validator:
    """The validator for `document` or `profiles`."""
    text = places.brought(f"reports/schemas/{schema}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def _plain(document: Document) -> dict[str, Any]:
    plain: dict[str, Any] = tidy(dataclasses.asdict(document))
    return plain


def _checked(path: Path, *, limit: int, schema: str) -> Any:
    """The content of `path` as plain, tidy data that the schema and the shapes accept."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise DocumentError(
            f"{path} cannot be read: {error.strerror}.", hint="List what there is: pacecar runs list"
        ) from error
    if len(content) > limit:
        raise DocumentError(f"{path} is larger than {limit} bytes, which no {schema} of Pacecar is.")
    try:
        data = json.loads(content, parse_constant=_refuse)
        problem = next(validator(schema).iter_errors(data), None)
        if problem is None:
            tidied_data = tidy(data)
            (_DOCUMENT if schema == "document" else _PROFILES).validate_python(tidied_data)
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


def _replace(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)
