"""The workflows to copy, as they are, run by `act` on this machine against a server that answers as GitHub describes.

Marketplace actions cannot be fetched here; `actions/` has stand-ins that keep artifacts and caches in a folder. Caches
are found as GitHub finds them: by the beginning of a key, in the scope of the run and in those it may read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from pacecar.github.identity import marker
from pacecar.reporting.comment import MARKER, comment
from pacecar.reporting.document import Document, load_document
from pacecar.reporting.tiers import Tiers, tiers_comment
from pacecar.system import paths
from support import cache, go_programs
from support.checkout import CHECKOUT
from support.github_api import REPOSITORY, Pull, Server, Token
from support.small_service import SOURCE

HERE = Path(__file__).resolve().parent
#: Every action of others that ours and the workflows use, with the commit it is pinned to.
USED = frozenset(
    found
    for path in (CHECKOUT / "ci").rglob("*.yml")
    for found in re.findall(r"uses: actions/([a-z-]+)(?:/[a-z-]+)?@([0-9a-f]{40})", path.read_text())
    if found[0] != "checkout"  # act leaves that out
)
#: What the workflows' comparisons are called.
PLAIN, FORK = "performance.compare", "performance.measure"
#: The first is called as that of a fork: both workflows have a job `measure`.
MAIN = "refs/heads/main"
#: What a project adds for its pull requests.
BUDGETED = """
[builds]
baseline = "HEAD"
candidate = "HEAD"

[gate]
metrics = ["allocation"]

