"""How long a pod is waited for that does not start, and what is said of it then."""

from __future__ import annotations

from typing import Any, cast

import pytest
from lightkube.resources.core_v1 import Pod

from pacecar.system.cluster.pods import ContainerState, PodState, state_of
from pacecar.system.cluster.waiting import PLACING_S, Prospects, waits_for

SAID = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {pool: quiet}."
REMEDY = "Have one added."


def pending(*conditions: dict[str, Any], node: str | None = None) -> PodState:
    document = {
        "metadata": {"name": "pacecar-1", "uid": "1"},
        "spec": {"containers": [], "nodeName": node},
        "status": {"phase": "Pending", "conditions": list(conditions)},
    }
    return state_of(cast("Pod", Pod.from_dict(document)))


def unplaced(message: str = SAID, *, reason: str = "Unschedulable", status: str = "False") -> PodState:
    return pending({"type": "PodScheduled", "status": status, "reason": reason, "message": message})


PLACED = pending({"type": "PodScheduled", "status": "True"}, node="node-1")
NO_IMAGE = PodState(
    name="pacecar-1",
    uid="1",
    phase="Pending",
    containers={"app": ContainerState(waiting="ErrImagePull")},
    node="node-1",
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def prospects(clock: Clock) -> Prospects:
    return Prospects(remedy=REMEDY, now=clock)


def test_a_pod_that_no_node_takes_is_given_the_time_that_an_autoscaler_needs(
    prospects: Prospects, clock: Clock
) -> None:
    assert prospects.given_up(unplaced()) is None
    clock.now += PLACING_S
    assert prospects.given_up(unplaced()) is None
    clock.now += 1
    found = prospects.given_up(unplaced())
    assert found is not None
    assert found.why == f"no node has taken it within 4 minutes, and the scheduler says: {SAID.rstrip('.')}"
    assert found.remedy == REMEDY


def test_one_that_a_node_takes_in_time_is_not_given_up(prospects: Prospects, clock: Clock) -> None:
    for state in (unplaced(), PLACED, unplaced(), PLACED):
        assert prospects.given_up(state) is None
        clock.now += PLACING_S


def test_what_no_patience_mends_is_given_up_soon(prospects: Prospects, clock: Clock) -> None:
    assert prospects.given_up(unplaced()) is None
    clock.now += 60
    assert prospects.given_up(NO_IMAGE) is None, "it has just begun to look so"
    clock.now += 3
    found = prospects.given_up(NO_IMAGE)
    assert found is not None
    assert "image of app cannot be pulled" in found.why


def test_a_pod_that_somebody_holds_back_waits_for_a_node_as_well(prospects: Prospects, clock: Clock) -> None:
    held = unplaced("Scheduling is blocked due to non-empty scheduling gates", reason="SchedulingGated")
    assert prospects.given_up(held) is None
    clock.now += PLACING_S + 1
    found = prospects.given_up(held)
    assert found is not None
    assert "non-empty scheduling gates" in found.why
    assert waits_for(held).startswith("no node takes it")
    assert unplaced(reason="Unschedulable", status="True").unschedulable is None


@pytest.mark.hostile
def test_what_the_scheduler_says_is_one_line_of_plain_text(prospects: Prospects, clock: Clock) -> None:
    odd = unplaced("a\x1b[31m\nb password=hunter2 " + "x" * 5_000)
    prospects.given_up(odd)
    clock.now += PLACING_S + 1
    found = prospects.given_up(odd)
    assert found is not None
    assert not {"\x1b", "\n"} & set(found.why)
    assert "hunter2" not in found.why
    assert len(found.why) < 500
