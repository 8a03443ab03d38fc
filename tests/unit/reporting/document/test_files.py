from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pacecar.reporting.document import Document, DocumentError, load_document, verdict_in, write_document
from pacecar.reporting.document.files import DOCUMENT_BYTES, PROFILES_BYTES, tidied, validator
from pacecar.reporting.document.profile_shapes import Profiles
from pacecar.reporting.document.shapes import DOCUMENT_VERSION


def test_a_document_is_read_back_as_it_was_written(document: Document, tmp_path: Path) -> None:
    path = write_document(document, tmp_path)

    assert load_document(path) == document
    assert load_document(tmp_path) == document


def test_both_files_hold_to_their_schemas(document: Document, tmp_path: Path) -> None:
    write_document(document, tmp_path)

    for name in ("document", "profiles"):
        jsonschema.Draft202012Validator.check_schema(validator(name).schema)
        validator(name).validate(json.loads((tmp_path / f"{name}.json").read_text()))


def test_without_its_profiles_a_document_can_still_be_read(document: Document, tmp_path: Path) -> None:
    path = write_document(document, tmp_path)
    (tmp_path / "profiles.json").unlink()

    assert load_document(path) == replace(document, profiles=None)


@pytest.mark.parametrize(("shape", "schema"), [(Document, "document"), (Profiles, "profiles")])
def test_schemas_and_shapes_name_the_same_fields(shape: type, schema: str) -> None:
    whole: Any = validator(schema).schema
    described = [whole, *whole["$defs"].values()]
    in_schema = {frozenset(each["properties"]) for each in described if "properties" in each}

    in_shapes = {
        frozenset(field.name for field in dataclasses.fields(each)) - {"profiles"} for each in shapes_within(shape)
    }

    assert in_schema == in_shapes
    assert all(not each["additionalProperties"] for each in described if "properties" in each)
    assert all(set(each["required"]) == set(each["properties"]) for each in described if "properties" in each)


@pytest.mark.parametrize(("shape", "schema"), [(Document, "document"), (Profiles, "profiles")])
def test_schemas_and_shapes_agree_on_what_may_be_null(shape: type, schema: str) -> None:
    whole: Any = validator(schema).schema
    described = [each for each in (whole, *whole["$defs"].values()) if "properties" in each]

    def null_in(described: dict[str, Any]) -> bool:
        return jsonschema.Draft202012Validator({**described, "$defs": whole["$defs"]}).is_valid(None)

    in_schema = {
        (frozenset(each["properties"]), frozenset(name for name, of in each["properties"].items() if null_in(of)))
        for each in described
    }
    in_shapes = set()
    for each in shapes_within(shape):
        hints = {name: hint for name, hint in typing.get_type_hints(each).items() if name != "profiles"}
        null = frozenset(name for name, hint in hints.items() if type(None) in typing.get_args(hint))
        in_shapes.add((frozenset(hints), null))

    assert in_shapes == in_schema


def shapes_within(shape: Any) -> set[type]:
    """`shape` and all dataclasses its fields hold; a document's profiles are a file of their own."""
    if isinstance(shape, types.UnionType) or typing.get_args(shape):
        return {found for each in typing.get_args(shape) for found in shapes_within(each)}
    if not dataclasses.is_dataclass(shape):
        return set()
    hints = {name: hint for name, hint in typing.get_type_hints(shape).items() if name != "profiles"}
    return {typing.cast(type, shape)} | {found for hint in hints.values() for found in shapes_within(hint)}


def test_the_verdict_is_read_without_the_rest(document: Document, tmp_path: Path) -> None:
    path = write_document(replace(document, headline="\N{SNAIL}" * 2_000), tmp_path)
    path.write_bytes(path.read_bytes()[:5_000])
    assert verdict_in(tmp_path) is document.verdict


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b'{"verdict": "fine"}', b'{"headline": "no verdict"}', b"\xff{"])
def test_what_is_no_document_has_no_verdict(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "document.json").write_bytes(content)
    assert verdict_in(tmp_path) is None
    assert verdict_in(tmp_path / "missing") is None


