"""What a Pyroscope server says about its profiles, through its HTTP API."""

from __future__ import annotations

import json
import urllib.request
from typing import Any


def total(server: str, type_: str, labels: str, *, span: tuple[int, int]) -> float:
    """Sum of the samples that the server finds in this time, in ns since the epoch."""
    asked = {"start": span[0] // 10**6, "end": span[1] // 10**6, "profileTypeID": type_, "labelSelector": labels}
    answer = ask(server, "SelectMergeStacktraces", asked)
    return float(answer["flamegraph"]["total"])


def values(server: str, label: str) -> list[str]:
    found: list[str] = ask(server, "LabelValues", {"name": label, "start": 0, "end": 4 * 10**12})["names"]
    return found


def ask(server: str, method: str, content: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{server}/querier.v1.QuerierService/{method}",
        data=json.dumps(content).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        found: dict[str, Any] = json.load(answer)
    return found
