"""The JDK of a side: whether it is one."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.java_home import runtime_at, runtime_of

OURS = Path(os.path.realpath(shutil.which("java") or "java"))

ANSWER = """
    java.home = {home}
    java.specification.version = {feature}
    java.vendor = Ada
    java.vm.name = OpenJDK 64-Bit Server VM
    java.vm.version = {feature}+1
"""


def _home(folder: Path, script: str) -> Path:
    java = folder / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    return folder / "jdk"


def _answering(folder: Path, *, feature: str = "21", modules: str = "java.instrument@21\njdk.management@21") -> Path:
    (folder / "settings").write_text(ANSWER.format(feature=feature, home=folder / "jdk"))
    (folder / "modules").write_text(modules + "\n")
    return _home(folder, f'case $1 in --list*) cat "{folder}/modules";; *) cat "{folder}/settings" >&2;; esac')


@pytest.mark.skipif(not OURS.is_file(), reason="needs a JDK")
def test_a_real_jdk_says_which_it_is() -> None:
    runtime = runtime_at(OURS.parents[1])
    assert runtime.feature >= 17
    assert runtime.version.startswith(str(runtime.feature))
    assert "java.base" in runtime.modules
    assert runtime.title == f"{runtime.name} {runtime.version} {runtime.vendor}"


def test_what_a_runtime_says_of_itself_is_its_title(tmp_path: Path) -> None:
    assert runtime_at(_answering(tmp_path)).title == "OpenJDK 64-Bit Server VM 21+1 Ada"


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 1", "is not a JDK that runs here"),
        ("echo '    java.specification.version = 21'; exit 1", "is not a JDK that runs here"),
        ("echo hello", "is not a JDK that runs here"),
        ("echo '    java.specification.version = 99999999'", "is not a JDK that runs here"),
        ("head -c 100000 /dev/urandom", "is not a JDK that runs here"),
    ],
)
def test_a_program_that_is_no_java(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(BuildError, match=said):
        runtime_at(_home(tmp_path, script))


def test_a_folder_without_a_java(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="has no bin/java"):
        runtime_at(tmp_path)
    with pytest.raises(BuildError, match="has no bin/java"):
        runtime_at(tmp_path / "none")
    home = _home(tmp_path, "exit 0")
    (home / "bin" / "java").chmod(0o600)
    with pytest.raises(BuildError, match="is not a JDK that runs here"):
        runtime_at(home)


def test_a_runtime_that_the_agents_do_not_run_on(tmp_path: Path) -> None:
    for name, feature in (("eight", "1.8"), ("eleven", "11")):
        (tmp_path / name).mkdir()
        with pytest.raises(BuildError, match=f"is Java {feature.removeprefix('1.')}, and the agents"):
            runtime_at(_answering(tmp_path / name, feature=feature))
    (tmp_path / "small").mkdir()
    with pytest.raises(BuildError, match=r"has no module jdk\.management"):
        runtime_at(_answering(tmp_path / "small", modules="java.base@21\njava.instrument@21"))


def test_a_folder_that_only_leads_to_a_jdk(tmp_path: Path) -> None:
    home = _answering(tmp_path)
    (tmp_path / "link").symlink_to(home)
    assert runtime_at(tmp_path / "link").feature == 21
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "usr" / "bin" / "java").symlink_to(home / "bin" / "java")
    with pytest.raises(BuildError, match=f"its java belongs to {home}"):
        runtime_at(tmp_path / "usr")


def test_a_java_that_is_nowhere_says_nothing(tmp_path: Path) -> None:
    assert runtime_of(tmp_path / "java") is None