def _set(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.__setitem__(key, value)


@pytest.mark.parametrize(
    "mutate",
    [
        _set("schema_version", DOCUMENT_VERSION + 1),
        _set("schema_version", 5),
        _set("schema_version", 4),
        _set("schema_version", 3),
        _set("schema_version", 2),
        _set("schema_version", 1),
        _set("schema_version", 0),
        _set("schema_version", True),
        _set("verdict", "fine"),
        _set("mode", "sideways"),
        _set("extra", 1),
        _set("headline", "x" * 401),
        _set("judgements", [{}]),
        _set("warnings", ["w"] * 51),
        _set("pairs_judged", -1),
        lambda data: data.pop("provenance"),
        lambda data: data["judgements"][0].__setitem__("scale", "log"),
        lambda data: data["frames"][0].__setitem__("self_change", "much"),
        lambda data: data["provenance"]["machine"].__setitem__("cores", 1.5),
    ],
)
def test_what_is_no_document_is_refused(
    document: Document, tmp_path: Path, mutate: Callable[[dict[str, Any]], object]
) -> None:
    path = write_document(document, tmp_path)
    data = json.loads(path.read_text())
    mutate(data)
    path.write_text(json.dumps(data))

    with pytest.raises(DocumentError, match="is not a document this version can read"):
        load_document(path)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"a":NaN}', "[" * 100_000, "\x00", '"\\ud800"'])
def test_garbage_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_text(content)

    with pytest.raises(DocumentError):
        load_document(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(b'{"headline": "\xff\xfe"}')

    with pytest.raises(DocumentError):
        load_document(path)


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(b" " * (DOCUMENT_BYTES + 1))

    with pytest.raises(DocumentError, match="larger than"):
        load_document(path)


def test_a_missing_document_says_where_it_was_sought(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"document\.json cannot be read"):
        load_document(tmp_path)


def test_profiles_of_another_run_are_refused(document: Document, tmp_path: Path) -> None:
    path = write_document(document, tmp_path)
    profiles = tmp_path / "profiles.json"
    profiles.write_text(profiles.read_text().replace(document.run_id, "another"))

    with pytest.raises(DocumentError, match="belongs to run another"):
        load_document(path)


def test_control_characters_in_a_strangers_document_are_made_harmless(document: Document, tmp_path: Path) -> None:
    path = write_document(document, tmp_path)
    data = json.loads(path.read_text())
    data["headline"] = "\x1b[2Jall is well\u202e"
    path.write_text(json.dumps(data))

    assert load_document(path).headline == "�[2Jall is well�"


def test_the_largest_document_fits_and_says_what_was_left_out(document: Document, tmp_path: Path) -> None:
    wide = "€" * 400
    metric = replace(document.judgements[0], name=wide, endpoint=wide, reason=wide)
    frame = replace(document.frames[0], frame=wide, pool=wide, endpoints=(wide,) * 8)
    assert document.profiles is not None
    pause = replace(document.profiles.timelines[0].pauses[0], kind=wide)
    timeline = replace(document.profiles.timelines[0], pauses=(pause,) * 400)
    huge = tidied(
        replace(
            document,
            judgements=(metric,) * 400,
            frames=(frame,) * 40,
            profiles=replace(document.profiles, frames=(frame,) * 2000, timelines=(timeline,) * 60),
        )
    )

    path = write_document(huge, tmp_path)

    assert path.stat().st_size <= DOCUMENT_BYTES
    assert (tmp_path / "profiles.json").stat().st_size <= PROFILES_BYTES
    read = load_document(path)
    assert read.judgements
    assert len(read.judgements) + read.omitted.judgements == 400
    assert read.profiles is not None
    assert len(read.profiles.frames) + read.profiles.omitted.frames == 2000


def test_nothing_unfinished_is_left_beside_the_files(document: Document, tmp_path: Path) -> None:
    write_document(document, tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["document.json", "profiles.json"]
