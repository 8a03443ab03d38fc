"""A folder with a compose file, forks of its service, and what the engine still has of them."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pacecar.measurement.deploy.compose.fork import ComposeFork
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attach, Attachment, ForkOrder
from pacecar.model.deployment import ComposeDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Readiness, Side, Target
from pacecar.system.resources import Resources

#: The service of the tests as a compose file has it.
APP: dict[str, Any] = {"image": "pacecar-test/plain:1", "expose": ["8080"]}


def docker(*arguments: str | Path, check: bool = True) -> str:
    done = subprocess.run(["docker", *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def build(folder: Path, name: str, dockerfile: str) -> str:
    """The image `name` of `dockerfile`, with `folder` as its context."""
    (folder / "Dockerfile").write_text(dockerfile)
    docker("build", "--quiet", "--tag", name, folder)
    return name


@dataclass(frozen=True, kw_only=True)
class Project:
    """A folder with a compose file, and forks of its service `app`."""

    folder: Path
    resources: Resources
    jar: Path

    @property
    def file(self) -> Path:
        return self.folder / "docker-compose.yml"

    def write(self, services: dict[str, Any], **more: Any) -> None:
        self.file.write_text(json.dumps({"services": services, **more}))

    def target(self, **changes: Any) -> Target:
        deployment = ComposeDeployment(
            file=self.file,
            service="app",
            jar="/app/service.jar",
            cpus=changes.pop("cpus_limit", None),
            memory_bytes=changes.pop("memory_bytes", None),
        )
        target = Target(
            name="app",
            deployment=deployment,
            directory=self.folder,
            env={},
            secrets={},
            port=None,
            ready=Readiness(path="/health", timeout_s=120),
            metrics_path=None,
            application=(),
        )
        return replace(target, **changes)

    def order(self, target: Target, *, side: Side = Side.CANDIDATE, cpus: tuple[int, ...] = ()) -> ForkOrder:
        request = BuildRequest(kind=BuildKind.JAR, value=str(self.jar), label="service")
        deployer = deployer_of(target, resources=self.resources)
        made = deployer.make(request, source=None, log_dir=self.folder / "logs")
        folder = self.folder / side.value
        folder.mkdir(exist_ok=True)
        return ForkOrder(
            request=request,
            side=side,
            jar=made.path,
            images=made.images,
            folder=folder,
            scratch=self.resources.folder("fork"),
            cpus=cpus,
        )

    def deploy(self, *, attach: Attach | None = None, cpus: tuple[int, ...] = (), **changes: Any) -> ComposeFork:
        """A fork of `app`, not waited for."""
        side = changes.pop("side", Side.CANDIDATE)
        target = self.target(**changes)
        deployer = deployer_of(target, resources=self.resources)
        fork = deployer.deploy(self.order(target, side=side, cpus=cpus), attach or (lambda view: Attachment()))
        assert isinstance(fork, ComposeFork)
        return fork


def left() -> list[str]:
    """Everything that is in the engine with a label of ours."""
    label = "label=dev.pacecar.owner"
    return [
        *docker("container", "ls", "--all", "--quiet", "--filter", label).split(),
        *docker("network", "ls", "--quiet", "--filter", label).split(),
        *docker("volume", "ls", "--quiet", "--filter", label).split(),
    ]


def ask(url: str, *, timeout_s: float = 30) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=timeout_s) as answer:
        return answer.read().decode()  # type: ignore[no-any-return]


def wait_until(happened: Callable[[], object], *, patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)