[[budgets]]
metric = "allocation"
worse = "5 %"
"""
#: Verdicts that let a job pass.
PASSING = ("improved", "passed", "inconclusive")

pytestmark = [
    pytest.mark.skipif(bool(go_programs.lacking("act")), reason=go_programs.lacking("act")),
    pytest.mark.skipif(shutil.which("node") is None, reason="act runs actions by Node.js, which is not installed"),
]


class Site:
    """A repository on GitHub, as far as a job can tell: its checkout, the server, what jobs have left."""

    def __init__(self, folder: Path, server: Server, *, act: Path, tools: Path) -> None:
        self.checkout = folder / "checkout"
        self.kept = folder / "stand-ins"
        self._folder, self._server, self._act, self._tools = folder, server, act, tools
        shutil.copytree(SOURCE, self.checkout)
        configuration = (SOURCE / "pacecar.toml").read_text()
        (self.checkout / "pacecar.toml").write_text(configuration.replace("pairs = 6", "pairs = 1") + BUDGETED)
        shutil.copytree(CHECKOUT / "ci" / "workflows", self.checkout / ".github" / "workflows")
        (folder / "config" / "act").mkdir(parents=True)
        (folder / "config" / "act" / "actrc").touch()
        _copy_of_pacecar(folder / "pacecar")
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("the service")
        self.git("remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def git(self, *arguments: str) -> str:
        answer = subprocess.run(["git", *arguments], cwd=self.checkout, check=True, capture_output=True, text=True)
        return answer.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "-m", message)
        return self.git("rev-parse", "HEAD")

    def change(self, sign: str) -> str:
        """A branch whose answers are longer; the commit at its head."""
        self.git("checkout", "--quiet", "-B", "longer")
        source = self.checkout / "Report.java"
        source.write_text(source.read_text().replace('"line ', f'"line number {sign}'))
        return self.commit("longer")

    def describe(self, text: str) -> str:
        """A branch that has a page more, and the same classes, so that nothing is measured; the commit at its head."""
        self.git("checkout", "--quiet", "-B", "described", "main")
        (self.checkout / "NOTES.md").write_text(f"{text}\n")
        return self.commit("described")

    def run(
        self, workflow: str, *, event: str, payload: dict[str, Any], run_id: int
    ) -> subprocess.CompletedProcess[str]:
        (self._folder / "event.json").write_text(json.dumps(payload))
        local = {"pacecar/pacecar@v0": self._folder / "pacecar"}
        local |= {f"actions/{name}@{commit}": HERE / "actions" / name for name, commit in USED}
        variables = {
            "GITHUB_API_URL": self._server.url,
            "GITHUB_RUN_ID": str(run_id),
            "STAND_INS": str(self.kept),
            "PACECAR_CACHE": str(paths.cache()),
            "PACECAR_STATE": str(self._folder / "state"),
            "PACECAR_LOCKS": str(self._folder / "locks"),
        }
        command = [
            *(str(self._act), event, "--eventpath", str(self._folder / "event.json")),
            *("--workflows", f".github/workflows/{workflow}", "--platform", "ubuntu-latest=-self-hosted"),
            *_options("--local-repository", [f"{name}={path}" for name, path in local.items()]),
            *_options("--env", [f"{name}={value}" for name, value in variables.items()]),
            *("--secret", "GITHUB_TOKEN=secret-of-the-job", "--no-cache-server"),
            *("--action-cache-path", str(self._tools)),
        ]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self._folder / "config")}
        return subprocess.run(
            command, cwd=self.checkout, env=environment, capture_output=True, text=True, check=False, timeout=1200
        )

    def caches(self, scope: str, beginning: str) -> list[Path]:
        """What runs of a branch or pull request have kept, oldest first, by the beginning of its key."""
        folder = self.kept / "cache" / quote(scope, safe="")
        keys = json.loads((folder / "keys.json").read_text()) if folder.exists() else []
        # As JavaScript escapes them.
        return [folder / quote(key, safe="!'()*") for key in keys if key.startswith(beginning)]

    def artifact(self, run_id: int, name: str) -> Path:
        return self.kept / "artifacts" / str(run_id) / name


def _options(name: str, values: Sequence[str]) -> list[str]:
    return [part for value in values for part in (name, value)]


def _copy_of_pacecar(target: Path) -> None:
    """What GitHub would fetch of this very version."""
    parts = ("harness", "reports", "scenarios", "ci", "requirements", "pyproject.toml", "README.md", "LICENSE")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *parts],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (CHECKOUT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str, server: Server) -> Site:
    """One for each process that runs tests. Several install dependencies anew, once for all of them. One that is alone
    with the machine takes those that were installed before from the same lock.
    """
    tools = cache.folder() / "tools" if worker_id == "master" else tmp_path_factory.getbasetemp().parent / "tools"
    return Site(tmp_path_factory.mktemp("site"), server, act=go_programs.program("act"), tools=tools)


def _event(number: int, sha: str, *, repository: str = REPOSITORY) -> dict[str, Any]:
    head = {"ref": "longer", "sha": sha, "repo": {"full_name": repository}}
    base = {"ref": "main", "sha": "0" * 40, "repo": {"full_name": REPOSITORY}}
    return {"number": number, "pull_request": {"number": number, "head": head, "base": base}}


def _check_job(ended: subprocess.CompletedProcess[str], site: Site, run_id: int, *, name: str) -> Document:
    """The job ended as its verdict says, with outputs and artifacts."""
    document = load_document(site.artifact(run_id, f"pacecar-document-{name}") / name)
    assert (ended.returncode == 0) == (document.verdict.value in PASSING), ended.stdout[-5_000:]
    assert f"::set-output:: verdict={document.verdict.value}" in ended.stdout
    assert f"::set-output:: regressions={ended.stdout.count('::error file=pacecar.toml')}" in ended.stdout
    assert "<html" in (site.artifact(run_id, f"pacecar-report-{name}") / "report.html").read_text()
    assert f"Summary - {MARKER}" in ended.stdout
    assert "secret-of-the-job" not in ended.stdout + ended.stderr
    return document


def _check_comment(body: str, document: Document, *, name: str, run_id: int) -> None:
    """It is the document's, bears its name, and says which run it came from."""
    assert body.splitlines()[0] == marker(name)
    assert body.splitlines()[1] == comment(document).splitlines()[1]
    assert f"`{name}`, measured by [run {run_id}](https://github.com/{REPOSITORY}/actions/runs/{run_id})" in body


