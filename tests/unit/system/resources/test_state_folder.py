"""The folder that ledgers lie in: vanished, full, read-only, not to be made."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from pacecar.system import paths
from pacecar.system.disk import NoRoom
from pacecar.system.resources import Resources, sweep
from pacecar.system.resources.identity import Identity
from pacecar.system.resources.ledger import LedgerError, owner_of

pytestmark = pytest.mark.hostile


class TestTheStateFolder:
    def test_vanished_under_a_live_owner(self, tmp_path: Path) -> None:
        resources = Resources()
        first = resources.folder("first")
        shutil.rmtree(paths.state())
        second = resources.folder("second")
        (path,) = (paths.state() / "ledgers").iterdir()
        assert owner_of(path) == Identity.own()
        assert [str(first) in line for line in path.read_text().splitlines()] == [True, False]
        shutil.rmtree(paths.state())
        resources.close()
        assert not first.exists()
        assert not second.exists()

    @pytest.mark.parametrize("place", ["a file", "below a file", "/proc/self/nothing"])
    def test_that_cannot_be_made_is_one_sentence(
        self, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a file").write_text("")
        where = {"a file": tmp_path / "a file", "below a file": tmp_path / "a file" / "x"}.get(place, Path(place))
        monkeypatch.setenv("PACECAR_STATE", str(where))
        with pytest.raises(LedgerError, match="cannot be noted in") as raised:
            Resources()
        assert raised.value.hint.endswith("PACECAR_STATE=/tmp/pacecar-state")
        with pytest.raises(LedgerError):
            sweep()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
    @pytest.mark.parametrize(("options", "error"), [("size=4k", NoRoom), ("nr_inodes=3", NoRoom)])
    def test_on_a_full_disk(
        self, options: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = tmp_path / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", small], capture_output=True).returncode:
            pytest.skip("mounting is not allowed here")
        try:
            monkeypatch.setenv("PACECAR_STATE", str(small))
            folders: list[Path] = []
            with pytest.raises(error, match=r"No room in .* to note what is started"):
                _start_until_refused(folders)
            assert not any(folder.exists() for folder in folders), "what was written down before is removed"
            if "inodes" not in options:
                assert sweep() == []
        finally:
            subprocess.run(["umount", small], check=True)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
    def test_that_is_read_only(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        place = tmp_path / "state"
        place.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", place], capture_output=True).returncode:
            pytest.skip("mounting is not allowed here")
        try:
            with pytest.raises(LedgerError, match="Read-only file system"):
                Resources()
        finally:
            subprocess.run(["umount", place], check=True)


def _start_until_refused(folders: list[Path]) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(Resources()) for _ in range(3)]
        for number in range(1000):
            folders.append(held[0].folder(f"{number}-{'x' * 60}"))
