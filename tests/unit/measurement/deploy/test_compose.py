"""What is read of a compose file and of Compose's complaints, without an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pacecar.measurement.deploy.compose.complaints import complaint_of
from pacecar.measurement.deploy.compose.facts import facts_of, processors
from pacecar.measurement.deploy.compose.overlay import Mount, Overlay
from pacecar.model.deployment import ComposeDeployment
from pacecar.system.engine.compose import ComposeFileError, Resolved

PROJECT = "pacecar-1-2-c"


def resolved(services: dict[str, Any], **more: Any) -> Resolved:
    return Resolved(file=Path("/project/docker-compose.yml"), services=services, **more)


def compose(**changes: Any) -> ComposeDeployment:
    return ComposeDeployment(file=Path("/project/docker-compose.yml"), service="app", **changes)


@pytest.mark.parametrize(
    ("cpus", "limit", "expected"),
    [((), None, None), ((0, 1), None, 2), ((0, 1, 2), 1.5, 2), ((0,), 4.0, 1), ((), 0.2, 1), ((), 2.0, 2)],
)
def test_a_jvm_arranges_itself_for_its_cores_and_its_limit(
    cpus: tuple[int, ...], limit: float | None, expected: int | None
) -> None:
    assert processors(cpus, limit) == expected


@pytest.mark.parametrize(
    ("service", "cpus", "memory"),
    [
        ({"cpus": 1.5, "mem_limit": "536870912"}, 1.5, 512 << 20),
        ({"deploy": {"resources": {"limits": {"cpus": 0.5, "memory": "268435456"}}}}, 0.5, 256 << 20),
        ({}, None, None),
    ],
)
def test_limits_as_the_file_has_them(service: dict[str, Any], cpus: float | None, memory: int | None) -> None:
    facts = facts_of(resolved({"app": {"expose": ["8080"], **service}}), compose())
    assert (facts.cpus, facts.memory_bytes) == (cpus, memory)


def test_a_port_that_is_published_comes_before_those_that_are_exposed() -> None:
    service = {"ports": [{"target": 80, "protocol": "tcp"}, {"target": 53, "protocol": "udp"}], "expose": ["1", "2"]}
    assert facts_of(resolved({"app": service}), compose()).port == 80
    assert facts_of(resolved({"app": service}), compose(port=8081)).port == 8081


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ({"read_only": True}, True),
        ({"tmpfs": ["/tmp:size=64m"]}, True),
        ({"volumes": [{"type": "tmpfs", "target": "/tmp"}]}, True),
        ({"tmpfs": ["/run"]}, False),
        ({}, False),
    ],
)
def test_whether_the_profiler_can_be_loaded_from_tmp(service: dict[str, Any], expected: bool) -> None:
    assert facts_of(resolved({"app": {"expose": ["1"], **service}}), compose()).loads_nothing_from_tmp is expected


def test_dependencies_of_dependencies_belong_to_it() -> None:
    services = {
        "app": {"expose": ["1"], "depends_on": {"a": {}}},
        "a": {"depends_on": {"b": {}, "app": {}}},
        "b": {},
        "other": {},
    }
    assert facts_of(resolved(services), compose()).together == ("app", "a", "b")


def test_external_networks_are_refused() -> None:
    service = {"expose": ["1"], "networks": {"shared": None}}
    with pytest.raises(ComposeFileError, match="on the external network 'shared', where both forks have its name"):
        facts_of(resolved({"app": service}, networks={"shared": {"external": True}}), compose())


def test_the_overlay_is_literal_and_holds_no_secret(tmp_path: Path) -> None:
    facts = facts_of(resolved({"app": {"expose": ["1"], "networks": {"default": None}}}), compose())
    overlay = Overlay(
        facts=facts,
        project=PROJECT,
        resources="id",
        port=20_000,
        bridge=f"{PROJECT}-bridge",
        images={"app": "sha256:1"},
        environment={"COST": "5$ ${x}", "QUOTED": 'a"b: !reset c'},
        secrets={"PASSWORD": "s3cret"},
        mounts=[Mount(source=Path("/a$b"), target="/c")],
    )
    path = tmp_path / "overlay.yaml"
    needed = overlay.write(path)
    text = path.read_text()
    assert needed == {"PACECAR_SECRET_0": "s3cret"}
    assert "s3cret" not in text
    assert '"PASSWORD": "${PACECAR_SECRET_0}"' in text
    assert '"COST": "5$$ $${x}"' in text
    assert r'"QUOTED": "a\"b: !reset c"' in text
    assert '"source": "/a$$b"' in text
    assert '"ports": !override ["127.0.0.1:20000:1"]' in text
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("log", "why", "blamed"),
    [
        (
            "Bind for 127.0.0.1:20001 failed: port is already allocated",
            "could not be started: port 20001 is already in use",
            None,
        ),
        (
            "listen tcp4 127.0.0.1:20001: bind: address already in use",
            "could not be started: port 20001 is already in use",
            None,
        ),
        (
            f"dependency failed to start: container {PROJECT}-my-db-1 is unhealthy",
            "did not come up: its service my-db is unhealthy",
            "my-db",
        ),
        (f"container {PROJECT}-db-1 exited (3)", "did not come up: its service db ended with status 3", "db"),
        ("No such image: sha256:12", "could not be started: there is no image sha256:12 any more", None),
        ("Error response from daemon: \x1b[31mno space\x07 left", "could not be started: no space left", None),
        ("", "could not be started: it did not say why", None),
    ],
)
def test_complaints(log: str, why: str, blamed: str | None) -> None:
    assert complaint_of(log, project=PROJECT) == (why, blamed)