@pytest.mark.shares_machine
def test_a_pull_request_of_the_repository_has_one_comment(site: Site, server: Server) -> None:
    others = server.comment("Nice!", login="somebody").body
    # Of the second push it is known without a measurement that it changes nothing.
    for run_id, sha in ((11, site.change("+")), (12, site.describe("What it is for"))):
        site.git("checkout", "--quiet", sha)
        server.pulls = [Pull(number=1, sha=sha, branch="longer")]
        ended = site.run("same-repository.yml", event="pull_request", payload=_event(1, sha), run_id=run_id)
        document = _check_job(ended, site, run_id, name=PLAIN)
        assert document.measured == (run_id == 11)
        theirs, ours = server.bodies()
        assert theirs == others
        _check_comment(ours, document, name=PLAIN, run_id=run_id)
        assert document.provenance.builds[1].commit == sha
        assert document.provenance.builds[0].commit == site.git("rev-parse", "origin/main")


@pytest.mark.shares_machine
def test_a_fork_is_measured_by_one_workflow_and_commented_by_another(site: Site, server: Server) -> None:
    fork = "somebody/orders"
    sha = site.describe("Of a fork")
    server.pulls = [Pull(number=2, sha=sha, branch="longer", repository=fork)]
    server.tokens["secret-of-the-job"] = Token(writes=False)
    server.requests.clear()
    measured = site.run("forks-measure.yml", event="pull_request", payload=_event(2, sha, repository=fork), run_id=21)
    document = _check_job(measured, site, 21, name=FORK)
    assert server.requests == []

    server.tokens["secret-of-the-job"] = Token()
    run = {"id": 21, "event": "pull_request", "head_branch": "longer", "head_sha": sha, "conclusion": "success"}
    run |= {"head_repository": {"full_name": fork, "id": 5}, "pull_requests": []}
    for _ in range(2):
        told = site.run("forks-comment.yml", event="workflow_run", payload={"workflow_run": run}, run_id=22)
        assert told.returncode == 0, told.stdout[-5_000:]
    (body,) = server.bodies(2)
    _check_comment(body, document, name=FORK, run_id=21)


@pytest.mark.shares_machine
def test_each_job_of_a_matrix_has_a_comment_of_its_own(site: Site, server: Server) -> None:
    sha = site.describe("In a matrix")
    path = site.checkout / ".github" / "workflows" / "same-repository.yml"
    workflow = yaml.safe_load(path.read_text().replace("\non:", '\n"on":'))
    workflow["jobs"]["compare"]["strategy"] = {"max-parallel": 1, "matrix": {"size": ["small", "Large"]}}
    (path.parent / "matrix.yml").write_text(yaml.safe_dump(workflow))
    server.pulls = [Pull(number=3, sha=sha, branch="longer")]
    ended = site.run("matrix.yml", event="pull_request", payload=_event(3, sha), run_id=41)
    kept = sorted(folder.name for folder in (site.kept / "artifacts" / "41").glob("pacecar-document-*"))
    names = [name.removeprefix("pacecar-document-") for name in kept]
    assert [name.rpartition("-")[0] for name in names] == [f"{PLAIN}.large", f"{PLAIN}.small"], ended.stdout[-5_000:]
    for name, body in zip(names, server.bodies(3), strict=True):
        document = load_document(site.artifact(41, f"pacecar-document-{name}") / name)
        _check_comment(body, document, name=name, run_id=41)


