"""A build that is an image which nodes pull."""

from __future__ import annotations

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.pinned_image import pinned_image
from pacecar.model.experiment import BuildKind, BuildRequest

DIGEST = "1f" * 32


def named(value: str) -> BuildRequest:
    return BuildRequest(kind=BuildKind.IMAGE, value=value, label="orders")


@pytest.mark.parametrize("name", ["orders", "registry.example:5000/team/orders", "orders:1.2"])
def test_an_image_by_its_digest(name: str) -> None:
    made = pinned_image(named(f"{name}@sha256:{DIGEST}"))
    assert (made.path, made.sha256, list(made.images.values())) == (None, DIGEST, [f"{name}@sha256:{DIGEST}"])
    assert made.built.artifact_sha256 == DIGEST


@pytest.mark.parametrize(
    "name", ["orders", "orders:1.2", f"orders@sha256:{DIGEST[:-1]}", f"@sha256:{DIGEST}", "a b@sha256"]
)
def test_a_tag_may_mean_something_else_tomorrow(name: str) -> None:
    with pytest.raises(BuildError, match="is not named by its digest") as caught:
        pinned_image(named(name))
    assert "NAME@sha256:" in (caught.value.hint or "")
