"""The file in which blocks are noted: what the kit may have written by now, and what it must not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.blocks import read_blocks
from pacecar.measurement.load.gatling.plan import DONE_FILE
from pacecar.measurement.load.injector import BlockProgress

HEAD = '{"operations":["GET /a","GET /b"]}\n'


def test_nothing_is_known_before_the_kit_has_begun(tmp_path: Path) -> None:
    assert read_blocks(tmp_path) == BlockProgress(operations=0, answered=())


def test_blocks_are_those_of_whole_lines(tmp_path: Path) -> None:
    lines = HEAD + '{"block":0,"endpoint":"GET /a"}\n{"endpoint":"GET /b","block":1}\n{"block":2,"endp'
    (tmp_path / DONE_FILE).write_text(lines)

    assert read_blocks(tmp_path) == BlockProgress(operations=2, answered=("GET /a", "GET /b"))


@pytest.mark.parametrize(
    "text",
    [
        "[]\n",
        "7\n",
        "{}\n",
        "\x00\n",
        HEAD + '{"block":1,"endpoint":"GET /a"}\n',
        HEAD + '{"block":0,"endpoint":""}\n',
        HEAD + '{"block":0,"endpoint":["GET /a"]}\n',
        HEAD + '{"block":0,"endpoint":"' + "x" * 201 + '"}\n',
        "[" * 100_000 + "\n",
    ],
)
def test_what_the_kit_would_never_write_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / DONE_FILE).write_text(text)

    with pytest.raises(LoadError, match="not what Pacecar's kit writes"):
        read_blocks(tmp_path)
