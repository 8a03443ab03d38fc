"""The builds that benchmarks make worse by known amounts: patches apply, and do what the configurations ask of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.verdict.services import SAME, SERVICES, Service
from pacecar.inputs.config import load
from support.checkout import CHECKOUT

EACH = pytest.mark.parametrize("service", SERVICES.values(), ids=lambda service: service.name)


@EACH
def test_a_build_is_the_patched_service_with_other_properties(service: Service, tmp_path: Path) -> None:
    builds = load(service.configuration).builds
    assert {*service.seeded} < {*builds}
    patches = {build.build for build in builds.values()}
    assert len(patches) == 1
    # Outside the checkout: inside one, git takes a patch's paths from the checkout's root, and applies nothing.
    sources = tmp_path / service.name
    shutil.copytree(CHECKOUT / "targets" / service.name, sources, ignore=shutil.ignore_patterns("target"))
    patch = service.configuration.parent / patches.pop().removeprefix("patch:")
    applied = subprocess.run(["git", "apply", str(patch)], cwd=sources, capture_output=True, text=True, timeout=30)
    assert applied.returncode == 0, applied.stderr
    source = "".join(path.read_text() for path in sources.rglob("ExtraWork.java"))
    for name, build in builds.items():
        asked = [argument.removeprefix("-D").partition("=")[0] for argument in build.jvm_args]
        assert (name == SAME) is (asked == [])
        assert all(f'"{each}"' in source for each in asked), name


@EACH
def test_what_shows_a_build_is_something_that_is_measured(service: Service) -> None:
    endpoints = {endpoint.name for endpoint in load(service.configuration).scenario.endpoints}
    for metric in service.seeded.values():
        endpoint, _, name = metric.rpartition(" ")
        assert not endpoint or endpoint in endpoints
        assert re.fullmatch(r"cpu|allocation|latency\.p(50|99)", name)
