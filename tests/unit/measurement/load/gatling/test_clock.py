from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.clock import read_clock
from pacecar.measurement.load.injector import Clock


def test_reads_what_the_kit_writes(tmp_path: Path) -> None:
    path = tmp_path / "clock.json"
    path.write_text(
        '{"loadStartMs": 1795228773934.000, "measureStartMs": 1795228779434.000, '
        '"sliceMs": 3000.0, "gapMs": 0.5, "final": true}\n'
    )

    assert read_clock(path) == Clock(
        load_start_ns=1_795_228_773_934_000_000,
        measure_start_ns=1_795_228_779_434_000_000,
        slice_ns=3_000_000_000,
        gap_ns=500_000,
        final=True,
    )


def test_there_may_be_none_yet(tmp_path: Path) -> None:
    assert read_clock(tmp_path / "clock.json") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '"loadStartMs"',
        "\x00\xff",
        '{"loadStartMs": 1}',
        '{"loadStartMs": -1, "measureStartMs": 1, "sliceMs": 1, "gapMs": 1, "final": true}',
        '{"loadStartMs": 1, "measureStartMs": 1e300, "sliceMs": 1, "gapMs": 1, "final": true}',
        '{"loadStartMs": NaN, "measureStartMs": 1, "sliceMs": 1, "gapMs": 1, "final": true}',
        '{"loadStartMs": "1", "measureStartMs": 1, "sliceMs": 1, "gapMs": 1, "final": true}',
        '{"loadStartMs": true, "measureStartMs": 1, "sliceMs": 1, "gapMs": 1, "final": true}',
        '{"loadStartMs": 1, "measureStartMs": 1, "sliceMs": [], "gapMs": 1, "final": true}',
        "[" * 4_000,
        '{"loadStartMs": 1, ' + '"x": 1, ' * 10_000,
    ],
)
def test_anything_else_is_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "clock.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(LoadError, match="is not what Pacecar's kit writes"):
        read_clock(path)
