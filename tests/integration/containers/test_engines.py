"""The engines of the tests themselves: several at once, one for each process that runs tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from support import container_engine


@pytest.fixture
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two engines that were started for this test."""
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        pytest.skip("only root can start an engine; sudo make test, with apt-get install docker.io")
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp("engine") for _ in range(2)]
        yield [stack.enter_context(container_engine.daemon(folder)) for folder in folders]


def test_two_engines_never_take_the_same_addresses(hosts: list[str]) -> None:
    # For networks made in the same moment neither sees the other's, and the kernel sends what is for a shared address
    # to one container, whichever was asked. They are made in turn here: engines share the kernel's one table of rules,
    # and one that finds it changed while it changes it gives up.
    first, second = (subnet(host) for host in hosts)
    assert first != second


def subnet(host: str) -> str:
    """The subnet of the first network that the engine at `host` made; the network is removed again with its bridge."""

    def network(*arguments: str) -> str:
        command = ["docker", "--host", host, "network", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    network("create", "first")
    told = json.loads(network("inspect", "first"))
    network("rm", "first")
    return told[0]["IPAM"]["Config"][0]["Subnet"]


def test_all_container_tests_stay_with_one_worker(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("these tests are not spread over workers by their groups: make test")
    assert request.node.nodeid.endswith("@containers")
