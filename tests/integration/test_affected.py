"""`pacecar compare --affected` in a real repository of several services, one of them broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.small_service import SOURCE

pytestmark = pytest.mark.skipif(not shutil.which("javac"), reason="needs a JDK")

GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "init.defaultBranch=main")


class Shop:
    """A repository with a folder for each of its services."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            [*GIT, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def add(self, name: str) -> Path:
        return Path(shutil.copytree(SOURCE, self.folder / "services" / name))

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "As it is")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / "services" / name / "Report.java"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def pacecar(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        state = self.folder.parent / "state"
        places = {"PACECAR_STATE": str(state), "PACECAR_LOCKS": str(state / "locks")}
        environment = {**os.environ, "NO_COLOR": "1", **places, **env}
        return subprocess.run(
            [sys.executable, "-m", "pacecar", *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=290,
            check=False,
        )


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path / "shop")
    for name in ("basket", "orders", "prices"):
        made.add(name)
    made.commit()
    return made


def test_only_what_changed_is_measured_and_what_is_broken_hides_nothing(shop: Shop) -> None:
    (shop.folder / "README.md").write_text("A shop.\n")
    shop.edit("orders", "copy < 2;", "copy < 3;")
    shop.edit("prices", "return last;", "return")
    shop.add("wishes")
    shop.commit()

    compared = shop.pacecar("compare", "--affected", "HEAD~1", "--candidate", "HEAD", "--pairs", "1", "--json")

    told: dict[str, dict[str, Any]] = {each["service"]: each for each in json.loads(compared.stdout)}
    assert list(told) == [f"services/{name}" for name in ("basket", "orders", "prices", "wishes")]
    same, changed, broken, new = told.values()
    assert (same["verdict"], same["measured"], same["exit_code"]) == ("passed", False, 0)
    assert same["reason"].startswith("Nothing was measured: the builds are the same")
    assert changed["measured"], compared.stderr
    assert len(json.loads(Path(changed["document"]).read_text())["pairs"]) == 1
    assert Path(changed["report"]).is_file()
    assert "failed" in broken["failure"]
    assert (broken["verdict"], broken["exit_code"]) == (None, 2)
    assert new["new"]
    assert (new["failure"], new["exit_code"]) == (None, 0)
    assert compared.returncode == 2, compared.stderr
    assert "service 4 of 4: services/wishes" in compared.stderr
    assert shop.git("status", "--porcelain") == ""


def test_the_working_tree_is_what_is_compared_unless_something_else_is_named(shop: Shop) -> None:
    (shop.folder / "services" / "basket" / "NOTES.md").write_text("Uncommitted.\n")
    compared = shop.pacecar("compare", "--affected", "main")
    assert compared.returncode == 0, compared.stderr
    assert "Nothing to measure: the builds of 3 services are the same" in compared.stdout
    assert compared.stdout.count("the same") >= 4


def test_what_cannot_be_compared_at_all_is_said_at_once(shop: Shop, tmp_path: Path) -> None:
    for arguments, said in (
        (("--affected", "nowhere"), "There is no commit 'nowhere'"),
        (("--affected", "main", "--baseline", "main"), "each name what to compare with"),
    ):
        refused = shop.pacecar("compare", *arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert said in refused.stderr
    assert shop.pacecar("compare", "--affected", "main", "--dry-run").stdout.split() == [
        "services/basket",
        "services/orders",
        "services/prices",
    ]
    alone = Shop(tmp_path / "alone")
    assert "There is no pacecar.toml" in alone.pacecar("compare", "--affected", "HEAD").stderr


def _in_a_job(shop: Shop) -> dict[str, str]:
    folder = shop.folder.parent / "job"
    folder.mkdir()
    (folder / "event.json").write_text("{}")
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_RUN_ID": "1",
        "GITHUB_WORKFLOW": "performance",
        "GITHUB_JOB": "compare",
        "GITHUB_API_URL": "https://api.github.com",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_WORKSPACE": str(shop.folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "RUNNER_TEMP": str(folder),
        "PACECAR_AFFECTED": "true",
    }


def test_a_job_tells_of_all_services_on_one_page_and_in_one_artifact(shop: Shop) -> None:
    shop.edit("prices", "return last;", "return")
    shop.add("wishes")
    shop.commit()
    environment = _in_a_job(shop)
    compared = shop.pacecar("github", "compare", **environment, PACECAR_BASELINE="HEAD~1")
    assert compared.returncode == 2, compared.stderr
    summary = Path(environment["GITHUB_STEP_SUMMARY"]).read_text()
    assert summary.count("### ") == 1
    assert "4 services: 1 failed, 1 new; 2 the same" in summary
    assert "services/basket" in summary
    (parts,) = Path(environment["RUNNER_TEMP"]).glob("pacecar-*/performance.compare/parts")
    assert {path.relative_to(parts).as_posix() for path in parts.glob("*/*")} == {
        "services-basket/document.json",
        "services-orders/document.json",
        "services-prices/failure.txt",
        "services-wishes/new.txt",
    }
    outputs = Path(environment["GITHUB_OUTPUT"]).read_text()
    assert "\npassed\n" in outputs
    assert str(parts.parent.parent) in outputs

    nothing = shop.pacecar("github", "compare", **environment)
    assert nothing.returncode == 2
    assert "There is no commit to compare the services with." in nothing.stderr
