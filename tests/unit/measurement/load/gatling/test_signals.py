"""What a Gatling process is told by files: whole numbers that appear at once."""

from __future__ import annotations

from pathlib import Path

from pacecar.measurement.load.gatling import signals
from pacecar.measurement.load.gatling.plan import BEGIN_FILE, BURST_END_FILE, GO_FILE


def told(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_moments_are_in_milliseconds(tmp_path: Path) -> None:
    signals.begin(tmp_path, 1_790_000_000_123_000_000)
    signals.end_burst(tmp_path, 1_790_000_001_000_000_000)
    assert told(tmp_path) == {BEGIN_FILE: "1790000000123\n", BURST_END_FILE: "1790000001000\n"}


def test_a_burst_ends_once(tmp_path: Path) -> None:
    signals.end_burst(tmp_path, 1_000_000_000)
    signals.end_burst(tmp_path, 2_000_000_000)
    assert told(tmp_path) == {BURST_END_FILE: "1000\n"}


def test_how_many_blocks_may_be_sent(tmp_path: Path) -> None:
    signals.open_blocks(tmp_path, 3)
    assert told(tmp_path) == {GO_FILE: "3\n"}
    signals.end_blocks(tmp_path)
    assert told(tmp_path) == {GO_FILE: "-1\n"}
