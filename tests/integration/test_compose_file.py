"""The compose file at the top level is one that Compose accepts, and that two forks of the sample can be made of."""

from __future__ import annotations

import re

import pytest

from pacecar.inputs import config
from pacecar.measurement.deploy.compose.facts import facts_of
from pacecar.model.deployment import ComposeDeployment
from pacecar.system.engine import compose
from support import container_engine
from support.checkout import CHECKOUT

TEXT = (CHECKOUT / "docker-compose.yml").read_text()


@pytest.mark.skipif(bool(container_engine.lacking()), reason=container_engine.lacking())
def test_the_sample_comes_with_its_database_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with container_engine.composing() as found:
        for name, value in found.items():
            monkeypatch.setenv(name, value)
        service = config.load(CHECKOUT / "pacecar.toml", overrides={"target.deploy": "compose"}).target.deployment
        assert isinstance(service, ComposeDeployment)
        resolved = compose.resolve(service.file, project="sample")
        facts = facts_of(resolved, service)
    assert set(resolved.services) == {"orders", "postgres", "pyroscope", "prometheus"}
    assert facts.together == ("orders", "postgres")
    assert facts.port == 8080
    assert facts.cpus == 1
    assert facts.memory_bytes == 768 << 20


def test_every_port_is_published_on_loopback_only() -> None:
    ports = re.findall(r'- "(.*):\d+:(?:8080|4040|9090)"', TEXT)
    assert ports == ["127.0.0.1"] * 3


def test_versions_are_pinned() -> None:
    images = re.findall(r"image: (?:\$\{\w+:-)?([^}\s]+)", TEXT)
    dockerfile = (CHECKOUT / "targets" / "orders" / "Dockerfile").read_text()
    images += re.findall(r"JRE_IMAGE=(\S+)", dockerfile) + re.findall(r"FROM (maven\S+)", dockerfile)
    assert len(images) == 5
    for image in images:
        assert re.search(r":v?\d+\.\d+", image), image