def _check_tiers(ended: subprocess.CompletedProcess[str], site: Site, run_id: int, *, name: str, why: str) -> Tiers:
    """The job ended as both tiers say, with the outputs and the artifacts of both."""
    folder = site.artifact(run_id, f"pacecar-document-{name}") / name / "tiers"
    assert (folder / "full").is_dir(), ended.stdout[-5_000:]
    tiers = Tiers(
        quick=load_document(folder / "quick"),
        full=load_document(folder / "full"),
        why=(folder / "why.txt").read_text(),
    )
    assert tiers.why == why
    assert (ended.returncode == 0) == (tiers.standing.value in PASSING), ended.stdout[-5_000:]
    assert f"::set-output:: verdict={tiers.verdict.value}" in ended.stdout
    assert f"::set-output:: tier={tiers.decided.value}" in ended.stdout
    assert f"::set-output:: regressions={len(tiers.regressions)}" in ended.stdout
    reports = site.artifact(run_id, f"pacecar-report-{name}")
    assert sorted(path.name for path in reports.rglob("*.html")) == ["full.html", "quick.html"]
    assert ended.stdout.count(f"Summary - {MARKER}") == 1
    assert "secret-of-the-job" not in ended.stdout + ended.stderr
    return tiers


@pytest.mark.shares_machine
def test_a_quick_answer_and_the_full_one_that_it_calls_for_share_one_comment(site: Site, server: Server) -> None:
    sha = site.change("in tiers ")
    server.pulls = [Pull(number=5, sha=sha, branch="longer")]
    opened = _event(5, sha) | {"action": "opened"}
    ended = site.run("quick-then-full.yml", event="pull_request", payload=opened, run_id=61)
    why = "The quick tier found a regression, which calls for the full one."
    tiers = _check_tiers(ended, site, 61, name=FORK, why=why)
    assert tiers.verdict.value == "regressed"
    (body,) = server.bodies(5)
    assert body.startswith(f"{marker(FORK)}\n")
    assert body.splitlines()[:12] == tiers_comment(tiers, marker=marker(FORK)).splitlines()[:12]
    assert f"`{FORK}`, measured by [run 61]" in body

    another = _event(5, sha) | {"action": "labeled", "label": {"name": "bug"}}
    left_out = site.run("quick-then-full.yml", event="pull_request", payload=another, run_id=62)
    assert left_out.returncode == 0, left_out.stdout[-5_000:]
    assert not (site.kept / "artifacts" / "62").exists()
    assert server.bodies(5) == [body]


@pytest.mark.shares_machine
def test_a_push_to_main_leaves_a_baseline(site: Site) -> None:
    site.git("checkout", "--quiet", "main")
    push = {"ref": "refs/heads/main", "after": site.git("rev-parse", "HEAD")}
    ended = site.run("baseline.yml", event="push", payload=push, run_id=31)
    assert ended.returncode == 0, ended.stdout[-5_000:]
    assert "is the baseline of main" in ended.stdout
    (kept,) = site.caches(MAIN, "pacecar-archive/main/")
    assert list(kept.rglob("manifest.json"))


def test_a_pull_request_knows_the_noise_of_main(site: Site, server: Server) -> None:
    site.git("checkout", "--quiet", "main")
    path = site.checkout / ".github" / "workflows" / "baseline.yml"
    (path.parent / "noise.yml").write_text(path.read_text().replace("noise: 8", "noise: 3"))
    seeded = site.run("noise.yml", event="workflow_dispatch", payload={"ref": MAIN}, run_id=51)
    assert seeded.returncode == 0, seeded.stdout[-5_000:]
    assert len(site.caches(MAIN, "pacecar-noise/")) == 1

    sha = site.change("with history ")
    server.pulls = [Pull(number=4, sha=sha, branch="longer")]
    shutil.rmtree(site.checkout / ".pacecar", ignore_errors=True)  # a fresh runner has nothing of its own
    ended = site.run("same-repository.yml", event="pull_request", payload=_event(4, sha), run_id=52)
    document = _check_job(ended, site, 52, name=PLAIN)
    assert document.earlier_runs == 1
    assert "Noise of 1 earlier run was used." in server.bodies(4)[0]
