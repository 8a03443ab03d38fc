"""What a job says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacecar.system.cluster.errors import plain

if TYPE_CHECKING:
    from lightkube.resources.batch_v1 import Job

#: `SuccessCriteriaMet` and `FailureTarget` come before these, while its pods still end.
_COMPLETE, _FAILED = "Complete", "Failed"
#: Why a job failed, where that is not simply that its pod did.
_TELLING = ("DeadlineExceeded",)


@dataclass(frozen=True, kw_only=True)
class JobState:
    """A job at one moment.

    Attributes:
        ended: nothing of it runs any more, nor will.
        why: what the cluster says of a failure that was not its pod's own; None for nothing.
        suspended: it may not run now, as where a queue holds it.
        uid: by which the API tells it from others of its name; None for one that is gone.
    """

    ended: bool
    why: str | None = None
    suspended: bool = False
    uid: str | None = None


def state_of(job: Job) -> JobState:
    """What `job` says."""
    conditions = (job.status.conditions if job.status is not None else None) or ()
    states = {each.type: each for each in conditions if each.status == "True"}
    failed = states.get(_FAILED)
    told = failed is not None and failed.reason in _TELLING
    return JobState(
        ended=_COMPLETE in states or failed is not None,
        why=plain(failed.message) or None if told and failed is not None else None,
        suspended=bool(job.spec is not None and job.spec.suspend),
        uid=job.metadata.uid if job.metadata is not None else None,
    )
