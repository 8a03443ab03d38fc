"""A build that is an image which the nodes of a cluster pull: it is named by its digest."""

from __future__ import annotations

import re

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact, described
from pacecar.model.experiment import BuildRequest

_PINNED = re.compile(r"[^\s@]{1,255}@sha256:([0-9a-f]{64})")


def pinned_image(request: BuildRequest) -> Artifact:
    """The artifact of an image.

    Raises:
        BuildError: when its name holds no digest: what a tag means may change from one pair to the next.
    """
    pinned = _PINNED.fullmatch(request.value)
    if pinned is None:
        raise BuildError(
            f"The image {request.value!r} is not named by its digest, so two pairs might run two images.",
            hint="Name it as NAME@sha256:…; to see the digest: docker buildx imagetools inspect NAME:TAG",
        )
    built = described(request, sha256=pinned[1], copy=None)
    return Artifact(path=None, images={"": request.value}, sha256=pinned[1], built=built, seconds=0.0, cached=True)
