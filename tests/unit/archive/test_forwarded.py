"""What servers have taken of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.forwarded import Forwarded, forwarded, note_forwarded

ONE = Forwarded(url="http://one", service="orders", windows={1: (0, 2)}, from_ns=5, until_ns=9)


def test_is_kept_by_server_the_last_one_first(tmp_path: Path) -> None:
    assert forwarded(tmp_path) == ()
    note_forwarded(tmp_path, ONE)
    two = replace(ONE, url="http://two")
    note_forwarded(tmp_path, two)
    more = replace(ONE, windows={1: (0, 2), 2: (1,)})
    note_forwarded(tmp_path, more)
    assert forwarded(tmp_path) == (more, two)


def test_damage_is_said(tmp_path: Path) -> None:
    (tmp_path / "forwarded.json").write_text('{"servers": [{"url": 1}]}')
    with pytest.raises(RunError, match="is damaged"):
        forwarded(tmp_path)
