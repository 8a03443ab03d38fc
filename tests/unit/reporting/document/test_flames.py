"""Flame graphs packed into rows."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pacecar.model.frames import Facet, Flame
from pacecar.reporting.document.flames import flame_row
from pacecar.reporting.document.profile_shapes import FlameRow

HOSTILE = "shop.</script><img src=x onerror=alert(1)>\u202e"


def _flame(**changed: Any) -> Flame:
    nodes = pd.DataFrame(
        {
            "parent": [-1, -1, 0, 0, 1],
            "frame": [-2, -1, 1, 0, 1],
            "facet": [0, 1, -1, -1, -1],
            "baseline": [0.0, 0.0, 1.0, 0.5, 0.0],
            "candidate": [0.0, 0.0, 1.0, 2.0, 1.0],
            "error": [0.1, np.inf, 0.2, 0.1, 0.0],
        }
    )
    facets = (Facet(pool="http", endpoint="GET /", state=""), Facet(pool="mail", endpoint="", state=""))
    given = {"event": "cpu", "frames": ("z.Last.run", HOSTILE), "application": (True, False), "facets": facets}
    return Flame(**{**given, "nodes": nodes, **changed})


def _unpacked(row: FlameRow) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(row.data)))
    return found


def test_columns_come_back() -> None:
    row = flame_row(_flame())
    columns = _unpacked(row)
    assert np.cumsum([-1 + columns["parent"][0], *columns["parent"][1:]]).tolist() == [-1, -1, 0, 0, 1]
    names = [columns["names"][place] for place in columns["frame"][2:]]
    assert names[1] == "z.Last.run"
    assert columns["frame"][:2] == [0, 1]
    assert [columns["names"][place] for place in columns["own"]] == ["z.Last.run"]
    assert columns["facets"] == [["http", "GET /", ""], ["mail", "", ""]]
    assert [cost * row.quantum for cost in columns["candidate"]] == pytest.approx([0, 0, 1, 2, 1], abs=1e-5)
    assert columns["error"][1] == -1
    assert columns["error"][2] * row.quantum == pytest.approx(0.2, abs=1e-5)


def test_names_are_cleaned() -> None:
    assert "\u202e" not in "".join(_unpacked(flame_row(_flame()))["names"])


def test_nothing_at_all_is_packed_too() -> None:
    nodes = _flame().nodes.iloc[:0]
    row = flame_row(_flame(nodes=nodes, frames=(), application=(), facets=()))
    assert (row.nodes, _unpacked(row)["frame"]) == (0, [])


def test_a_hundred_thousand_frames_take_less_than_two_megabytes() -> None:
    random = np.random.default_rng(1)
    count = 100_000
    parent = np.sort(np.concatenate([[-1], random.integers(0, np.arange(1, count))]))
    parent = np.minimum(parent, np.arange(count) - 1)
    nodes = pd.DataFrame(
        {
            "parent": parent,
            "frame": np.where(parent < 0, -1, np.arange(count)),
            "facet": np.where(parent < 0, 0, -1),
            "baseline": random.exponential(1e-4, count) * (random.random(count) < 0.3),
            "candidate": random.exponential(1e-4, count) * (random.random(count) < 0.3),
            "error": random.exponential(1e-5, count),
        }
    )
    names = tuple(f"com.example.part{n % 300}.deep.Class{n % 9_001}.method{n}" for n in range(count))
    row = flame_row(_flame(nodes=nodes, frames=names, application=(False,) * count))
    assert len(row.data) < 2_000_000
