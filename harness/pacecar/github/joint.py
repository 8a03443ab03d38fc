"""Several comparisons of one job: what later steps are told of all of them together, and what the artifact holds."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pacecar.github.artifact import FAILURE_NAME, NEW_NAME, PARTS
from pacecar.github.identity import LONGEST, is_name
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.joint import ServiceResult, verdict_of
from pacecar.workflow.affected import ServiceOutcome
from pacecar.workflow.publishing import REPORT_NAME

_OTHER = re.compile(r"[^a-z0-9]+")
_DIGITS = 8


def names_of(services: Sequence[str]) -> dict[str, str]:
    """Service -> a name of its own that can name a file anywhere: `services/orders` -> `services-orders`."""
    plain = {service: _OTHER.sub("-", service.lower()).strip("-")[:LONGEST].rstrip("-") for service in services}
    taken = list(plain.values())
    return {
        service: name if taken.count(name) == 1 and is_name(name) else _numbered(service, name)
        for service, name in plain.items()
    }


def _numbered(service: str, name: str) -> str:
    digest = hashlib.sha256(service.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
    return f"{name[: LONGEST - _DIGITS - 1].rstrip('-')}-{digest}".lstrip("-")


def hand_on_all(found: Sequence[ServiceOutcome], *, name: str, temporary: Path) -> Path:
    """A new folder below `temporary` that an artifact is made of: every outcome, under the comparison's name."""
    folder = Path(tempfile.mkdtemp(prefix="pacecar-", dir=temporary))
    for each, own in _named(found):
        part = folder / name / PARTS / own
        part.mkdir(parents=True)
        if each.run is not None:
            shutil.copyfile(each.run.path / DOCUMENT_NAME, part / DOCUMENT_NAME)
        elif each.failure is not None:
            (part / FAILURE_NAME).write_text(each.failure.message, encoding="utf-8", errors="replace")
        else:
            (part / NEW_NAME).touch()
    return folder


def reports_of(found: Sequence[ServiceOutcome], *, temporary: Path) -> Path:
    """A new folder below `temporary` with the HTML report of each service that was measured."""
    folder = Path(tempfile.mkdtemp(prefix="pacecar-", dir=temporary))
    for each, own in _named(found):
        if each.run is not None and each.document is not None and each.document.measured:
            shutil.copyfile(each.run.path / REPORT_NAME, folder / f"{own}.html")
    return folder


def outputs_of_all(
    found: Sequence[ServiceOutcome],
    parts: Sequence[ServiceResult],
    *,
    told: Sequence[Mapping[str, Any]],
    temporary: Path,
) -> dict[str, str]:
    """The outputs of all comparisons together.

    Args:
        found: what became of each service.
        parts: the same, as reports tell them.
        told: the same for a script, which becomes the file `document-path`.
        temporary: where files are put.
    """
    verdict = verdict_of(parts)
    listed = Path(tempfile.mkdtemp(prefix="pacecar-", dir=temporary)) / "affected.json"
    listed.write_text(json.dumps(told, indent=2), encoding="utf-8")
    reports = reports_of(found, temporary=temporary)
    return {
        "verdict": verdict.value if verdict is not None else "",
        "regressions": str(sum(len(part.document.regressions) for part in parts if part.document is not None)),
        "report-path": str(reports) if any(reports.iterdir()) else "",
        "document-path": str(listed),
    }


def _named(found: Sequence[ServiceOutcome]) -> list[tuple[ServiceOutcome, str]]:
    names = names_of([each.service.name for each in found])
    return [(each, names[each.service.name]) for each in found]
