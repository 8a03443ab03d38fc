"""Documents of older versions, brought to today's one version at a time.

A step takes plain JSON that anybody may have written. It refuses what its version did not have where a reader of today
might take it for something else; all the rest the schema of today judges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pacecar.reporting.document.shapes import DOCUMENT_VERSION

Plain = dict[str, Any]

_NONE_CERTAIN = "No cause is certain."


def migrated(data: Any) -> Any:
    """`data`, if it is a document of an older version, as one of today's.

    Raises:
        ValueError: when it is not what its version was.
    """
    version = data.get("schema_version") if isinstance(data, dict) else None
    if type(version) is not int or version not in _STEPS:
        return data
    for step in range(version, DOCUMENT_VERSION):
        data = _STEPS[step](data) | {"schema_version": step + 1}
    return data


def _with_causes(document: Plain) -> Plain:
    """Version 1 had the cause of a finding as one sentence, whether there was one or not."""
    findings = document.get("findings")
    return document | {"findings": [*map(_finding, findings)]} if isinstance(findings, list) else document


def _finding(finding: Any) -> Plain:
    if not isinstance(finding, dict) or finding.keys() != {"metric", "cause"} or not isinstance(finding["cause"], str):
        raise ValueError("a finding of version 1 has a metric and a cause, which is a text")
    return {"metric": finding["metric"], "causes": _causes(finding["cause"])}


def _causes(sentence: str) -> list[Plain]:
    if sentence in ("", _NONE_CERTAIN):
        return []
    scope = {"frame": None, "pool": None, "endpoint": None}
    return [{"name": "unknown", "title": "Likely cause", "statement": sentence, "scope": scope, "amounts": []}]


#: Version -> the step to the next one.
_STEPS: dict[int, Callable[[Plain], Plain]] = {1: _with_causes}
