"""What a Pacecar that was killed leaves in the engine, and who removes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pacecar.system import engine
from pacecar.system.engine.removal import listed
from pacecar.system.resources import sweep
from support.container_engine.project import APP, Project, docker, left, wait_until
from support.watchdogs import line_of

OWNER = """
import sys
from pathlib import Path
from support.container_engine.project import Project
from pacecar.system.resources import Resources
folder, jar = map(Path, sys.argv[1:])
resources = Resources()
project = Project(folder=folder, resources=resources, jar=jar)
fork = project.deploy()
print("started", flush=True)
fork.await_ready()
print("ready", flush=True)
fork.check()
import time
time.sleep(600)
"""
SLEEPER = {
    "image": "pacecar-test/plain:1",
    "entrypoint": ["sleep", "600"],
    "volumes": ["data:/data", "/anonymous"],
    "stop_signal": "SIGKILL",
}


def start(project: Project) -> subprocess.Popen[str]:
    project.write(
        {"app": {**APP, "depends_on": ["other"]}, "other": SLEEPER}, volumes={"data": {}}, networks={"inner": {}}
    )
    tests = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{tests}:{tests.parent / 'harness'}"}
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, project.folder, project.jar], env=environment, stdout=subprocess.PIPE, text=True
    )


def kill(owner: subprocess.Popen[str]) -> str:
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert owner.stdout is not None
    owner.stdout.close()
    (ledger,) = (Path(os.environ["PACECAR_STATE"]) / "ledgers").glob(f"{owner.pid}-*.jsonl")
    return ledger.stem


def test_sweep_removes_what_is_up(project: Project) -> None:
    owner = start(project)
    assert [line_of(owner), line_of(owner)] == ["started\n", "ready\n"]
    label = f"{engine.OWNER}={kill(owner)}"
    assert [len(listed(kind, label)) for kind in ("container", "network", "volume")] == [2, 2, 1]
    anonymous = set(docker("volume", "ls", "--quiet").split())
    done = sweep()
    assert sum(line.startswith("removed container") for line in done) == 2
    assert left() == []
    gone = anonymous - set(docker("volume", "ls", "--quiet").split())
    assert len(gone) == 2, "the named volume and the anonymous one"
    assert sweep() == []


@pytest.mark.parametrize("moment_s", [0.0, 0.3, 0.8, 1.6])
def test_sweep_removes_what_was_on_its_way(project: Project, moment_s: float) -> None:
    owner = start(project)
    assert line_of(owner) == "started\n"
    time.sleep(moment_s)
    kill(owner)
    sweep()
    assert left() == []


def test_without_the_engine_the_ledger_stays_until_it_is_back(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = start(project)
    assert line_of(owner) == "started\n"
    wait_until(left)
    name = kill(owner)
    ledger = Path(os.environ["PACECAR_STATE"]) / "ledgers" / f"{name}.jsonl"
    reachable = ledger.read_text()
    away = reachable.replace(os.environ.get("DOCKER_HOST", '"path": ""'), "unix:///nonexistent/docker.sock")
    if away == reachable:
        away = reachable.replace('"kind": "containers", "path": ""', '"kind": "containers", "path": "unix:///nowhere"')
    ledger.write_text(away)
    assert any("left containers in place" in line for line in sweep())
    assert left()
    ledger.write_text(reachable)
    sweep()
    assert left() == []
    assert not ledger.exists()


def test_what_somebody_else_labels_is_left_alone(project: Project) -> None:
    docker("network", "create", "--label", "dev.pacecar.owner=", "pacecar-test-not-ours")
    try:
        owner = start(project)
        assert line_of(owner) == "started\n"
        kill(owner)
        sweep()
        assert "pacecar-test-not-ours" in docker("network", "ls", "--format", "{{.Name}}").split()
    finally:
        docker("network", "rm", "pacecar-test-not-ours")
