"""Where classes come from, with a small shell script in the place of `mvn`."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pacecar.errors import UsageError
from pacecar.inputs import toolchain
from pacecar.inputs.toolchain import ToolchainError, agent_jar, gatling_classpath, lock
from pacecar.inputs.toolchain.classpath import kit_coordinates
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.system import paths
from pacecar.system.resources import Resources
from support.maven_scripts import MAVEN, install, locked, sha256

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


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def module(folder: Path) -> Path:
    path = folder / "checks" / "load"
    (path / "src" / "test" / "java").mkdir(parents=True)
    (path / "pom.xml").write_text("<project/>")
    return path


def test_the_kit_comes_first_and_is_resolved_once(resources: Resources, tmp_path: Path) -> None:
    first = gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")
    second = gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")

    assert [entry.read_text().strip() for entry in first] == ["kit", "one", "two"]
    assert first == second
    assert len(calls(tmp_path)) == 1


def test_maven_never_builds_in_what_pacecar_brings(resources: Resources, tmp_path: Path) -> None:
    gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")

    directory = Path(calls(tmp_path)[0].split()[0])
    assert directory != paths.brought("scenarios")


@pytest.mark.hostile
def test_maven_finds_no_settings_around_what_it_builds(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    (temporary / ".mvn").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")

    (directory,) = (Path(call.split()[0]) for call in calls(tmp_path))
    assert not any((folder / ".mvn").exists() for folder in directory.parents)


def test_a_users_jar_comes_before_gatling(resources: Resources, tmp_path: Path) -> None:
    jar = tmp_path / "mine.jar"
    jar.touch()

    entries = gatling_classpath(replace(BROUGHT, jar=jar), resources=resources, log_dir=tmp_path / "logs")

    assert entries[0] == jar
    assert len(entries) == 4


def test_a_users_module_is_compiled_where_it_lies_after_the_kit_was_installed(
    resources: Resources, tmp_path: Path
) -> None:
    scenario = replace(BROUGHT, module=module(tmp_path))

    entries = gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")

    install_call, compile_call = calls(tmp_path)
    assert " install" in install_call
    assert compile_call.startswith(f"{scenario.module} ")
    assert (entries[0] / "shop" / "Browsing.class").is_file()
    assert tmp_path / "cache" in entries[0].parents
    assert [entry.read_text() for entry in entries[1:]] == ["one", "two"]


def test_a_changed_module_or_parent_is_compiled_again(resources: Resources, tmp_path: Path) -> None:
    scenario = replace(BROUGHT, module=module(tmp_path))
    counts = []
    for change in ("", "checks/load/src/test/java/A.java", "checks/load/pom.xml", "checks/pom.xml"):
        if change:
            (tmp_path / change).write_text("changed")
        gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
        gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
        counts.append(len(calls(tmp_path)))

    assert counts == [2, 4, 6, 8]


@pytest.mark.parametrize("what", ["jar", "module"])
def test_what_does_not_exist_is_said(what: str, resources: Resources, tmp_path: Path) -> None:
    changed: dict[str, Any] = {what: tmp_path / "absent"}
    scenario = replace(BROUGHT, **changed)

    with pytest.raises(ToolchainError, match="absent") as caught:
        gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
    assert what in str(caught.value.hint)


def test_mavens_complaint_becomes_the_sentence(resources: Resources, tmp_path: Path) -> None:
    install(tmp_path, "#!/bin/sh\necho '[ERROR] Could not resolve dependencies.'\necho '[ERROR] -> [Help 1]'\nexit 1\n")

    with pytest.raises(ToolchainError) as caught:
        agent_jar(resources=resources, log_dir=tmp_path / "logs")

    assert "exit status 1 on counter-agent" in caught.value.message
    assert caught.value.message.endswith(": Could not resolve dependencies.")
    assert str(tmp_path / "logs" / "maven-counter-agent.log") in str(caught.value.hint)


def test_a_missing_maven_is_said(resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))

    with pytest.raises(UsageError, match="Maven: cannot start 'mvn'"):
        agent_jar(resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("012-gatling-core-3.15.1.jar", "3.15.1"), ("gatling-core-3.16.0.jar", "3.16.0"), ("core.jar", "unknown")],
)
def test_gatlings_version_is_in_its_name(name: str, expected: str) -> None:
    entries = [Path("/c/003-gatling-core-java-3.0.0.jar"), Path("/c") / name]
    assert toolchain.gatling_version(entries) == expected


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ("onE", "two", "core.jar is not the jar"),
        ("", "two", "core.jar is not the jar"),
        ("one", "two ", "more.jar is not the jar"),
        ("two", "one", "core.jar is not the jar"),
        ("one" * 100_000, "two", "core.jar is not the jar"),
    ],
)
@pytest.mark.parametrize("of_a_module", [False, True])
def test_a_jar_in_mavens_repository_that_is_another_one_is_refused(
    one: str, two: str, said: str, of_a_module: bool, resources: Resources, tmp_path: Path
) -> None:
    scenario = replace(BROUGHT, module=module(tmp_path)) if of_a_module else BROUGHT
    (tmp_path / "one" / "core.jar").write_text(one)
    (tmp_path / "two" / "more.jar").write_text(two)

    for _ in range(2):  # what was refused is not kept for the next time either
        with pytest.raises(ToolchainError, match=said) as caught:
            gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
        folder = re.search(r"rm -r (\S+);", str(caught.value.hint))
        assert folder is not None
        refused = Path(folder[1])
        assert refused.parent == tmp_path

    shutil.rmtree(refused)
    refused.mkdir()
    (tmp_path / "one" / "core.jar").write_text("one")
    (tmp_path / "two").mkdir(exist_ok=True)
    (tmp_path / "two" / "more.jar").write_text("two")
    assert gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("jars", "said"),
    [
        ({"core.jar": "one"}, "more.jar was not expected"),
        ({"core.jar": "one", "more.jar": "two", "third.jar": "3"}, "third.jar is missing"),
    ],
)
def test_the_class_path_is_exactly_the_locked_one(
    jars: dict[str, str], said: str, resources: Resources, tmp_path: Path
) -> None:
    lock.write({lock.GATLING: {name: locked(text) for name, text in jars.items()}})

    with pytest.raises(ToolchainError, match=said):
        gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
def test_a_cached_class_path_is_held_against_a_newer_lock(resources: Resources, tmp_path: Path) -> None:
    gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")
    lock.write({lock.GATLING: {"core.jar": locked("one"), "more.jar": locked("withdrawn")}})

    with pytest.raises(ToolchainError, match=r"more\.jar is not") as caught:
        gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")
    assert str(tmp_path / "cache") in str(caught.value.hint)


@pytest.mark.hostile
def test_even_a_record_that_was_rewritten_is_held_against_the_lock(resources: Resources, tmp_path: Path) -> None:
    kit = gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")
    kit[1].write_text("evil")
    record = kit[1].parent / "SHA256SUMS"
    record.write_text(record.read_text().replace(sha256("one"), sha256("evil")))

    with pytest.raises(ToolchainError, match=r"core\.jar is not"):
        gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
def test_a_users_own_library_is_held_by_what_it_was_at_first(resources: Resources, tmp_path: Path) -> None:
    (tmp_path / "two" / "more.jar").rename(tmp_path / "two" / "own-9.jar")
    install(tmp_path, MAVEN.format(folder=tmp_path).replace("more.jar", "own-9.jar"))
    scenario = replace(BROUGHT, module=module(tmp_path))
    entries = gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")
    entries[-1].write_text("another")

    with pytest.raises(ToolchainError, match=r"own-9.jar in \S+ has changed since"):
        gatling_classpath(scenario, resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text", ["", "x", "[scenarios]\nnonsense", "\xff", "abc  a.jar", "[scenarios]\n" + "0" * 64 + "  ../a.jar"]
)
def test_a_damaged_lock_lets_nothing_through(text: str, resources: Resources, tmp_path: Path) -> None:
    lock.PATH.write_bytes(text.encode("latin-1"))

    with pytest.raises(ToolchainError):
        gatling_classpath(BROUGHT, resources=resources, log_dir=tmp_path / "logs")


def test_coordinates_are_those_that_maven_lists(resources: Resources, tmp_path: Path) -> None:
    listed = r"""#!/bin/sh
for argument in "$@"; do
  case "$argument" in
    -DoutputFile=*) cat > "${argument#*=}" <<'END'

The following files have been resolved:
   io.gatling:gatling-core:jar:3.15.1:compile -- module gatling.core
   org.xmlresolver:xmlresolver:jar:data:6.0.23:runtime -- module org.xmlresolver (auto)
   io.netty:netty-transport:jar:linux-x86_64:4.2.16.Final:compile
   shop:a-pom:pom:1.0:compile
END
  esac
done
"""
    install(tmp_path, listed)

    assert kit_coordinates(resources=resources, log_dir=tmp_path / "logs") == {
        "gatling-core-3.15.1.jar": "io.gatling:gatling-core:3.15.1",
        "xmlresolver-6.0.23-data.jar": "org.xmlresolver:xmlresolver:6.0.23:data",
        "netty-transport-4.2.16.Final-linux-x86_64.jar": "io.netty:netty-transport:4.2.16.Final:linux-x86_64",
    }
