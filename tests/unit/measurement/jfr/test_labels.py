from __future__ import annotations

import json
from pathlib import Path

import pytest

from pacecar.measurement.jfr import Intervals, fold
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from support.jfr_files import Sample, chunk

LABELS = {
    "contexts": {"7": {"endpoint": "GET /orders", "tenant": "a"}, "8": {"tenant": "b", "job": "x"}},
    "strings": {"9": "GET /prices"},
}


def labels_of(tmp_path: Path, beside: bytes | None) -> list[str]:
    path = tmp_path / "0001.jfr"
    values = [{"contextId": 7}, {"contextId": 8}, {"contextId": 8, "spanName": 9}, {"contextId": 6, "spanName": 5}, {}]
    path.write_bytes(chunk([Sample(at_ns=at, thread=str(at), values=one) for at, one in enumerate(values)]))
    if beside is not None:
        (tmp_path / "0001.labels.json").write_bytes(beside)
    window = Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=1 << 61)
    folded = fold([path], [window], Intervals(cpu_ns=1, wall_ns=1, lock_ns=1, allocation_bytes=1))
    return folded.samples.sort_values("thread")["label"].tolist()


def test_endpoint_span_or_all_labels(tmp_path: Path) -> None:
    assert labels_of(tmp_path, json.dumps(LABELS).encode()) == ["GET /orders", "job=x, tenant=b", "GET /prices", "", ""]


@pytest.mark.parametrize(
    "beside",
    [
        None,
        b"",
        b"{}",
        b"[]",
        b'{"contexts": {"x": {}}, "strings": {}}',
        b'{"contexts": [1], "strings": 3}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_labels_that_make_no_sense_are_none(tmp_path: Path, beside: bytes | None) -> None:
    assert labels_of(tmp_path, beside) == [""] * 5
