"""The conduct of a search over commits that need no load: real builds, and a JVM that ends at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pacecar.archive.bisections import find_bisection, store
from pacecar.archive.runs import new_run_id
from pacecar.inputs import config
from pacecar.inputs.builds.artifact import make
from pacecar.inputs.builds.request import parse_build
from pacecar.model.bisection import Bisection, BisectionStep, End, Followed, Outcome, Seen
from pacecar.model.comparison import Verdict
from pacecar.system.resources import Resources
from support.small_service import SmallService

pytestmark = pytest.mark.skipif(not (shutil.which("javac") and shutil.which("mvn")), reason="needs a JDK and Maven")


def _begun(service: SmallService, good: str, bad: str, *, candidates: int) -> Bisection:
    """A search whose ends have been compared."""
    path = service.folder / "pacecar.toml"
    configuration = config.load(path)
    with Resources() as resources:
        request = parse_build(f"ref:{good}", source=configuration.source, cwd=service.folder)
        built = make(request, source=configuration.source, resources=resources, log_dir=service.folder / "state")
    seen = Seen(metric="cpu", endpoint="", verdict=Verdict.REGRESSED, pairs=3, change=0.2, low=0.15, high=0.25)
    return Bisection(
        bisection_id=new_run_id(),
        created="2025-03-01T10:15:00+00:00",
        good=End(ref="v1", commit=good),
        bad=End(ref="main", commit=bad),
        first_parent=False,
        candidates=candidates,
        configuration=configuration.text,
        config=str(path),
        good_sha256=built.sha256,
        ends=BisectionStep(
            commit=bad, outcome=Outcome.BAD, reason="20% more CPU per request", run_id="gone", seen=(seen,)
        ),
        followed=(Followed(metric="cpu", endpoint="", change=0.2, threshold=0.095),),
    )


def test_what_cannot_be_measured_is_skipped_and_what_was_built_before_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    service = SmallService(tmp_path)
    good = service.commit("First report")
    service.tag("v1")
    same = service.revert_to("v1")
    broken = service.commit("Return early", broken=True)
    exits = service.commit("Leave at once", exits=True)
    bad = service.commit("Write more", copies=20)
    search = _begun(service, good, bad, candidates=4)
    store(tmp_path / ".pacecar", search)

    ended = subprocess.run(
        [sys.executable, "-m", "pacecar", "bisect", "--resume", search.bisection_id, "--json"],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert ended.returncode == 4, ended.stderr
    assert {each["commit"] for each in json.loads(ended.stdout)["suspects"]} == {broken, exits, bad}
    steps = {step.commit: step for step in find_bisection(tmp_path / ".pacecar", search.bisection_id).steps}
    assert (steps[same].outcome, steps[same].run_id) == (Outcome.GOOD, None)
    assert steps[same].reason.startswith("is the same build as")
    for commit, said in ((broken, "does not build: Build '"), (exits, "does not start: The candidate of small")):
        assert steps[commit].outcome is Outcome.SKIPPED
        assert said in steps[commit].reason
    # The run that could not start is in the archive like any other.
    assert (tmp_path / ".pacecar" / "runs" / (steps[exits].run_id or "none") / "manifest.json").exists()
    assert not list((tmp_path / "state" / "ledgers").glob("*.jsonl"))
