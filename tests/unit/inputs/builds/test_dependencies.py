"""Which libraries differ between two builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs.builds import dependencies
from pacecar.inputs.builds.dependencies import changed_libraries
from pacecar.model.recording import LibraryChange
from unit.inputs.builds.test_sameness import Entries, jar, packed


def _changed(tmp_path: Path, before: Entries, after: Entries) -> list[tuple[str, str | None, str | None]]:
    found = changed_libraries(jar(tmp_path, "a.jar", before), jar(tmp_path, "b.jar", after))
    return [(each.name, each.baseline, each.candidate) for each in found]


def test_libraries_inside_a_boot_jar(tmp_path: Path) -> None:
    def boot(*names: str) -> Entries:
        return {f"BOOT-INF/lib/{name}.jar": packed({"A.class": name}) for name in names}

    before = boot("jackson-core-2.17.0", "spring-web-6.1.5", "old-1.0", "shop-core", "netty-4.1-linux-x86_64")
    after = boot("jackson-core-2.17.1", "spring-web-6.1.5", "new-1.0.RELEASE", "shop-core", "netty-4.2-linux-x86_64")
    assert _changed(tmp_path, before, after) == [
        ("jackson-core", "2.17.0", "2.17.1"),
        ("netty", "4.1-linux-x86_64", "4.2-linux-x86_64"),
        ("new", None, "1.0.RELEASE"),
        ("old", "1.0", None),
    ]
    assert _changed(tmp_path, before, before) == []


def test_libraries_that_were_unpacked_into_one_jar(tmp_path: Path) -> None:
    path = "META-INF/maven/com.fasterxml/jackson/pom.properties"
    before, after = ({path: f"#Mon\nversion={version}\ngroupId=x\n"} for version in ("2.17.0", "2.17.1"))
    assert _changed(tmp_path, before, after) == [("com.fasterxml:jackson", "2.17.0", "2.17.1")]


def test_libraries_beside_a_jar(tmp_path: Path) -> None:
    sides = []
    for name, version in (("before", "1.0"), ("after", "1.1")):
        (tmp_path / name / "lib").mkdir(parents=True)
        jar(tmp_path / name / "lib", f"json-{version}.jar", {"A.class": "a"})
        manifest = f"Main-Class: A\nClass-Path: lib/json-{version}.jar\n"
        sides.append(jar(tmp_path / name, "orders.jar", {"META-INF/MANIFEST.MF": manifest}))
    assert changed_libraries(*sides) == (LibraryChange(name="json", baseline="1.0", candidate="1.1"),)


@pytest.mark.hostile
def test_names_and_numbers_of_strangers_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after = {f"lib/{'x' * 300}-{'1' * 300}.jar": b"", "lib/a-1.jar": b"", "lib/b-1.jar": b""}
    (tmp_path / "none.jar").write_bytes(b"no archive")
    jar(tmp_path, "a.jar", {"A.class": b""})
    assert changed_libraries(tmp_path / "a.jar", tmp_path / "none.jar") == ()
    found = _changed(tmp_path, {"A.class": b""}, after)
    assert {len(name) for name, _, _ in found} == {1, 120}
    assert max(len(version or "") for _, _, version in found) == 120
    monkeypatch.setattr(dependencies, "MOST", 1)
    assert len(_changed(tmp_path, {"A.class": b""}, after)) == 1


@pytest.mark.hostile
def test_the_time_that_a_strangers_names_take_follows_their_length(tmp_path: Path) -> None:
    endless = {f"lib/{number}{'-1' * 32_000}.zip": b"" for number in range(60)}  # once ten seconds each
    assert _changed(tmp_path, {"lib/a-1.jar": b""}, {"lib/a-2.jar": b"", **endless}) == [("a", "1", "2")]
