"""What a source is told from others by."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pacecar.inputs.builds.digest import java_version, source_key
from pacecar.inputs.builds.sources import SourceCopy
from pacecar.model.experiment import SourceTree


@pytest.fixture(autouse=True)
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_bytes(b"#!/bin/sh\necho 'a JDK of caf\xe9' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))


def test_a_jdk_that_does_not_speak_utf8() -> None:
    assert java_version() == "a JDK of caf\N{REPLACEMENT CHARACTER}\n"


@pytest.mark.hostile
def test_a_folder_whose_name_is_no_text(source: SourceTree, tmp_path: Path) -> None:
    top = tmp_path / "copy"
    keys = set()
    for name in (b"caf\xe9", b"caf\xe8"):
        root = top / os.fsdecode(name)
        root.mkdir(parents=True)
        keys.add(source_key(SourceCopy(top=top, root=root, commit=None), source))
    assert len(keys) == 2
