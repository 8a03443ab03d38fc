"""What Kueue says of a job that it holds back."""

from __future__ import annotations

from typing import Any

import pytest

from pacecar.system.cluster import queues, waiting


def workload(*conditions: dict[str, Any]) -> Any:
    return queues.workload().from_dict({"metadata": {"name": "job"}, "status": {"conditions": list(conditions)}})


def reserved(status: str, message: str) -> dict[str, Any]:
    return {"type": "QuotaReserved", "status": status, "message": message}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (workload(), None),
        (queues.workload().from_dict({"metadata": {"name": "job"}}), None),
        (workload(reserved("True", "Quota reserved in ClusterQueue performance")), None),
        (workload({"type": "Evicted", "status": "False", "message": "no"}), None),
        (workload(reserved("False", "ClusterQueue\nperformance is inactive")), "ClusterQueue performance is inactive"),
        (workload(reserved("False", "")), None),
    ],
    ids=range(6),
)
def test_it_says_why_quota_is_not_there_yet(found: Any, said: str | None) -> None:
    assert queues.why_not_yet(found) == said


def test_what_a_job_waits_for_ends_a_sentence() -> None:
    assert waiting.held_back(None) == "its queue does not let it begin yet"
    assert waiting.held_back("1 more needed") == "its queue does not let it begin yet: 1 more needed"


@pytest.mark.hostile
def test_what_it_says_is_one_line_of_plain_text() -> None:
    assert queues.why_not_yet(workload(reserved("False", "a\x1b[31m\nb" + "x" * 5000))) is not None
    found = str(queues.why_not_yet(workload(reserved("False", "a\x1b[31m\nb" + "x" * 5000))))
    assert "\x1b" not in found
    assert "\n" not in found
    assert len(found) <= 400
