"""What a search for a commit follows."""

from __future__ import annotations

from dataclasses import replace

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.document import Document
from pacecar.workflow.searching import deciding
from support.documents import run


def _regressed(document: Document, *roles: Role) -> Document:
    """The document, in which a metric of each role regressed and nothing else did."""
    rows = [replace(row, verdict=Verdict.PASSED) for row in document.judgements if row.role is Role.GUARANTEED]
    first = document.judgements[0]
    told = [
        replace(first, name=f"latency.p{number}0", role=role, verdict=Verdict.REGRESSED)
        for number, role in enumerate(roles, 5)
    ]
    return replace(document, judgements=(*rows, *told))


def test_where_no_guaranteed_metric_regressed_tripwires_that_did_are_followed() -> None:
    found = deciding(_regressed(run().document(), Role.TRIPWIRE, Role.OBSERVED))
    assert [each.metric for each in found if each.verdict is Verdict.REGRESSED] == ["latency.p50"]
    assert len(found) > 1


def test_what_is_guaranteed_goes_before_tripwires() -> None:
    found = deciding(_regressed(run().document(), Role.TRIPWIRE, Role.GUARANTEED))
    assert [each.metric for each in found if each.verdict is Verdict.REGRESSED] == ["latency.p60"]
