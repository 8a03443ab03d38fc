"""The cache of jars: who holds one, and which make room."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.inputs.builds import store
from pacecar.system import paths
from pacecar.system.resources import Resources
from support.watchdogs import line_of

Jar = Callable[[str], Path]


@pytest.fixture
def jar(tmp_path: Path) -> Jar:
    """A jar of about 10 kB with this text in it, the same bytes at any time."""

    def make(text: str) -> Path:
        path = tmp_path / f"{text}.jar"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(zipfile.ZipInfo("a.txt"), text * (10_000 // len(text)))
        return path

    return make


def used_at(path: Path, second: int) -> None:
    os.utime(path.parent, (second, second))


def test_the_jar_used_longest_ago_makes_room(jar: Jar) -> None:
    with Resources() as resources:
        first, second, third = (store.adopt(jar(text), resources=resources) for text in ("one", "two", "three"))
    for second_of_use, path in enumerate((second, third, first)):
        used_at(path, second_of_use)
    assert store.evict(25_000) == [second.parent]
    assert [path.exists() for path in (first, second, third)] == [True, False, True]
    assert store.evict(25_000) == []


def test_what_an_owner_holds_stays(jar: Jar) -> None:
    with Resources() as resources:
        held = store.adopt(jar("one"), resources=resources)
        with Resources() as other:
            gone = store.adopt(jar("two"), resources=other)
        used_at(held, 0)
        assert store.evict(0) == [gone.parent]
        assert held.exists()
    assert store.evict(0) == [held.parent]


def test_what_another_process_holds_stays_until_it_ends(jar: Jar) -> None:
    with Resources() as resources:
        path = store.adopt(jar("one"), resources=resources)
    script = (
        "import sys; from pathlib import Path; from pacecar.system.resources import Resources\n"
        "owner = Resources(); print(owner.hold(Path(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    with subprocess.Popen(
        [sys.executable, "-c", script, path.parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(harness)},
    ) as process:
        assert line_of(process) == "True\n"
        assert store.evict(0) == []
        process.kill()
    assert store.evict(0) == [path.parent]


def test_what_was_evicted_is_built_again(jar: Jar) -> None:
    with Resources() as resources:
        path = store.keep(jar("one"), "key", resources=resources)
        assert store.find("key", resources=resources) == path
    with Resources() as resources:
        store.evict(0)
        assert store.find("key", resources=resources) is None
        again = store.keep(jar("one"), "key", resources=resources)
        assert store.find("key", resources=resources) == again == path


def test_a_jar_of_the_cache_is_found_by_its_digest(jar: Jar) -> None:
    with Resources() as resources:
        path = store.keep(jar("one"), "key", resources=resources)
        assert store.held(path.parent.name, resources=resources) == path
        assert store.held("0" * 64, resources=resources) is None
        assert store.held("../built", resources=resources) is None


def test_keeping_makes_room(jar: Jar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_CACHE_GB", "0.000015")
    for text in ("one", "two", "three"):
        with Resources() as resources:
            path = store.adopt(jar(text), resources=resources)
    assert [each.name for each in paths.cache().resolve().glob("artifacts/*/*.jar")] == [path.name]


@pytest.mark.parametrize("text", ["much", "-1", "1e99"])
def test_a_size_that_is_no_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_CACHE_GB", text)
    with pytest.raises(UsageError, match="PACECAR_CACHE_GB is"):
        paths.artifact_bytes()
