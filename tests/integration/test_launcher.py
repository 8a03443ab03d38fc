"""The action's launcher in a working directory full of traps: nothing in there is run or read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

SPRUNG = "sprung"
#: Modules that Python, pip, venv or Pacecar import, each as a file that tells when it is run.
MODULES = (
    *("pacecar/__init__.py", "pacecar/__main__.py", "pacecar/cli.py", "platform.py", "venv.py", "ensurepip.py"),
    *("pip.py", "pip/__main__.py", "sitecustomize.py", "usercustomize.py", "encodings/__init__.py", "typer.py"),
    *("json.py", "pathlib.py", "numpy/__init__.py", "site.py", "os.py", "lib/site-packages/x.pth", "x.pth"),
)
PROGRAMS = ("python3", "pip", "pacecar", "sha256sum", "cut", "flock", "mktemp", "realpath", "mkdir", "git", "env")
SETTINGS = ("pip.conf", ".pypirc", "setup.cfg", "pyproject.toml", "requirements.txt", "pyvenv.cfg", ".python-version")


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    for name in MODULES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"import builtins; builtins.open({str(tmp_path / SPRUNG)!r}, 'a').write({name!r})\n")
    for name in PROGRAMS:
        (folder / name).unlink(missing_ok=True) if (folder / name).is_file() else None
        if not (folder / name).exists():
            (folder / name).write_text(f"#!/bin/sh\necho {name} >>{tmp_path / SPRUNG}\n")
            (folder / name).chmod(0o755)
    for name in SETTINGS:
        (folder / name).write_text("[global]\nindex-url = http://127.0.0.1:9/\n[install]\nno-index = true\n")
    return folder


def _environ(trapped: Path, **more: str) -> dict[str, str]:
    temporary = trapped.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return plain | {"RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(trapped.parent / "path")} | more


#: What an earlier step of the job may have set for later ones.
VARIABLES = {
    "nothing": {},
    "PYTHONPATH": {"PYTHONPATH": "{here}"},
    "an empty PYTHONPATH": {"PYTHONPATH": ":"},
    "PYTHONSAFEPATH unset": {"PYTHONSAFEPATH": ""},
    "PYTHONHOME": {"PYTHONHOME": "{here}"},
    "PYTHONSTARTUP": {"PYTHONSTARTUP": "{here}/os.py"},
    "PYTHONUSERBASE": {"PYTHONUSERBASE": "{here}"},
    "a relative PATH": {"PATH": ".:{path}"},
    "an empty PATH entry": {"PATH": ":{path}:"},
}


def _variables(trapped: Path, case: str) -> dict[str, str]:
    filled = {name: value.format(here=trapped, path=os.environ["PATH"]) for name, value in VARIABLES[case].items()}
    return _environ(trapped, **filled)


@pytest.mark.hostile
@pytest.mark.parametrize("case", VARIABLES)
def test_the_launcher_runs_nothing_of_the_working_directory(trapped: Path, case: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-I", "-B", CHECKOUT / "ci" / "launch.py", "--version"],
        cwd=trapped,
        env=_variables(trapped, case),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "0." in ended.stdout
    assert not (trapped.parent / SPRUNG).exists(), (trapped.parent / SPRUNG).read_text()


@pytest.mark.hostile
def test_the_launcher_refuses_an_interpreter_that_looks_around(trapped: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-P", CHECKOUT / "ci" / "launch.py", "--version"],
        cwd=trapped,
        env=_environ(trapped),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert "python -I" in ended.stderr


@pytest.mark.hostile
def test_the_installer_runs_nothing_of_the_working_directory(trapped: Path) -> None:
    """The dependencies are there already, as on a runner that keeps its tools; the rest is what every job does."""
    environ = _environ(trapped, RUNNER_TOOL_CACHE=str(trapped.parent / "tools"), PACECAR_PYTHON=sys.executable)
    environ |= {"PATH": f".::{environ['PATH']}", "CDPATH": str(trapped), "PIP_REQUIREMENT": str(trapped / "pip.conf")}
    _already_installed(trapped.parent / "tools")
    ended = subprocess.run(["/bin/bash", CHECKOUT / "ci" / "install.sh"], cwd=trapped, env=environ, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    launch = Path((trapped.parent / "path").read_text().strip()) / "pacecar"
    told = subprocess.run([launch, "--version"], cwd=trapped, env=environ, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert not (trapped.parent / SPRUNG).exists(), (trapped.parent / SPRUNG).read_text()


def _already_installed(tools: Path) -> None:
    lock = subprocess.run(["sha256sum", CHECKOUT / "requirements" / "extras.lock"], capture_output=True, text=True)
    version = ".".join(map(str, sys.version_info[:3]))
    home = tools / "pacecar" / f"{version}-{lock.stdout[:16]}"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (home / "bin" / "python").chmod(0o755)
    (home / "ready").touch()


def test_everything_that_is_installed_has_a_hash_and_a_wheel() -> None:
    script = (CHECKOUT / "ci" / "install.sh").read_text()
    assert "--require-hashes --only-binary :all:" in script
    for name in ("runtime", "extras", "release"):
        blocks = (CHECKOUT / "requirements" / f"{name}.lock").read_text().replace("\\\n", " ").splitlines()
        pinned = [line for line in blocks if line.strip() and not line.lstrip().startswith("#")]
        assert pinned
        assert all("==" in line and "--hash=sha256:" in line for line in pinned)
