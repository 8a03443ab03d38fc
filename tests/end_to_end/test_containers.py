"""The command on the sample of docker-compose.yml, in containers with a PostgreSQL of each fork's own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pandas as pd
import pytest

from end_to_end.conftest import Project
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Value
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side
from support import container_engine
from support.checkout import CHECKOUT
from support.container_engine.project import APP, build, left
from support.container_engine.reached import reached
from support.container_engine.service import PLAIN, POSTGRES, POSTGRES_START, built_jar

pytestmark = [
    pytest.mark.shares_machine,
    pytest.mark.xdist_group("containers"),  # each asks the engine what is left in it
]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The images that docker-compose.yml names, in kinds of our own: no registry can be reached."""
    with reached(), pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("postgres")
        (folder / "start.sh").write_text(POSTGRES_START)
        patch.setenv("POSTGRES_IMAGE", build(folder, "pacecar-test/postgres:1", POSTGRES))
        patch.setenv("JRE_IMAGE", container_engine.BASE)
        patch.setenv("ORDERS_STAGE", "jre")
        yield


def test_two_builds_in_containers(images: None, project: Project) -> None:
    shutil.copy(CHECKOUT / "docker-compose.yml", project.folder)
    done = project.pacecar("compare", "--set", "target.deploy=compose", "--set", "plan.pairs=1", "--fail-on", "nothing")
    # On a machine that is busy with something else the pair is not believed; it is recorded all the same.
    assert done.returncode in (0, 3), done.stderr
    assert left() == []
    assert project.left_behind() == []
    pair = project.run / "pairs" / "01"
    (measured,) = RunDirectory.open(project.run).pairs()
    for side in ("baseline", "candidate"):
        accounts = pd.read_parquet(pair / side / "containers.parquet")
        assert set(accounts["edge"]) == {"start", "end"}
        assert (accounts["cpu_limit"] == 1).all()
        assert (accounts["memory_limit_bytes"] == 768 << 20).all()
        assert accounts["network_bytes"].is_monotonic_increasing
        assert (accounts["beside_cpu_ns"] > 0).all(), "its database works for it"
        assert not pd.read_parquet(pair / side / "samples.parquet").empty
        assert not pd.read_parquet(pair / side / "pauses.parquet").query("process == 'target'").empty
        assert not pd.read_parquet(pair / side / "scrapes.parquet").empty
        allocated = pd.read_parquet(pair / side / "counters.parquet")["allocated_bytes"]
        assert (allocated.dropna() > 0).all()
        # A JVM may be too busy to answer at an edge: then the pair says so.
        assert allocated.notna().all() or any("did not answer within" in note for note in measured.record.notes)
        assert (pair / side / "raw" / "service.log").exists()
        assert "database system is ready" in (pair / side / "raw" / "postgres.log").read_text()
    for side in Side:
        found = readings(MeasuredFork.of(measured, side), ())
        known = {metric.name for metric, reading in found.items() if isinstance(reading, Value)}
        assert {"cpu", "allocation", "cpu.limit", "throttled", "throttled.periods", "memory.limit", "network"} <= known


LEAKING = """
[target]
name = "app"
deploy = "compose"
ready = "/health"
ready_timeout = "240 s"

[target.env]
JAVA_TOOL_OPTIONS = "-Xmx32m -XX:MaxDirectMemorySize=4g"

[target.compose]
jar = "/app/service.jar"
memory = "160 MiB"

[builds]
baseline = "jar:service.jar"
candidate = "leaking"

[builds.named.leaking]
build = "jar:service.jar"
env = { LEAK = "yes" }

[scenario]
rate = "20/s"
endpoints = [{ name = "work", path = "/work" }]

[plan]
pairs = 3
side = "6 s"
slice = "3 s"
warmup = "0 s"
burst = "0 s"
steady = false
"""


def test_a_candidate_killed_for_memory_in_two_pairs_is_regressed(images: None, project: Project) -> None:
    (project.folder / "image").mkdir()
    build(project.folder / "image", "pacecar-test/plain:1", PLAIN)
    built_jar(project.folder)
    (project.folder / "docker-compose.yml").write_text(json.dumps({"services": {"app": APP}}))
    (project.folder / "pacecar.toml").write_text(LEAKING)
    done = project.pacecar("compare")
    assert done.returncode == 1, done.stderr
    assert project.document["verdict"] == "regressed"
    assert "the candidate died in 2 of 2 forks" in done.stdout
    assert "was killed for lack of memory at its limit of 168 MB" in done.stdout
    assert left() == []
    assert project.left_behind() == []
