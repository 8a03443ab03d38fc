"""What one machine sends another by way of a store, and how a run that the other measured has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pacecar.archive import RunError, handover
from pacecar.archive.shared import Shared

RUN = "20250301-101500-9f3a"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "made"
    (made / "thin" / "orders.jar" / "libs").mkdir(parents=True)
    (made / "thin" / "orders.jar" / "orders.jar").write_bytes(b"PK\3\4")
    (made / "thin" / "orders.jar" / "libs" / "größe.jar").write_bytes(bytes(range(256)))
    return made


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_the_same_on_another_machine(here: Shared, elsewhere: Shared, folder: Path, tmp_path: Path) -> None:
    part = handover.put(here, folder)
    handover.fetch(elsewhere, part, tmp_path / "fetched")
    assert files(tmp_path / "fetched") == files(folder)


def test_what_is_there_is_not_put_again(here: Shared, elsewhere: Shared, folder: Path) -> None:
    part = handover.put(here, folder)
    assert handover.put(elsewhere, folder) == part
    assert list(here.bucket.names("parts")) == [part.name]


def test_what_is_old_is_put_anew_and_removed_later(here: Shared, folder: Path) -> None:
    part = handover.put(here, folder)
    kept, gone = (f"{datetime.now(UTC) - timedelta(days=days):%Y%m%d}{part.name[8:]}" for days in (8, 12))
    content = here.bucket.content(f"parts/{part.name}", most=part.size)
    for name in (kept, gone):
        here.bucket.put(f"parts/{name}", content)
    here.bucket.remove(f"parts/{part.name}")
    assert handover.put(here, folder).name == part.name
    handover.tidy(here)
    assert sorted(here.bucket.names("parts")) == [kept, part.name]


@pytest.mark.hostile
@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"size": 1}, {"name": "../runs/x"}, {"size": 1 << 40}])
def test_what_is_not_what_was_put_is_refused(
    here: Shared, elsewhere: Shared, folder: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    part = handover.put(here, folder)
    with pytest.raises(RunError):
        handover.fetch(elsewhere, replace(part, **change), tmp_path / "fetched")
    assert not (tmp_path / "fetched").exists()
    assert [path.name for path in (elsewhere.root / "fetched").glob("*")] == []


def test_why_a_run_has_ended_is_told_until_it_begins_again(here: Shared, elsewhere: Shared) -> None:
    assert handover.ended(elsewhere, RUN) is None
    told = handover.Ended(exit_code=3, message="The forks died.", hint="See their logs.")
    handover.end(here, RUN, told)
    assert handover.ended(elsewhere, RUN) == told
    handover.begin(here, RUN)
    assert handover.ended(elsewhere, RUN) is None


@pytest.mark.hostile
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 10_000, b'{"exit_code": "3", "message": "x"}', b'{"message": "x"}', b" " * 100_000]
)
def test_an_ending_that_is_none_is_damage(here: Shared, content: bytes) -> None:
    here.bucket.put(f"endings/{RUN}.json", content)
    with pytest.raises(RunError, match=r"is damaged|is not JSON|larger than"):
        handover.ended(here, RUN)
