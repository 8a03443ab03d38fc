"""What an admin applies for a namespace."""

from __future__ import annotations

from typing import Any

import yaml

from pacecar.onboarding.cluster_manifest import cluster_manifest


def objects(*, at_once: int | None = None) -> dict[tuple[str, str], dict[str, Any]]:
    documents = yaml.safe_load_all(cluster_manifest("performance", at_once=at_once))
    return {(each["kind"], each["metadata"]["name"]): each for each in documents}


def rights(found: dict[tuple[str, str], dict[str, Any]]) -> set[str]:
    rules = found["Role", "pacecar-submitter"]["rules"]
    return {f"{verb} {name}" for rule in rules for name in rule["resources"] for verb in rule["verbs"]}


def test_without_a_queue_nothing_of_kueue_is_asked_for() -> None:
    found = objects()
    assert not [kind for kind, _ in found if "Queue" in kind or "Flavor" in kind]
    assert not [right for right in rights(found) if "queue" in right]


def test_a_queue_counts_jobs_and_the_quota_has_room_for_what_it_lets_in() -> None:
    found = objects(at_once=20)
    queue = found["LocalQueue", "pacecar"]
    assert queue["metadata"]["namespace"] == "performance"
    (group,) = found["ClusterQueue", queue["spec"]["clusterQueue"]]["spec"]["resourceGroups"]
    (flavor,) = group["flavors"]
    assert ("ResourceFlavor", flavor["name"]) in found
    quotas = {each["name"]: each["nominalQuota"] for each in flavor["resources"]}
    assert list(quotas) == group["coveredResources"]
    assert quotas["pods"] == "20"
    # Each run is a job and, at most, the two forks of a pair beside those of the pair before.
    assert int(found["ResourceQuota", "pacecar"]["spec"]["hard"]["pods"]) >= 3 * 20
    assert {"get localqueues", "list workloads"} <= rights(found)


def test_a_short_queue_does_not_lower_the_quota() -> None:
    quotas = [found["ResourceQuota", "pacecar"]["spec"]["hard"]["pods"] for found in (objects(), objects(at_once=1))]
    assert quotas[0] == quotas[1]
