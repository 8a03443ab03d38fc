"""The engines of the tests themselves: several at once, one for each process that runs tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest

import container_engine


@pytest.fixture
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two engines that were started for this test."""
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        pytest.skip("only root can start an engine; sudo make test, with apt-get install docker.io")
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp("engine") for _ in range(2)]
        yield [stack.enter_context(container_engine.daemon(folder)) for folder in folders]


def test_networks_made_in_the_same_moment_share_no_addresses(hosts: list[str]) -> None:
    # The kernel sends what is for a shared address to one container, whichever was asked.
    for number in range(3):
        both = Barrier(2)
        with ThreadPoolExecutor() as threads:
            first, second = threads.map(made, hosts, [f"network-{number}"] * 2, [both] * 2)
        assert first != second


def made(host: str, name: str, both: Barrier) -> str:
    """The subnet of a network that the engine at `host` made, and removed again with its bridge."""
    docker = ["docker", "--host", host, "network"]
    subprocess.run([*docker, "create", name], check=True, capture_output=True, timeout=60)
    both.wait(60)
    told = subprocess.run([*docker, "inspect", name], check=True, capture_output=True, timeout=60).stdout
    subprocess.run([*docker, "rm", name], check=True, capture_output=True, timeout=60)
    return json.loads(told)[0]["IPAM"]["Config"][0]["Subnet"]  # type: ignore[no-any-return]


def test_all_container_tests_stay_with_one_worker(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("these tests are not spread over workers by their groups: make test")
    assert request.node.nodeid.endswith("@containers")
