"""The command on the sample of docker-compose.yml, in containers with a PostgreSQL of each fork's own."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

import pandas as pd
import pytest

import container_engine
from container_engine.project import build, left
from container_engine.service import POSTGRES, POSTGRES_START
from end_to_end.conftest import ROOT, Project


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The images that docker-compose.yml names, in kinds of our own: no registry can be reached."""
    if lacking := container_engine.lacking():
        pytest.skip(lacking)
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        try:
            found = stack.enter_context(container_engine.running())
        except container_engine.NoEngine as reason:
            pytest.skip(str(reason))
        for name, value in found.items():
            patch.setenv(name, value)
        folder = tmp_path_factory.mktemp("postgres")
        (folder / "start.sh").write_text(POSTGRES_START)
        patch.setenv("POSTGRES_IMAGE", build(folder, "pacecar-test/postgres:1", POSTGRES))
        patch.setenv("JRE_IMAGE", container_engine.BASE)
        patch.setenv("ORDERS_STAGE", "jre")
        yield


def test_two_builds_in_containers(images: None, project: Project) -> None:
    shutil.copy(ROOT / "docker-compose.yml", project.folder)
    done = project.pacecar("compare", "--set", "target.deploy=compose", "--set", "plan.pairs=1", "--fail-on", "nothing")
    assert done.returncode == 0, done.stderr
    assert left() == []
    assert project.left_behind() == []
    pair = project.run / "pairs" / "01"
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
        assert (pd.read_parquet(pair / side / "counters.parquet")["allocated_bytes"] > 0).all()
        assert (pair / side / "raw" / "service.log").exists()
        assert "database system is ready" in (pair / side / "raw" / "postgres.log").read_text()
    metrics = {row["name"] for row in project.document["judgements"]}
    assert {"cpu", "allocation", "throttled", "throttled.periods", "memory.limit", "network"} <= metrics
