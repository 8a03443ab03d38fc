"""Where classes come from, with a small shell script in the place of `mvn`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar import toolchain
from pacecar.custody import Custody
from pacecar.errors import UsageError
from pacecar.experiment import LoadModel, Scenario
from pacecar.toolchain import ToolchainError, agent_jar, gatling_classpath

BROUGHT = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.OPEN,
    rate_per_s=1,
    users=1,
    think_time_s=0,
    endpoints=(),
)

# Does for the goals in use what Maven would: a jar, classes, a class path of two jars of the same name.
MAVEN = r"""#!/bin/sh
echo "$PWD $*" >> "{folder}/calls"
for argument in "$@"; do
  case "$argument" in
    package) mkdir -p target; echo kit > target/pacecar-scenarios-0.1.0.jar ;;
    test-compile) mkdir -p target/test-classes/shop; echo class > target/test-classes/shop/Browsing.class ;;
    -Dmdep.outputFile=*) printf '%s' "{folder}/one/core.jar:{folder}/two/core.jar" > "${{argument#*=}}" ;;
  esac
done
"""


@pytest.fixture
def custody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Custody]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "core.jar").write_text(name)
    install(tmp_path, MAVEN.format(folder=tmp_path))
    with Custody() as custody:
        yield custody


def install(folder: Path, script: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "mvn").write_text(script)
    (folder / "bin" / "mvn").chmod(0o755)


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def module(folder: Path) -> Path:
    path = folder / "checks" / "load"
    (path / "src" / "test" / "java").mkdir(parents=True)
    (path / "pom.xml").write_text("<project/>")
    return path


def test_the_kit_comes_first_and_is_resolved_once(custody: Custody, tmp_path: Path) -> None:
    first = gatling_classpath(BROUGHT, custody=custody, log_dir=tmp_path / "logs")
    second = gatling_classpath(BROUGHT, custody=custody, log_dir=tmp_path / "logs")

    assert [entry.read_text().strip() for entry in first] == ["kit", "one", "two"]
    assert first == second
    assert len(calls(tmp_path)) == 1


def test_maven_never_builds_in_what_pacecar_brings(custody: Custody, tmp_path: Path) -> None:
    gatling_classpath(BROUGHT, custody=custody, log_dir=tmp_path / "logs")

    directory = Path(calls(tmp_path)[0].split()[0])
    assert directory != toolchain.classpath.places.brought("scenarios")


def test_a_users_jar_comes_before_gatling(custody: Custody, tmp_path: Path) -> None:
    jar = tmp_path / "mine.jar"
    jar.touch()

    entries = gatling_classpath(replace(BROUGHT, jar=jar), custody=custody, log_dir=tmp_path / "logs")

    assert entries[0] == jar
    assert len(entries) == 4


def test_a_users_module_is_compiled_where_it_lies_after_the_kit_was_installed(custody: Custody, tmp_path: Path) -> None:
    scenario = replace(BROUGHT, module=module(tmp_path))

    entries = gatling_classpath(scenario, custody=custody, log_dir=tmp_path / "logs")

    install_call, compile_call = calls(tmp_path)
    assert " install" in install_call
    assert compile_call.startswith(f"{scenario.module} ")
    assert (entries[0] / "shop" / "Browsing.class").is_file()
    assert tmp_path / "cache" in entries[0].parents
    assert [entry.read_text() for entry in entries[1:]] == ["one", "two"]


def test_a_changed_module_or_parent_is_compiled_again(custody: Custody, tmp_path: Path) -> None:
    scenario = replace(BROUGHT, module=module(tmp_path))
    counts = []
    for change in ("", "checks/load/src/test/java/A.java", "checks/load/pom.xml", "checks/pom.xml"):
        if change:
            (tmp_path / change).write_text("changed")
        gatling_classpath(scenario, custody=custody, log_dir=tmp_path / "logs")
        gatling_classpath(scenario, custody=custody, log_dir=tmp_path / "logs")
        counts.append(len(calls(tmp_path)))

    assert counts == [2, 4, 6, 8]


@pytest.mark.parametrize("what", ["jar", "module"])
def test_what_does_not_exist_is_said(what: str, custody: Custody, tmp_path: Path) -> None:
    scenario = replace(BROUGHT, **{what: tmp_path / "absent"})

    with pytest.raises(ToolchainError, match="absent") as caught:
        gatling_classpath(scenario, custody=custody, log_dir=tmp_path / "logs")
    assert what in caught.value.hint


def test_mavens_complaint_becomes_the_sentence(custody: Custody, tmp_path: Path) -> None:
    install(tmp_path, "#!/bin/sh\necho '[ERROR] Could not resolve dependencies.'\necho '[ERROR] -> [Help 1]'\nexit 1\n")

    with pytest.raises(ToolchainError) as caught:
        agent_jar(custody=custody, log_dir=tmp_path / "logs")

    assert "exit status 1 on counter-agent" in caught.value.message
    assert caught.value.message.endswith(": Could not resolve dependencies.")
    assert str(tmp_path / "logs" / "maven-counter-agent.log") in caught.value.hint


def test_a_missing_maven_is_said(custody: Custody, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))

    with pytest.raises(UsageError, match="Maven: cannot start 'mvn'"):
        agent_jar(custody=custody, log_dir=tmp_path / "logs")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("012-gatling-core-3.15.1.jar", "3.15.1"), ("gatling-core-3.16.0.jar", "3.16.0"), ("core.jar", "unknown")],
)
def test_gatlings_version_is_in_its_name(name: str, expected: str) -> None:
    entries = [Path("/c/003-gatling-core-java-3.0.0.jar"), Path("/c") / name]
    assert toolchain.gatling_version(entries) == expected
