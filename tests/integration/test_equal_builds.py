"""Comparisons that need no load, from the command to the files: equal builds of a real repository, and a side's JDK."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pacecar.reporting.document import load_document
from support.small_service import SmallService

pytestmark = pytest.mark.skipif(not shutil.which("javac"), reason="needs a JDK")


class Project:
    """The small service in a repository, and `pacecar` run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.service = SmallService(folder)

    def pacecar(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        state = self.folder.parent / "state"
        places = {"PACECAR_STATE": str(state), "PACECAR_LOCKS": str(state / "locks")}
        environment = {**os.environ, "NO_COLOR": "1", **places}
        return subprocess.run(
            [sys.executable, "-m", "pacecar", *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    @property
    def runs(self) -> list[Path]:
        return sorted((self.folder / ".pacecar" / "runs").iterdir())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "small")


def test_a_change_of_the_readme_alone_passes_without_being_measured(project: Project) -> None:
    script = project.folder / "build.sh"
    # An archive has times of two seconds each: classes compiled within the same ones make the same jar.
    script.write_text(f"{script.read_text()}sleep 2.1\n")
    project.service.commit("First report")
    (project.folder / "README.md").write_text("How to run it.\n")
    project.service.commit_as_it_is("Say how to run it")

    compared = project.pacecar("compare", "--baseline", "HEAD~1", "--candidate", "HEAD")
    assert compared.returncode == 0, compared.stderr
    assert "PASSED  The builds are the same" in compared.stdout
    assert "except for times, order or compression in their archives" in compared.stdout
    assert "pacecar compare --measure-equal" in compared.stdout

    (run,) = project.runs
    document = load_document(run)
    assert (document.mode, document.pairs_judged, document.judgements) == ("unmeasured", 0, ())
    digests = [build.artifact_sha256 for build in document.provenance.builds]
    assert len(set(digests)) == 2, "built twice, to jars of two times"
    assert "nothing was measured" in (run / "report.html").read_text()
    assert 'mode="unmeasured"' in (run / "metrics.prom").read_text()
    assert list((run / "pairs").iterdir()) == []
    assert not (project.folder / ".pacecar" / "history").exists()

    told = project.pacecar("report", "--format", "markdown", "--output", "/dev/stdout").stdout
    assert "The builds are the same" in told
    assert "side by side" not in told
    assert "--measure-equal" in told
    suite = ElementTree.fromstring(project.pacecar("report", "--format", "junit", "--output", "/dev/stdout").stdout)
    assert [each.get("name") for each in suite.iter("testcase")] == ["equal builds"]

    judged = project.pacecar("judge", "--json")
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)["reason"] == document.reason
    resumed = project.pacecar("resume")
    assert resumed.returncode == 2
    assert "is complete" in resumed.stderr


def test_a_commit_whose_build_is_that_of_the_good_one_is_good(project: Project) -> None:
    project.service.commit("First report")
    (project.folder / "README.md").write_text("How to run it.\n")
    project.service.commit_as_it_is("Say how to run it")
    searched = project.pacecar("bisect", "--good", "HEAD~1", "--bad", "HEAD")
    assert searched.returncode == 2
    assert "nothing became slower between HEAD~1 and HEAD: The builds are the same" in searched.stderr


def _named(project: Project, **tables: dict[str, str]) -> None:
    path = project.folder / "pacecar.toml"
    lines = [
        line
        for name, keys in tables.items()
        for line in (f"[builds.named.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()))
    ]
    path.write_text(path.read_text() + "\n".join(("", *lines, "")))


def _other_jdk() -> Path:
    """A JDK that is not the one that Pacecar would take."""
    ours = Path(os.path.realpath(shutil.which("java") or "java")).parents[1]
    for release in sorted(Path("/usr/lib/jvm").glob("*/release"), reverse=True):
        home = release.parent.resolve()
        if home != ours and (home / "bin" / "java").is_file() and 'JAVA_VERSION="1.' not in release.read_text():
            return home
    pytest.skip("needs a second JDK below /usr/lib/jvm")


def test_a_side_has_a_jdk_of_its_own(project: Project) -> None:
    project.service.commit("First report")
    _named(project, later={"build": "ref:HEAD", "java": str(_other_jdk())}, plain={"build": "ref:HEAD"})
    compared = project.pacecar(
        *("compare", "--baseline", "plain", "--candidate", "later", "--pairs", "1", "--fail-on", "nothing")
    )
    assert compared.returncode in (0, 3), compared.stderr
    (run,) = project.runs
    builds = json.loads((run / "manifest.json").read_text())["builds"]
    assert builds["candidate"]["java"] == str(_other_jdk())
    assert builds["baseline"]["java"] is None
    assert builds["candidate"]["artifact_sha256"] == builds["baseline"]["artifact_sha256"]
    document = load_document(run)
    ran_on = {str(build.side): build.jvm for build in document.provenance.builds}
    forks = {str(fork.side): fork.jvm_version for fork in document.pairs[0].forks}
    assert ran_on == forks == {side: builds[side]["jvm"] for side in ran_on}
    assert len(set(ran_on.values())) == 2
    assert f"candidate on {ran_on['candidate']}" in compared.stdout


def test_a_command_that_starts_a_java_of_its_own_is_refused(project: Project) -> None:
    project.service.commit("First report")
    path = project.folder / "pacecar.toml"
    path.write_text(path.read_text().replace('"{java}"', json.dumps(os.path.realpath(shutil.which("java") or ""))))
    _named(project, later={"build": "ref:HEAD", "java": str(_other_jdk())})
    compared = project.pacecar("compare", "--baseline", "HEAD", "--candidate", "later", "--pairs", "1")
    assert compared.returncode == 3, compared.stderr
    assert f"must run on {_other_jdk()}" in compared.stderr
    assert "{java}" in compared.stderr
