"""A baseline recorded on one machine, and measured side by side on another, by way of a real S3 server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support import go_programs
from support.object_store import gateway

pytestmark = [
    pytest.mark.shares_machine,
    pytest.mark.skipif(bool(go_programs.lacking("versitygw")), reason=go_programs.lacking("versitygw")),
]


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_record_here_compare_there(project, tmp_path_factory, monkeypatch) -> None:
    with gateway.running(tmp_path_factory.mktemp("gateway")) as server:
        for name, value in server.environment.items():
            if name.startswith("AWS_"):
                monkeypatch.setenv(name, value)
        config = project.folder / "pacecar.toml"
        config.write_text(
            config.read_text() + f'\n[archive]\nurl = "{server.url}"\noptions = {{ endpoint = "{server.endpoint}" }}\n'
        )
        (project.folder / ".gitignore").write_text(".pacecar/\nstate/\ntarget/\n")
        git(project.folder, "init", "-q")
        git(project.folder, "add", "-A")
        git(project.folder, "commit", "-qm", "first")
        here = type(project)(project.folder)
        recorded = here.pacecar("record", "--build", "main", "--set", "plan.pairs=1")
        assert recorded.returncode == 0, recorded.stderr
        assert f"stored in {server.url}" in recorded.stderr
        promoted = here.pacecar("baseline", "promote", "--branch", "main")
        assert promoted.returncode == 0, promoted.stderr

        clone = tmp_path_factory.mktemp("elsewhere") / "clone"
        subprocess.run(["git", "clone", "-q", project.folder, clone], check=True)
        git(clone, "switch", "-q", "-c", "work")
        git(clone, "branch", "-q", "-D", "main")
        there = type(project)(clone)
        compared = there.pacecar(
            "compare",
            *("--baseline", "main", "--candidate", "patch:targets/orders/builds/slow-serializer.patch"),
            *("--set", "plan.pairs=1", "--fail-on", "nothing", "--json"),
        )
        assert compared.returncode == 0 or "invalid" in compared.stdout, compared.stderr
        document = json.loads(compared.stdout)
        assert document["mode"] == "paired"
        baseline = next(row for row in document["provenance"]["builds"] if row["side"] == "baseline")
        assert (baseline["label"], baseline["commit"]) == ("main", git(project.folder, "rev-parse", "HEAD"))
        run_id = json.loads(there.pacecar("baseline", "list", "--json").stdout)[0]["run"]
        assert f"baseline:main@{run_id}" in document["provenance"]["repeat"]
        listed = json.loads(here.pacecar("runs", "list", "--json").stdout)
        assert [(run["kind"], run["here"], run["stored"]) for run in listed] == [
            ("recording", True, True),
            ("paired", False, True),
        ]
        # Nothing of the credentials was recorded anywhere.
        for folder in (project.folder, clone, server.data):
            assert _holding(folder, gateway.SECRET_KEY.encode()) == []
        assert here.left_behind() == []
        assert there.left_behind() == []


def _holding(folder: Path, secret: bytes) -> list[str]:
    paths = (Path(top) / name for top, _, names in os.walk(folder) for name in names)
    return [str(path) for path in paths if path.is_file() and secret in path.read_bytes()]
