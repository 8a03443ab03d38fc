"""The objects of a submission."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from lightkube import codecs

from pacecar.workflow.cluster.job import JobOrder, job_of, owner_of, secret_of

ORDER = JobOrder(
    run_id="20250301-101500-9f3a",
    image="registry.example/pacecar:0.1",
    account="pacecar",
    queue=None,
    node_network=False,
    cpu="250m",
    memory_bytes=2 << 30,
    lives_s=3600,
    files={"submission.json": "{}", "config.toml": "password = 'hunter2'"},
    variables={"AWS_SECRET_ACCESS_KEY": "hunter2"},
)


@pytest.mark.hostile
def test_what_is_secret_stands_in_the_secret_alone() -> None:
    secret = secret_of(ORDER, job=owner_of(ORDER, "uid"))
    assert secret["stringData"]["variable.AWS_SECRET_ACCESS_KEY"] == "hunter2"
    assert "hunter2" not in json.dumps(job_of(ORDER))
    assert "hunter2" not in repr(ORDER)
    (container,) = job_of(ORDER)["spec"]["template"]["spec"]["containers"]
    variable = next(each for each in container["env"] if each["name"] == "AWS_SECRET_ACCESS_KEY")
    key = variable["valueFrom"]["secretKeyRef"]
    assert key == {"name": secret["metadata"]["name"], "key": "variable.AWS_SECRET_ACCESS_KEY"}
    volume = job_of(ORDER)["spec"]["template"]["spec"]["volumes"][0]["secret"]
    assert [item["key"] for item in volume["items"]] == ["submission.json", "config.toml"]


def test_the_cluster_knows_every_key_of_them() -> None:
    for document in (job_of(ORDER), secret_of(ORDER, job=owner_of(ORDER, "uid"))):
        read = codecs.from_dict(document)
        assert read.metadata.labels == {"dev.pacecar/run": ORDER.run_id}


def test_it_has_what_the_pods_of_the_target_have() -> None:
    job = job_of(replace(ORDER, also={"team": "shop"}, pull_secrets=("registry",)))
    assert job["metadata"]["labels"] == {"team": "shop", **ORDER.labels}
    pod = job["spec"]["template"]
    assert pod["metadata"]["labels"] == {"team": "shop", **ORDER.labels}
    assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]


def test_a_job_with_a_queue_begins_when_that_says_so() -> None:
    waits = job_of(replace(ORDER, queue="performance"))
    assert waits["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "performance"
    assert waits["spec"]["suspend"] is True
    # What is labelled with a queue is held back by it: the pod is the job's affair.
    assert waits["spec"]["template"]["metadata"]["labels"] == ORDER.labels
    alone = job_of(ORDER)
    assert (alone["metadata"]["labels"], alone["spec"]["suspend"]) == (ORDER.labels, False)


def test_a_secret_goes_with_its_job() -> None:
    (owner,) = secret_of(ORDER, job=owner_of(ORDER, "uid"))["metadata"]["ownerReferences"]
    assert owner == {"apiVersion": "batch/v1", "kind": "Job", "name": ORDER.name, "uid": "uid"}
