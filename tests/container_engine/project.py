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

from pacecar.builds.image import make_images
from pacecar.custody import Custody
from pacecar.deploy.compose.fork import ComposeFork
from pacecar.deploy.compose.way import ComposeWay
from pacecar.deploy.fork import Attach, Attachment, ForkOrder
from pacecar.experiment import BuildKind, BuildRequest, ComposeService, Readiness, Side, Target

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
    custody: Custody
    jar: Path

    @property
    def file(self) -> Path:
        return self.folder / "docker-compose.yml"

    def write(self, services: dict[str, Any], **more: Any) -> None:
        self.file.write_text(json.dumps({"services": services, **more}))

    def target(self, **changes: Any) -> Target:
        compose = ComposeService(
            file=self.file,
            service="app",
            jar="/app/service.jar",
            cpus=changes.pop("cpus_limit", None),
            memory_bytes=changes.pop("memory_bytes", None),
        )
        target = Target(
            name="app",
            command=(),
            directory=self.folder,
            env={},
            secrets={},
            port=None,
            ready=Readiness(path="/health", timeout_s=120),
            metrics_path=None,
            application=(),
            compose=compose,
        )
        return replace(target, **changes)

    def order(self, target: Target, *, side: Side = Side.CANDIDATE, cpus: tuple[int, ...] = ()) -> ForkOrder:
        request = BuildRequest(kind=BuildKind.JAR, value=str(self.jar), label="service")
        assert target.compose is not None
        made = make_images(
            request, service=target.compose, source=None, custody=self.custody, log_dir=self.folder / "logs"
        )
        folder = self.folder / side.value
        folder.mkdir(exist_ok=True)
        return ForkOrder(
            request=request,
            side=side,
            jar=made.path,
            images=made.images,
            folder=folder,
            scratch=self.custody.folder("fork"),
            cpus=cpus,
        )

    def deploy(self, *, attach: Attach | None = None, cpus: tuple[int, ...] = (), **changes: Any) -> ComposeFork:
        """A fork of `app`, not waited for."""
        side = changes.pop("side", Side.CANDIDATE)
        target = self.target(**changes)
        assert target.compose is not None
        way = ComposeWay(target, compose=target.compose, custody=self.custody)
        return way.deploy(self.order(target, side=side, cpus=cpus), attach or (lambda ground: Attachment()))


def left() -> list[str]:
    """Everything that is in the engine with a label of ours."""
    label = "label=dev.pacecar.custody"
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
