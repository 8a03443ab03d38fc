"""When a job has ended."""

from __future__ import annotations

import pytest
from lightkube.models.batch_v1 import JobCondition, JobSpec, JobStatus
from lightkube.models.core_v1 import PodTemplateSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job

from pacecar.system.cluster.jobs import JobState, state_of


def job(*conditions: str, reason: str | None = None) -> Job:
    found = [JobCondition(type=each, status="True", reason=reason, message=f"It is\n{reason}") for each in conditions]
    return Job(status=JobStatus(conditions=found))


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (Job(), JobState(ended=False)),
        (Job(status=JobStatus(active=1)), JobState(ended=False)),
        # Pods of it may still end.
        (job("SuccessCriteriaMet"), JobState(ended=False)),
        (job("FailureTarget"), JobState(ended=False)),
        (job("SuccessCriteriaMet", "Complete"), JobState(ended=True)),
        (job("Failed", reason="BackoffLimitExceeded"), JobState(ended=True)),
        (job("FailureTarget", "Failed", reason="DeadlineExceeded"), JobState(ended=True, why="It is DeadlineExceeded")),
        (Job(status=JobStatus(conditions=[JobCondition(type="Complete", status="False")])), JobState(ended=False)),
    ],
    ids=range(8),
)
def test_it_has_ended_by_its_last_condition(found: Job, state: JobState) -> None:
    assert state_of(found) == state


def test_one_that_is_held_back_is_suspended() -> None:
    spec = JobSpec(template=PodTemplateSpec(), suspend=True)
    assert state_of(Job(metadata=ObjectMeta(uid="3f"), spec=spec)) == JobState(ended=False, suspended=True, uid="3f")
