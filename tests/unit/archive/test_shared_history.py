"""The noise of earlier runs in a store that machines share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.archive import StoreError, history, shared_history
from pacecar.archive.bucket import Bucket
from pacecar.archive.history import recall, remember
from pacecar.archive.names import NoiseName
from pacecar.archive.shared import Shared
from pacecar.model.comparison import Noise, Spread

DESIGN, OTHER = "0123456789abcdef", "f" * 16
LATER = "20270101-000000-0000"


def _ids(count: int) -> list[str]:
    return [f"20260101-{number:06d}-aaaa" for number in range(count)]


def _noise(variance: float) -> Noise:
    return {("cpu", ""): Spread(variance=variance, degrees=3.0)}


def _put(shared: Shared, run_id: str, *, variance: float = 1.0, design: str = DESIGN) -> None:
    remember(shared.root, design, run_id, _noise(variance))
    shared_history.put(shared, run_id)


def _fetched(shared: Shared, *, before: str = LATER) -> tuple[list[float], list[str]]:
    """Variances that a later run knows, and what was said."""
    told: list[str] = []
    shared_history.fetch(shared, DESIGN, before=before, told=told.append)
    return [noise["cpu", ""].variance for noise in recall(shared.root, DESIGN, before=before)], told


def test_what_one_machine_has_seen_another_one_knows(here: Shared, elsewhere: Shared) -> None:
    first, second, third = _ids(3)
    _put(here, first, variance=1.0)
    _put(here, second, variance=2.0)
    _put(here, third, variance=9.0, design=OTHER)
    assert _fetched(elsewhere) == ([1.0, 2.0], [])
    assert not (elsewhere.root / "history" / OTHER).exists()


def test_only_runs_before_this_one_are_fetched(here: Shared, elsewhere: Shared) -> None:
    first, second = _ids(2)
    _put(here, first, variance=1.0)
    _put(here, second, variance=2.0)
    assert _fetched(elsewhere, before=second) == ([1.0], [])
    assert not history.has(elsewhere.root, DESIGN, second)


def test_a_run_is_put_once_and_never_changed(here: Shared, elsewhere: Shared) -> None:
    (run,) = _ids(1)
    _put(here, run, variance=1.0)
    _put(here, run, variance=2.0)
    assert len(here.bucket.names(f"noise/{DESIGN}")) == 1
    assert _fetched(elsewhere) == ([1.0], [])


def test_what_is_here_is_neither_fetched_again_nor_replaced(here: Shared, elsewhere: Shared) -> None:
    (run,) = _ids(1)
    _put(here, run, variance=1.0)
    remember(elsewhere.root, DESIGN, run, _noise(2.0))
    assert _fetched(elsewhere) == ([2.0], [])


def test_a_run_without_noise_is_not_put(here: Shared) -> None:
    shared_history.put(here, _ids(1)[0])
    assert here.bucket.names_below("noise") == {}


def test_the_newest_are_fetched(here: Shared, elsewhere: Shared) -> None:
    ids = _ids(history.NEWEST + 3)
    for number, run_id in enumerate(ids):
        _put(here, run_id, variance=1.0 + number)
    assert _fetched(elsewhere)[0] == [1.0 + number for number in range(3, len(ids))]
    assert not history.has(elsewhere.root, DESIGN, ids[0])


def test_what_nobody_asks_for_is_tidied_away(here: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pacecar.archive.shared_history._KEPT", 4)
    for run_id in _ids(7):
        _put(here, run_id)
    _put(here, _ids(1)[0], design=OTHER)
    here.bucket.put(f"noise/{DESIGN}/notes.txt", b"somebody else's")
    shared_history.tidy(here)
    names = sorted(here.bucket.names(f"noise/{DESIGN}"))
    assert [name[:20] for name in names] == [*_ids(7)[3:], "notes.txt"]
    assert len(here.bucket.names(f"noise/{OTHER}")) == 1


def _named(content: bytes, run_id: str) -> str:
    digest = hashlib.sha256(content).hexdigest()[:16]
    return str(NoiseName(run_id=run_id, size=len(content), digest=digest))


def _put_raw(shared: Shared, content: bytes, run_id: str) -> None:
    shared.bucket.put(f"noise/{DESIGN}/{_named(content, run_id)}", content)


def _other_content(shared: Shared, run_id: str) -> None:
    content = b'{"run_id": "x", "noise": []}'
    shared.bucket.put(f"noise/{DESIGN}/{_named(content, run_id)}", content.replace(b"x", b"y"))


HOSTILE: dict[str, tuple[Callable[[Shared, str], None], str]] = {
    "empty": (lambda shared, run_id: _put_raw(shared, b"", run_id), "is not JSON"),
    "truncated": (lambda shared, run_id: _put_raw(shared, b'{"run_id": "2026', run_id), "is not JSON"),
    "bytes": (lambda shared, run_id: _put_raw(shared, bytes(range(256)), run_id), "is not JSON"),
    "nested": (lambda shared, run_id: _put_raw(shared, b"[" * 100_000, run_id), "is not JSON"),
    "a list": (lambda shared, run_id: _put_raw(shared, b"[]", run_id), "is not JSON"),
    "a number as text": (
        lambda shared, run_id: _put_raw(shared, b'{"run_id": "a", "noise": "7"}', run_id),
        "is damaged: noise: ",
    ),
    "another run's": (
        lambda shared, run_id: _put_raw(shared, b'{"run_id": "another", "noise": []}', run_id),
        "holds the noise of run 'another'",
    ),
    "other content": (_other_content, "is damaged: its content is not what its name says"),
    "a figure that cannot be": (
        lambda shared, run_id: _put_raw(
            shared,
            f'{{"run_id": "{run_id}", "noise": [{{"metric": "cpu", "endpoint": "", "variance": 1e300, '
            '"degrees": 3.0}]}'.encode(),
            run_id,
        ),
        "has an impossible variance",
    ),
}


@pytest.mark.hostile
@pytest.mark.parametrize("case", HOSTILE)
def test_what_somebody_else_put_there_is_left_out_with_a_sentence(here: Shared, elsewhere: Shared, case: str) -> None:
    hostile, good = _ids(2)
    put, said = HOSTILE[case]
    put(here, hostile)
    _put(here, good, variance=2.0)
    known, told = _fetched(elsewhere)
    assert known == [2.0]
    assert len(told) == 1
    assert said in told[0]
    assert len(told[0]) < 400
    assert not history.has(elsewhere.root, DESIGN, hostile)


@pytest.mark.hostile
def test_what_is_too_large_or_in_the_making_or_not_ours_is_passed_over(here: Shared, elsewhere: Shared) -> None:
    large, cut, good = _ids(3)
    _put_raw(here, b" " * (history.MOST_BYTES + 1), large)
    whole = b'{"run_id": "x", "noise": []}'
    here.bucket.put(f"noise/{DESIGN}/{_named(whole, cut)}", whole[:-1])
    here.bucket.put(f"noise/{DESIGN}/../x.json", b"{}")
    here.bucket.put(f"noise/{DESIGN}/{'9' * 300}.json"[:200], b"{}")
    _put(here, good, variance=2.0)
    assert _fetched(elsewhere) == ([2.0], [])


@pytest.mark.hostile
def test_something_else_in_the_place_of_the_local_history_is_said(here: Shared, elsewhere: Shared) -> None:
    (run,) = _ids(1)
    _put(here, run)
    elsewhere.root.mkdir(parents=True)
    (elsewhere.root / "history").write_text("mine")
    known, told = _fetched(elsewhere)
    assert known == []
    assert len(told) == 1
    assert "cannot be written" in told[0]


def test_a_store_that_cannot_be_used_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    shared = Shared(bucket=Bucket(f"file://{tmp_path}/store", {}), root=tmp_path / ".pacecar")
    remember(shared.root, DESIGN, _ids(1)[0], _noise(1.0))
    with pytest.raises(StoreError):
        shared_history.put(shared, _ids(1)[0])
