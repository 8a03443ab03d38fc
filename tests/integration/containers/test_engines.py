"""The engines of the tests themselves: several at once, one for each process that runs tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

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
        with ThreadPoolExecutor() as both:
            first, second = both.map(lambda host, name=f"network-{number}": made(host, name), hosts)
        assert first != second


def made(host: str, name: str) -> str:
    """The subnet of a network made by the engine at `host`."""
    docker = ["docker", "--host", host, "network"]
    subprocess.run([*docker, "create", name], check=True, capture_output=True, timeout=60)
    told = subprocess.run([*docker, "inspect", name], check=True, capture_output=True, timeout=60).stdout
    return json.loads(told)[0]["IPAM"]["Config"][0]["Subnet"]  # type: ignore[no-any-return]
