"""The kit's note of how many requests the warm-up has sent."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.load.gatling.progress import read_progress
from pacecar.model.experiment import Side


def test_the_newest_whole_line_of_each_side_counts(tmp_path: Path) -> None:
    path = tmp_path / "warmup.csv"
    path.write_text("1.000,baseline,10\n1.000,candidate,12\n2.000,baseline,25\n2.000,candidate,2")
    assert read_progress(path) == {Side.BASELINE: 25, Side.CANDIDATE: 12}


def test_nothing_is_known_before_there_is_a_file(tmp_path: Path) -> None:
    assert read_progress(tmp_path / "none.csv") == {}


@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_without_an_exception(content: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        assert all(count >= 0 for count in read_progress(Path(file.name)).values())
