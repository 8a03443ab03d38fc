"""Only builds that differ in nothing at all need no measurement."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pacecar.inputs.builds.artifact import Artifact, described
from pacecar.inputs.builds.digest import file_sha256
from pacecar.measurement.session.equal_builds import same_builds
from pacecar.model.experiment import BuildKind, BuildRequest, Experiment, Side
from pacecar.model.recording import Sameness
from unit.measurement.session.test_striking import _experiment


def _artifact(folder: Path, name: str, *, day: int) -> Artifact:
    path = folder / name
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr(zipfile.ZipInfo("shop/Order.class", (2026, 1, day, 0, 0, 0)), b"code")
    sha256 = file_sha256(path)
    request = BuildRequest(kind=BuildKind.JAR, value=name, label=name)
    built = described(request, sha256=sha256, copy=None)
    return Artifact(path=path, sha256=sha256, built=built, seconds=0.0, cached=False)


@pytest.fixture
def artifacts(tmp_path: Path) -> dict[Side, Artifact]:
    return {side: _artifact(tmp_path, f"{side}.jar", day=day) for day, side in enumerate(Side, start=1)}


def _asked(**candidate: Any) -> Experiment:
    request = BuildRequest(kind=BuildKind.JAR, value="a.jar", label="a")
    return replace(_experiment(), builds={Side.BASELINE: request, Side.CANDIDATE: replace(request, **candidate)})


def test_equal_artifacts_with_nothing_else_about_them(artifacts: dict[Side, Artifact]) -> None:
    assert same_builds(_asked(label="b", value="b.jar"), artifacts) == Sameness(identical=False)
    twice = dict.fromkeys(Side, artifacts[Side.BASELINE])
    assert same_builds(_asked(), twice) == Sameness(identical=True)


@pytest.mark.parametrize(
    "differing",
    [
        {"jvm_args": ("-XX:+UseZGC",)},
        {"env": {"POOL": "1"}},
        {"profiler": False},
        {"spans": False},
        {"java": Path("/jdk")},
    ],
)
def test_whatever_else_differs_is_measured(artifacts: dict[Side, Artifact], differing: dict[str, Any]) -> None:
    assert same_builds(_asked(**differing), artifacts) is None


def test_images_are_the_same_by_their_ids(artifacts: dict[Side, Artifact]) -> None:
    one, other = (replace(artifacts[Side.BASELINE], path=None, sha256=id_, images={"a": id_}) for id_ in ("1", "2"))
    assert same_builds(_asked(), dict.fromkeys(Side, one)) == Sameness(identical=True)
    assert same_builds(_asked(), {Side.BASELINE: one, Side.CANDIDATE: other}) is None
    database = replace(one, images={"a": "1", "db": "3"})
    assert same_builds(_asked(), {Side.BASELINE: one, Side.CANDIDATE: database}) is None


def test_one_side_alone_and_what_is_to_be_measured_all_the_same(artifacts: dict[Side, Artifact]) -> None:
    assert same_builds(_asked(), {Side.BASELINE: artifacts[Side.BASELINE]}) is None
    assert same_builds(replace(_asked(), measure_equal=True), artifacts) is None
