from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.inputs.builds.artifact import Artifact, make
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system.resources import Resources

#: A build as small as can be: puts every `*.txt` of the source into a jar; a file `broken.txt` does not compile.
BUILD = """
import pathlib, sys, zipfile
texts = sorted(pathlib.Path().rglob("*.txt"))
if pathlib.Path("broken.txt") in texts:
    print("[INFO] compiling")
    print("\\x1b[0m[ERROR] COMPILATION ERROR : ")
    print(f"[ERROR] {pathlib.Path('broken.txt').resolve()}:[1,1] ';' expected")
    sys.exit("[ERROR] Failed to execute goal")
pathlib.Path("target").mkdir(exist_ok=True)
with zipfile.ZipFile("target/orders-1.0.jar", "w") as jar:
    for text in texts:
        jar.writestr(zipfile.ZipInfo(str(text)), text.read_text())
"""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")


@pytest.fixture
def resources() -> Iterator[Resources]:
    with Resources() as held:
        yield held


@pytest.fixture
def git() -> Callable[..., str]:
    def run(directory: Path, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
        command = ["git", "-C", str(directory), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A source outside git: `<tmp>/shop/orders`."""
    root = tmp_path / "shop" / "orders"
    (root / "src").mkdir(parents=True)
    (root / "build.py").write_text(BUILD)
    (root / "src" / "a.txt").write_text("one\ntwo\nthree\n")
    (root / "target").mkdir()
    (root / "target" / "orders-0.9.jar").write_text("stale")
    return root


@pytest.fixture
def repository(project: Path, git: Callable[..., str]) -> Path:
    """The same source as a folder of a repository with one commit, tagged v1; `target/` is ignored."""
    top = project.parent
    (top / ".gitignore").write_text("target/\n")
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "first")
    git(top, "tag", "v1")
    return top


@pytest.fixture
def source(project: Path) -> SourceTree:
    return SourceTree(root=project, command=(sys.executable, "build.py"), artifact="target/orders-*.jar", timeout_s=60)


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "orders.jar"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "one")
    return path


@pytest.fixture
def build(source: SourceTree, resources: Resources, tmp_path: Path) -> Callable[..., Artifact]:
    def make_one(kind: BuildKind, value: str | Path, *, of: SourceTree = source) -> Artifact:
        request = BuildRequest(kind=kind, value=str(value), label="mine")
        return make(request, source=of, resources=resources, log_dir=tmp_path / "logs")

    return make_one
