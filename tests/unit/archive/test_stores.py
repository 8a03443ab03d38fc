"""Which stores can be used, and what is said of those that cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.archive import StoreError
from pacecar.archive.bucket import Bucket
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import Shared
from pacecar.system.disk import NoRoom

Record = Callable[[str], RunDirectory]
FIRST = "20250301-000000-0001"


class TestPlaces:
    """Stores that cannot be used."""

    @pytest.mark.parametrize(
        ("url", "options", "message"),
        [
            ("nosuch://x", {}, "nosuch://x cannot be used: Protocol not known: nosuch"),
            ("s3://bucket", {"endpont": "http://127.0.0.1:1"}, "s3://bucket cannot be used: "),
        ],
    )
    def test_what_nothing_here_speaks(self, url: str, options: dict[str, str], message: str) -> None:
        with pytest.raises(StoreError, match=message):
            Bucket(url, options).names("runs")

    def test_an_extra_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "obstore.store", None)
        with pytest.raises(StoreError, match=r"Pacecar's extra for s3:// is not installed") as caught:
            Bucket("s3://bucket", {})
        assert "pip install 'pacecar[s3]'" in str(caught.value.hint)

    def test_a_server_that_is_down(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        with pytest.raises(StoreError, match=r"s3://bucket cannot be reached: Connection refused\."):
            Bucket("s3://bucket", {"endpoint": "http://127.0.0.1:1"}).names("runs")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "store").mkdir(mode=0o500)
        with pytest.raises(StoreError, match="refuses"):
            Bucket(f"file://{tmp_path}/store", {}).put("a/b", b"")

    def test_no_room_here_for_what_is_fetched(
        self, here: Shared, elsewhere: Shared, record: Record, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = here.put(record(FIRST))
        resource = __import__("resource")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
        try:
            with pytest.raises(NoRoom, match="File too large"):
                elsewhere.fetch(name)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert list((elsewhere.root / "fetched").iterdir()) == []
