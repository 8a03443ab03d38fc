"""What a job is told: builds and tools as they were made, laid out in folders that can be sent."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.handover import PackedFolder
from pacecar.inputs.builds import artifact
from pacecar.inputs.toolchain import Toolchain
from pacecar.inputs.toolchain.agents import SpanAgent
from pacecar.measurement.session.preparing import Prepared
from pacecar.model.experiment import BuildKind, BuildRequest, Side
from pacecar.model.options import PlanOptions, RunOptions
from pacecar.model.shared_archive import SharedArchive
from pacecar.system.resources import Resources
from pacecar.workflow.cluster.submission import (
    Submission,
    folders_of,
    lay_out,
    prepared_from,
    read,
    sent_builds,
    written,
)


def jar(path: Path, *, content: str, libraries: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        manifest = f"Manifest-Version: 1.0\nMain-Class: A\n{f'Class-Path: {libraries}' if libraries else ''}\n"
        file.writestr("META-INF/MANIFEST.MF", manifest)
        file.writestr("A.class", content)
    return path


@pytest.fixture
def requests(tmp_path: Path) -> dict[Side, BuildRequest]:
    """A jar by itself, and one with a library beside it."""
    alone = jar(tmp_path / "built" / "orders.jar", content="one")
    thin = jar(tmp_path / "thin" / "orders.jar", content="two", libraries="libs/a.jar")
    jar(tmp_path / "thin" / "libs" / "a.jar", content="library")
    return {
        Side.BASELINE: BuildRequest(kind=BuildKind.JAR, value=str(alone), label="before", jvm_args=("-Xmx1g",)),
        Side.CANDIDATE: BuildRequest(kind=BuildKind.JAR, value=str(thin), label="after", env={"A": "secret"}),
    }


@pytest.fixture
def tools(tmp_path: Path) -> Toolchain:
    folder = tmp_path / "tools"
    entries = (folder / "x" / "gatling-core-3.jar", folder / "y" / "gatling-core-3.jar", folder / "000-classes")
    for entry in entries[:2]:
        jar(entry, content=str(entry))
    jar(entries[2] / "nested.jar", content="class")
    agents = [jar(folder / f"{name}.jar", content=name) for name in ("counter", "profiling", "span", "extension")]
    return Toolchain(
        classpath=entries,
        counter_agent=agents[0],
        profiling_agent=agents[1],
        span_agent=SpanAgent(agent=agents[2], extension=agents[3]),
        versions={"gatling": "3"},
    )


@pytest.fixture
def made(requests: dict[Side, BuildRequest], tools: Toolchain, tmp_path: Path) -> Prepared:
    with Resources() as resources:
        artifacts = {
            side: artifact.make(each, source=None, resources=resources, log_dir=tmp_path)
            for side, each in requests.items()
        }
    return Prepared(artifacts=artifacts, tools=tools)


@pytest.fixture
def sent(made: Prepared, requests: dict[Side, BuildRequest], tmp_path: Path) -> tuple[Submission, Path]:
    """The submission, and the folder that its parts would be unpacked to."""
    named = lay_out(made.tools, tmp_path / "laid-out")
    there = tmp_path / "there"
    for name, folder in folders_of(made, tmp_path / "laid-out").items():
        shutil.copytree(folder, there / name)
    submission = Submission(
        run_id="20250301-101500-9f3a",
        version="0.1.0",
        config="pacecar.toml",
        project={"pacecar.toml": "config.toml"},
        options=RunOptions(config="/home/ada/pacecar.toml", plan=PlanOptions(pairs=3)),
        overrides={"plan.pairs": "3"},
        repeat=("pacecar", "compare"),
        archive=SharedArchive(url="s3://performance/orders", options={"endpoint": "http://127.0.0.1:9"}),
        builds=sent_builds(made, requests),
        tools=named,
        parts={"baseline": PackedFolder(name="a", sha256="0" * 64, size=1)},
    )
    return submission, there


def test_it_arrives_as_it_was_sent(sent: tuple[Submission, Path], tmp_path: Path) -> None:
    submission, _ = sent
    (tmp_path / "submission.json").write_text(written(submission))
    assert read(tmp_path / "submission.json") == submission


def test_builds_and_tools_are_the_same_there(sent: tuple[Submission, Path], made: Prepared) -> None:
    submission, there = sent
    found = prepared_from(submission, there)
    for side, artifact_ in found.artifacts.items():
        before = made.artifacts[side]
        assert artifact_.path is not None
        assert before.path is not None
        assert artifact_.path.is_relative_to(there)
        assert artifact_.path.read_bytes() == before.path.read_bytes()
        assert (artifact_.sha256, artifact_.built) == (before.sha256, before.built)
    assert (found.artifacts[Side.CANDIDATE].path.parent / "libs" / "a.jar").is_file()
    assert [path.name for path in found.tools.classpath] == [path.name for path in made.tools.classpath]
    assert found.tools.counter_agent.read_bytes() == made.tools.counter_agent.read_bytes()
    assert found.tools.span_agent is not None
    assert found.tools.span_agent.extension.is_file()
    assert found.tools.versions == made.tools.versions


@pytest.mark.hostile
def test_a_build_that_lost_something_on_the_way_is_refused(sent: tuple[Submission, Path]) -> None:
    submission, there = sent
    (there / "candidate" / "thin" / "orders.jar" / "libs" / "a.jar").unlink()
    with pytest.raises(RunError, match="The build after did not arrive whole"):
        prepared_from(submission, there)


def test_without_spans_there_is_no_agent_of_them(made: Prepared, tmp_path: Path) -> None:
    named = lay_out(replace(made.tools, span_agent=None), tmp_path / "bare")
    assert (named.span_agent, named.span_extension) == (None, None)


@pytest.mark.hostile
@pytest.mark.parametrize("text", ["", "{", '{"run_id": 3}', "[]"])
def test_what_is_no_submission_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "submission.json").write_text(text)
    with pytest.raises(RunError, match=r"submission\.json"):
        read(tmp_path / "submission.json")
