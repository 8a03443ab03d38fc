"""Exported profiles in speedscope, which is not ours."""

from __future__ import annotations

import base64
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

from browser.conftest import WEB, Open
from pacecar.model.profiles import ProfileKind
from pacecar.reporting.export.folded import folded
from pacecar.reporting.export.pprof import pprof
from pacecar.reporting.export.stacks import StackSums

_SPEEDSCOPE = WEB / "node_modules" / "speedscope" / "dist" / "release" / "index.html"


def _sums() -> StackSums:
    rows = pd.DataFrame(
        {
            "frames": ["java.lang.Thread.run\nshop.Orders.price", "java.lang.Thread.run\nshop.Api.write"],
            "pool": "http-nio-exec",
            "endpoint": "GET /orders",
            "state": "",
            "samples": [100, 200],
            "weight": [1e9, 2e9],
        }
    )
    return StackSums(event=ProfileKind.CPU, rows=rows, measured_s=10.0, requests=1_000)


@pytest.mark.parametrize("name", ["cpu.folded", "cpu.pprof"])
def test_speedscope_opens_it(visit: Open, tmp_path: Path, name: str) -> None:
    if not _SPEEDSCOPE.exists():
        pytest.skip("no speedscope in reports/web/node_modules: cd reports/web && npm install")
    content = folded(_sums()).encode() if name == "cpu.folded" else pprof(_sums())
    # How speedscope's own command line hands a file to its page.
    handed = tmp_path / "profile.js"
    handed.write_text(f"speedscope.loadFileFromBase64({name!r}, {base64.b64encode(content).decode()!r})")

    page = visit(_SPEEDSCOPE, fragment=f"#localProfilePath={handed}").page
    page.get_by_text("Sandwich").click()

    expect(page.get_by_text("shop.Api.write").first).to_be_visible()
    expect(page.get_by_text("shop.Orders.price").first).to_be_visible()
