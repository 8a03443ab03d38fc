"""GitHub's own description of its REST API, reduced to what Pacecar uses; requests and answers are checked against it.

It comes as an npm package of hundreds of megabytes, so the part that is needed is kept in the user's cache folder.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from openapi_core import OpenAPI

_VERSION = "23.0.2"
_INTEGRITY = "sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=="
_MEMBER = "package/generated/api.github.com.json"

_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
#: All that Pacecar asks of GitHub.
ROUTES = (
    ("get", "/user"),
    ("get", "/repos/{owner}/{repo}/pulls"),
    ("get", _COMMENTS),
    ("post", _COMMENTS),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
)


@functools.cache
def checker(server_url: str) -> OpenAPI:
    """Holds requests to `server_url` and its answers against the description."""
    return OpenAPI.from_dict(description() | {"servers": [{"url": server_url}]})


@functools.cache
def description() -> dict[str, Any]:
    """The description as OpenAPI 3.0. Skips the test where there is no npm to fetch it with."""
    kept = platformdirs.user_cache_path("pacecar-tests") / f"github-openapi-{_VERSION}.json"
    if not kept.exists():
        if shutil.which("npm") is None:
            pytest.skip("GitHub's description of its API comes by npm, which is not installed")
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f"{kept.name}.{os.getpid()}")
        partial.write_text(json.dumps(_cut(_fetched())))
        partial.replace(kept)
    content: dict[str, Any] = json.loads(kept.read_text())
    return content


def example(method: str, path: str, status: int) -> Any:
    """The answer that GitHub gives as an example; of lists, the first entry."""
    content = description()["paths"][path][method]["responses"][str(status)]["content"]["application/json"]
    first = next(iter(content["examples"].values()))
    value = _resolved(first)["value"]
    return value[0] if isinstance(value, list) else value


def _fetched() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pacecar-openapi-") as folder:
        command = ["npm", "pack", "--silent", "--json", f"@octokit/openapi@{_VERSION}"]
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=600)
        (packed,) = json.loads(answer.stdout)
        assert packed["integrity"] == _INTEGRITY
        with tarfile.open(Path(folder) / packed["filename"]) as archive:
            file = archive.extractfile(_MEMBER)
            assert file is not None
            content: dict[str, Any] = json.load(file)
    return content


def _cut(whole: dict[str, Any]) -> dict[str, Any]:
    """The routes we use, and whatever they refer to."""
    kept: dict[str, Any] = {key: whole[key] for key in ("openapi", "info")} | {"paths": {}, "components": {}}
    for method, path in ROUTES:
        kept["paths"].setdefault(path, {})[method] = whole["paths"][path][method]
    wanted = _references(kept["paths"])
    while wanted:
        _, _, kind, name = wanted.pop().split("/")
        room = kept["components"].setdefault(kind, {})
        if name not in room:
            room[name] = whole["components"][kind][name]
            wanted |= _references(room[name])
    return kept


def _references(part: Any) -> set[str]:
    return set(re.findall(r'"\$ref": "(#/[^"]+)"', json.dumps(part)))


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        _, _, kind, name = part["$ref"].split("/")
        part = description()["components"][kind][name]
    return part
