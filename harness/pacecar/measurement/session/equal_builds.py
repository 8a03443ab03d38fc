"""Whether builds are the same: those of a comparison, with nothing to measure then, and those of a run that goes on."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.archive import RunError
from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.builds.sameness import sameness
from pacecar.model.experiment import BuildRequest, Experiment, Side
from pacecar.model.recording import Manifest, Sameness


def same_builds(experiment: Experiment, artifacts: Mapping[Side, Artifact]) -> Sameness | None:
    """How the builds of both sides are the same.

    None when they are not, when one side differs in something else, such as an argument of its JVM, and when equal
    builds are to be measured.

    Args:
        experiment: what was asked for.
        artifacts: what was made of its builds.
    """
    if experiment.measure_equal or len(artifacts) < len(Side):
        return None
    before, after = artifacts[Side.BASELINE], artifacts[Side.CANDIDATE]
    if _around(experiment.builds[Side.BASELINE]) != _around(experiment.builds[Side.CANDIDATE]):
        return None
    if before.images != after.images:
        return None
    if before.sha256 == after.sha256:
        return Sameness(identical=True)
    if before.path is None or after.path is None:  # what an image holds is the engine's
        return None
    return sameness(before.path, after.path)


def _around(request: BuildRequest) -> tuple[object, ...]:
    """What a side is deployed with, besides its artifact."""
    return request.jvm_args, request.env, request.profiler, request.spans, request.java


def require_same_builds(manifest: Manifest, artifacts: Mapping[Side, Artifact]) -> None:
    """Raise RunError when a run that goes on would measure other builds than it began with."""
    for side, artifact in artifacts.items():
        begun, now = manifest.builds[side], artifact.built
        if begun.artifact_sha256 != artifact.sha256 or (begun.jvm and begun.jvm != now.jvm):
            raise RunError(
                f"The {side.value} is no longer the build that run {manifest.run_id} measured, or runs on another JVM.",
                hint="Start a new run: " + " ".join(manifest.repeat),
            )
