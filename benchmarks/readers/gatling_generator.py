"""Large simulation.log files, written with numpy in portions: what a run with that many records would have left."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

# The writer of the reader's tests; it makes the first records, which define the texts.
from support.gatling_logs import BinaryWriter, Record, Request, Run, User, text_log

_PORTION = 100_000
_RUN = Run(scenarios=("browse",))
_NAMES = ("GET /items", "GET /items/#", "POST /cart", "POST /orders")
_PATHS = (("baseline",), ("candidate",), ("candidate", "checkout"))
_MESSAGES = ("", "status.find.is(200), found 500")

_HEAD = [("type", "u1"), ("depth", ">i4")]
_TAIL = [("name", ">i4"), ("start", ">i4"), ("end", ">i4"), ("ok", "u1"), ("message", ">i4")]
_USER = np.dtype([("type", "u1"), ("scenario", ">i4"), ("is_start", "u1"), ("time", ">i4")])


def _first_records() -> list[Record]:
    """Every text that later records refer to."""
    requests = [Request(groups=path, name=name, start=0, end=1) for path in _PATHS for name in _NAMES]
    return [*requests, Request(name=_NAMES[0], start=0, end=1, ok=False, message=_MESSAGES[1])]


def write_binary(path: Path, records: int) -> None:
    """A binary log: a third are users who begin or end, the rest requests in one or two groups; one in 100 fails.

    Each portion begins with a failure whose message was never seen before.
    """
    writer = BinaryWriter()
    draw = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(writer.run(_RUN))
        first = _first_records()[:records]
        file.write(b"".join(map(writer.record, first)))
        left = records - len(first)
        portion = 0
        while left:
            message = f"Request timeout after {portion} ms"
            failed = Request(
                groups=_PATHS[0], name=_NAMES[0], start=portion, end=portion + 1, ok=False, message=message
            )
            file.write(writer.record(failed))
            _write_portion(file, min(_PORTION, left - 1), ids=writer.ids, at_ms=portion * 1000, draw=draw)
            left -= 1 + min(_PORTION, left - 1)
            portion += 1


def write_text(path: Path, records: int) -> None:
    """The same mix as text."""
    draw = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(text_log(_RUN, _first_records()[:records]))
        left = records - len(_first_records()[:records])
        portion = 0
        while left:
            size = min(_PORTION, left)
            columns = [draw.integers(0, high, size).tolist() for high in (6, len(_PATHS), len(_NAMES), 200, 100)]
            lines = [
                User(scenario=0, is_start=kind == 0, time=portion * 1000)
                if kind < 2
                else Request(
                    groups=_PATHS[group],
                    name=_NAMES[name],
                    start=portion * 1000,
                    end=portion * 1000 + took,
                    ok=failed > 0,
                    message=_MESSAGES[failed == 0],
                )
                for kind, group, name, took, failed in zip(*columns, strict=True)
            ]
            # Without its first line, the run's.
            file.write(text_log(_RUN, lines).partition(b"\n")[2])
            left -= size
            portion += 1


def _write_portion(file: BinaryIO, size: int, *, ids: dict[str, int], at_ms: int, draw: np.random.Generator) -> None:
    kinds = draw.choice(3, size, p=[1 / 3, 4 / 9, 2 / 9])
    shapes = [_users(int((kinds == 0).sum()), at_ms, draw)]
    shapes += [_requests(int((kinds == depth).sum()), depth, ids, at_ms, draw) for depth in (1, 2)]
    widths = np.array([shape.itemsize for shape in shapes])[kinds]
    starts = np.cumsum(widths) - widths
    page = np.empty(int(widths.sum()), dtype=np.uint8)
    for kind, shape in enumerate(shapes):
        places = starts[kinds == kind][:, None] + np.arange(shape.itemsize)
        page[places] = shape.view(np.uint8).reshape(len(shape), shape.itemsize)
    file.write(page.tobytes())


def _users(size: int, at_ms: int, draw: np.random.Generator) -> np.ndarray:
    records = np.zeros(size, dtype=_USER)
    records["type"] = 2
    records["is_start"] = draw.integers(0, 2, size)
    records["time"] = at_ms
    return records


def _requests(size: int, depth: int, ids: dict[str, int], at_ms: int, draw: np.random.Generator) -> np.ndarray:
    records = np.zeros(size, dtype=np.dtype([*_HEAD, ("groups", ">i4", (depth,)), *_TAIL]))
    paths = [path for path in _PATHS if len(path) == depth]
    records["type"] = 1
    records["depth"] = depth
    records["groups"] = -np.array([[ids[name] for name in path] for path in paths])[draw.integers(0, len(paths), size)]
    records["name"] = -np.array([ids[name] for name in _NAMES])[draw.integers(0, len(_NAMES), size)]
    records["start"] = at_ms
    records["end"] = at_ms + draw.integers(1, 200, size)
    records["ok"] = draw.random(size) > 0.01
    records["message"] = np.where(records["ok"], -ids[_MESSAGES[0]], -ids[_MESSAGES[1]])
    return records
