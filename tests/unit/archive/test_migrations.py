"""Manifests that older Pacecars wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side
from pacecar.model.recording import SCHEMA_VERSION, Manifest

#: Written by the Pacecar of schema version 1, on a run of the sample service; the home folder was renamed since.
OLD = Path(__file__).parent / "data" / "manifest-1.json"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    run = tmp_path / "20261121-043737-a6e8"
    run.mkdir()
    shutil.copy(OLD, run / "manifest.json")
    return run


def test_a_manifest_of_version_1_is_read_as_todays(old: Path) -> None:
    manifest = RunDirectory.open(old).manifest
    assert manifest.schema_version == SCHEMA_VERSION
    assert manifest.run_id == "20261121-043737-a6e8"
    plain, named = manifest.builds[Side.BASELINE], manifest.builds[Side.CANDIDATE]
    assert (plain.label, plain.jvm_args, plain.profiler) == ("working tree", (), True)
    # Version 1 did not say it of the side; the configuration says it of the build with that name.
    assert (named.label, named.jvm_args, named.profiler) == ("parallel-gc", ("-XX:+UseParallelGC",), True)


def test_reading_leaves_the_file_as_it_is_and_writing_makes_it_todays(old: Path, manifest: Manifest) -> None:
    run = RunDirectory.open(old)
    assert (old / "manifest.json").read_bytes() == OLD.read_bytes()
    run.write_manifest(run.manifest)
    assert json.loads((old / "manifest.json").read_text())["schema_version"] == SCHEMA_VERSION
    assert RunDirectory.open(old).manifest == run.manifest


@pytest.mark.parametrize(
    "configuration", [7, "", "[builds", "builds = 1", "[builds]\nnamed = 3", "[builds.named]\na = 1"]
)
def test_a_configuration_that_says_nothing_leaves_the_defaults(old: Path, configuration: object) -> None:
    path = old / "manifest.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"configuration": configuration}))
    if isinstance(configuration, str):
        assert RunDirectory.open(old).manifest.builds[Side.CANDIDATE].jvm_args == ()
