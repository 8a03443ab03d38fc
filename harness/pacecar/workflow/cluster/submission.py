"""What a job in a cluster is told: everything that a comparison takes, made already."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from pacecar.archive import RunError, records
from pacecar.archive.handover import PackedFolder
from pacecar.inputs.builds import store
from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.toolchain import Toolchain
from pacecar.inputs.toolchain.agents import SpanAgent
from pacecar.measurement.session.preparing import Prepared
from pacecar.model.experiment import BuildRequest, Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import BuiltSide
from pacecar.model.shared_archive import SharedArchive
from pacecar.system.disk import room_for

#: The folder of the tools, beside those of the sides.
_TOOLS = "tools"


@dataclass(frozen=True, kw_only=True)
class SentBuild:
    """One side's build.

    Attributes:
        request: what it is deployed with.
        built: where it came from.
        sha256: of its artifact.
        path: of the artifact, below the folder of its side; None of an image.
        images: service -> image.
    """

    request: BuildRequest
    built: BuiltSide
    sha256: str
    path: str | None
    images: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SentTools:
    """What `Toolchain` holds, by names below the folder of the tools."""

    classpath: tuple[str, ...]
    counter_agent: str
    profiling_agent: str
    span_agent: str | None
    span_extension: str | None
    versions: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A comparison as it is sent.

    Attributes:
        run_id: of the run that it is to become.
        version: of the Pacecar that sends it.
        config: path of the configuration file in the project.
        project: files of the project, path -> key of the secret that holds them.
        options: what the command line said, for the manifest.
        overrides: dotted key of the configuration -> value, with those that no run keeps.
        repeat: the command that makes such a run again.
        archive: the store.
        builds: per side.
        tools: load generator and agents.
        parts: folder -> what in the store is unpacked there.
    """

    run_id: str
    version: str
    config: str
    project: dict[str, str]
    options: RunOptions
    overrides: dict[str, str]
    repeat: tuple[str, ...]
    archive: SharedArchive
    builds: dict[Side, SentBuild]
    tools: SentTools
    parts: dict[str, PackedFolder]


_SUBMISSIONS = TypeAdapter(Submission)


def written(submission: Submission) -> str:
    """The submission as text."""
    return _SUBMISSIONS.dump_json(submission).decode()


def read(path: Path) -> Submission:
    """The submission in the file `path`. Raises RunError."""
    return records.read(_SUBMISSIONS, path)


def sent_builds(prepared: Prepared, requests: Mapping[Side, BuildRequest]) -> dict[Side, SentBuild]:
    """The builds of `prepared` as a submission names them."""
    return {side: _sent(artifact, requests[side]) for side, artifact in prepared.artifacts.items()}


def lay_out(tools: Toolchain, folder: Path) -> SentTools:
    """Copy the tools into the new folder `folder`; returns what they are called there."""
    with room_for(folder):
        folder.mkdir()
        entries = [_copied(entry, folder / f"{number:03d}") for number, entry in enumerate(tools.classpath)]
        agents = (tools.counter_agent, tools.profiling_agent)
        spans = () if tools.span_agent is None else (tools.span_agent.agent, tools.span_agent.extension)
        counter, profiling, *others = (_copied(agent, folder / "agents") for agent in (*agents, *spans))
    return SentTools(
        classpath=tuple(entry.relative_to(folder).as_posix() for entry in entries),
        counter_agent=counter.relative_to(folder).as_posix(),
        profiling_agent=profiling.relative_to(folder).as_posix(),
        span_agent=others[0].relative_to(folder).as_posix() if others else None,
        span_extension=others[1].relative_to(folder).as_posix() if others else None,
        versions=dict(tools.versions),
    )


def folders_of(prepared: Prepared, tools: Path) -> dict[str, Path]:
    """The folders that are sent, by their names: one for each side that is no image, and `tools`."""
    paths = {side.value: artifact.path for side, artifact in prepared.artifacts.items()}
    builds = {name: store.folder_of(path) for name, path in paths.items() if path is not None}
    return {**builds, _TOOLS: tools}


def prepared_from(submission: Submission, folder: Path) -> Prepared:
    """Builds and tools of a submission whose parts lie in `folder`.

    Raises:
        RunError: when a build is not what was sent.
    """
    sent, root = submission.tools, folder / _TOOLS
    spans = None
    if sent.span_agent is not None and sent.span_extension is not None:
        spans = SpanAgent(agent=root / sent.span_agent, extension=root / sent.span_extension)
    return Prepared(
        artifacts={side: _artifact(build, folder / side.value) for side, build in submission.builds.items()},
        tools=Toolchain(
            classpath=tuple(root / entry for entry in sent.classpath),
            counter_agent=root / sent.counter_agent,
            profiling_agent=root / sent.profiling_agent,
            span_agent=spans,
            versions=sent.versions,
        ),
    )


def _sent(artifact: Artifact, request: BuildRequest) -> SentBuild:
    kept = artifact.path
    return SentBuild(
        request=request,
        built=artifact.built,
        sha256=artifact.sha256,
        path=None if kept is None else kept.relative_to(store.folder_of(kept)).as_posix(),
        images=dict(artifact.images),
    )


def _artifact(build: SentBuild, folder: Path) -> Artifact:
    path = None if build.path is None else folder / build.path
    if path is not None and store.sha256_of(path) != build.sha256:
        raise RunError(
            f"The build {build.built.label} did not arrive whole: links and hidden files are not sent.",
            hint="Submit a jar, or a folder without them.",
        )
    return Artifact(path=path, sha256=build.sha256, built=build.built, seconds=0.0, cached=True, images=build.images)


def _copied(entry: Path, into: Path) -> Path:
    into.mkdir(exist_ok=True)
    target = into / entry.name
    if entry.is_dir():
        shutil.copytree(entry, target)
    else:
        shutil.copyfile(entry, target)
    return target
