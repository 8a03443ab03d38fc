"""What goes wrong with containers, as the command says it: one sentence, the right exit code, nothing left behind."""

from __future__ import annotations

import json
import os
import pwd
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pacecar.measurement.deploy import DeployError
from pacecar.system.engine import EngineError, compose, unreachable
from support.container_engine.project import APP, Project, docker, left

CONFIG = """
[target]
name = "app"
deploy = "compose"
ready = "/health"
ready_timeout = "20 s"

[target.compose]
jar = "/app/service.jar"

[builds]
baseline = "jar:service.jar"
candidate = "{candidate}"
measure_equal = true

[scenario]
rate = "5/s"

[plan]
pairs = 1
side = "1 s"
slice = "1 s"
warmup = "1 s"
"""
SLEEPER = {"image": "pacecar-test/plain:1", "entrypoint": ["sleep", "600"], "stop_signal": "SIGKILL"}


def compare(
    project: Project, *, candidate: str = "jar:service.jar", services: dict[str, Any] | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """`pacecar compare` in the project's folder."""
    (project.folder / "pacecar.toml").write_text(CONFIG.format(candidate=candidate))
    if not (project.folder / "service.jar").exists():
        (project.folder / "service.jar").symlink_to(project.jar)
    if services is not None:
        project.write(services)
    environment = {**os.environ, **env}
    environment.pop("PACECAR_CACHE")  # the load generator need not be fetched anew
    return subprocess.run(
        [sys.executable, "-m", "pacecar", "compare"],
        cwd=project.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The one error there is."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert left() == []
    return lines[0]


def test_no_engine(project: Project, tmp_path: Path) -> None:
    done = compare(project, DOCKER_HOST=f"unix://{tmp_path}/nobody.sock")
    assert done.returncode == 2
    assert "The container engine cannot be reached" in sentence(done)
    assert "sudo systemctl start docker" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user without rights")
def test_no_rights_on_its_socket(engine: None) -> None:
    # Like the engine's own, of its owner and group alone; the engine of a test may lie where nobody gets to it at all.
    nobody = pwd.getpwnam("nobody")
    place = Path("/tmp") / f"pacecar-rights-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        place.chmod(0o660)
        try:
            done = subprocess.run(
                ["docker", "--host", f"unix://{place}", "ps"],
                user=nobody.pw_uid,
                group=nobody.pw_gid,
                extra_groups=[],
                env={"PATH": os.environ["PATH"], "HOME": "/"},
                capture_output=True,
                text=True,
            )
        finally:
            place.unlink()
    assert done.returncode != 0
    with pytest.raises(EngineError, match="permission denied on its socket") as info:
        unreachable(done.stderr)
    assert info.value.exit_code == 2
    assert "usermod -aG docker" in str(info.value.hint)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("services: [", "Compose does not accept"),
        ("services: {app: {image: x, unknown_key: 1}}", "unknown_key"),
        ("services: {other: {image: x}}", "has no service 'app'"),
        ("services: {app: {image: pacecar-test/plain:1}}", "names no port"),
        ("services: {app: {image: pacecar-test/plain:1, expose: [1, 2]}}", "names 2 ports"),
        ("services: {app: {image: pacecar-test/plain:1, expose: [1], network_mode: host}}", "has network_mode 'host'"),
        ("services: {app: {image: pacecar-test/plain:1, expose: [1], volumes: ['./:/data']}}", "writes to the folder"),
        (
            "{services: {app: {image: pacecar-test/plain:1, expose: [1], volumes: ['stored:/data']}}, "
            "volumes: {stored: {external: true}}}",
            "writes to the external volume 'stored'",
        ),
    ],
)
def test_a_compose_file_with_an_error(project: Project, text: str, expected: str) -> None:
    project.file.write_text(text)
    done = compare(project)
    assert done.returncode == 2
    assert expected in sentence(done)


def test_an_image_that_does_not_exist(project: Project) -> None:
    done = compare(project, candidate="image:127.0.0.1:1/nobody/none:1.4")
    assert done.returncode == 2
    assert "There is no image 127.0.0.1:1/nobody/none:1.4 on this machine, and it cannot be fetched" in sentence(done)


def test_a_dependency_whose_image_does_not_exist(project: Project) -> None:
    other = {"image": "127.0.0.1:1/nobody/none:1.4"}
    done = compare(project, services={"app": {**APP, "depends_on": ["other"]}, "other": other})
    assert done.returncode == 2
    assert "There is no image 127.0.0.1:1/nobody/none:1.4" in sentence(done)


def test_an_unhealthy_dependency(project: Project) -> None:
    check = {"test": ["CMD", "false"], "interval": "200ms", "retries": 2}
    needs = {"other": {"condition": "service_healthy"}}
    services = {"app": {**APP, "depends_on": needs}, "other": {**SLEEPER, "healthcheck": check}}
    done = compare(project, services=services)
    assert done.returncode == 3
    assert "did not come up: its service other is unhealthy" in sentence(done)


def test_a_dependency_that_ends(project: Project) -> None:
    other = {**SLEEPER, "entrypoint": ["sh", "-c", "echo no space left; exit 4"]}
    needs = {"other": {"condition": "service_completed_successfully"}}
    done = compare(project, services={"app": {**APP, "depends_on": needs}, "other": other})
    assert done.returncode == 3
    assert "its service other" in sentence(done)
    assert "no space left" in done.stderr


def test_a_service_that_does_not_start(project: Project) -> None:
    done = compare(project, services={"app": {**APP, "environment": {"BROKEN": "1"}}})
    assert done.returncode == 3
    assert "ended with status 1 before it was ready" in sentence(done)
    assert "cannot read the configuration" in done.stderr


def test_a_port_clash(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        # Somebody took it between our look and the engine's.
        monkeypatch.setattr("pacecar.measurement.deploy.ports.free_port", lambda: port)
        fork = project.deploy()
        with pytest.raises(DeployError, match=f"port {port} is already in use") as info:
            fork.await_ready()
        assert info.value.exit_code == 3
        fork.stop()
    assert left() == []


def test_a_compose_that_is_too_old(engine: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = tmp_path / "cli-plugins"
    plugins.mkdir()
    metadata = json.dumps({"SchemaVersion": "0.1.0", "Vendor": "x", "Version": "v2.3.3"})
    (plugins / "docker-compose").write_text(
        f"#!/bin/sh\nif [ \"$1\" = docker-cli-plugin-metadata ]; then echo '{metadata}'; else echo 2.3.3; fi\n"
    )
    (plugins / "docker-compose").chmod(0o755)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    with pytest.raises(EngineError, match=r"Docker Compose 2\.3\.3 is too old; Pacecar needs 2\.24\.4"):
        compose.version()


def test_nothing_of_the_users_is_touched(project: Project) -> None:
    docker("volume", "create", "pacecar-test-users")
    try:
        project.deploy().stop()
        assert "pacecar-test-users" in docker("volume", "ls", "--quiet").split()
    finally:
        docker("volume", "rm", "pacecar-test-users")
