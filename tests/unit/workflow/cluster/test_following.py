"""How a run that a cluster has measured came to its end, as the store tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.archive import handover
from pacecar.archive.bucket import Bucket
from pacecar.archive.shared import Shared
from pacecar.errors import PacecarError
from pacecar.system.cluster import ClusterError, ClusterUnreachable
from pacecar.workflow.cluster import following
from pacecar.workflow.cluster.following import Silence, fetched

RUN = "20250301-101500-9f3a"


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(bucket=Bucket(f"file://{tmp_path}/store", {}), root=tmp_path / ".pacecar")


@pytest.mark.parametrize("code", [2, 3, 70])
def test_it_ends_here_as_it_ended_there(shared: Shared, code: int) -> None:
    handover.end(shared, RUN, handover.Ended(exit_code=code, message="No fork was ready.", hint="See its log."))
    with pytest.raises(PacecarError, match="No fork was ready") as caught:
        fetched(shared, RUN, why=None)
    assert (caught.value.exit_code, caught.value.hint) == (code, "See its log.")


@pytest.mark.hostile
@pytest.mark.parametrize("code", [0, 1, 4, 130, -1])
def test_no_failure_passes_for_a_verdict(shared: Shared, code: int) -> None:
    handover.end(shared, RUN, handover.Ended(exit_code=code, message="All is well."))
    with pytest.raises(PacecarError) as caught:
        fetched(shared, RUN, why=None)
    assert caught.value.exit_code == 3


@pytest.mark.hostile
def test_an_exit_code_that_no_process_has_is_damage(shared: Shared) -> None:
    handover.end(shared, RUN, handover.Ended(exit_code=1 << 70, message="All is well."))
    with pytest.raises(PacecarError, match="is damaged") as caught:
        fetched(shared, RUN, why=None)
    assert caught.value.exit_code == 2


def test_nobody_knows_it(shared: Shared) -> None:
    with pytest.raises(ClusterError, match=r"holds nothing of run .* It was killed for lack of memory\."):
        fetched(shared, RUN, why="It was killed for lack of memory.")


def test_a_cluster_that_is_silent_is_borne_with_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    error, silence = ClusterUnreachable("The cluster does not answer: no route."), Silence(tell=told.append)
    for _ in range(2):
        silence.borne(error)
    assert told == ["The cluster does not answer: no route. Still trying."]
    silence.broken()
    silence.borne(error)
    assert len(told) == 2
    monkeypatch.setattr(following, "_SILENCE_S", 0.0)
    with pytest.raises(ClusterUnreachable):
        silence.borne(error)
