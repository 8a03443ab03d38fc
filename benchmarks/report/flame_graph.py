"""How large a report with a large flame graph is, and how fast a browser shows, redraws and searches it.

    PYTHONPATH=tests python -m benchmarks.report.flame_graph --nodes 10000 100000 300000 1000000

Draws a call tree with that many nodes, writes the report of an example run with it, and opens the file in headless
Chromium. The times are the browser's own: the first contentful paint after navigation, and the time from a user's event
until the result has been drawn and the canvas read back, so that nothing is deferred. They are medians of several and
go to `results/flame_graph.json` beside this file.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from pacecar.model.frames import Facet, Flame
from pacecar.model.profiles import ProfileKind
from pacecar.reporting.document.flames import flame_row
from pacecar.reporting.html import write_report

# The example run of the tests.
from support.documents import run

_RESULTS = Path(__file__).resolve().parent / "results" / "flame_graph.json"
_SEED = 11
#: Nodes per distinct frame: about the ratio of a service with 100,000 nodes.
_NODES_PER_NAME = 16
_TIMES = 15

#: Waits until what `act` causes has been done; the panel answers in microtasks, so nothing is drawn in between.
_TIMED = """
async ([kind, round]) => {
  const canvas = document.getElementById("flame-canvas");
  const find = document.getElementById("flame-find");
  const [crumbs, count] = [document.getElementById("flame-crumbs"), document.getElementById("flame-count")];
  const frame = canvas.getBoundingClientRect();
  let done = false;
  const watcher = new MutationObserver(() => { done = true; });
  watcher.observe(kind === "zoom" ? crumbs : count, { childList: true, characterData: true, subtree: true });
  const begin = performance.now();
  if (kind === "zoom") {
    const y = frame.top + 19 * (2 + round % 6) + 8;
    const at = { clientX: frame.left + frame.width * 0.3, clientY: y, bubbles: true };
    canvas.dispatchEvent(new MouseEvent("click", at));
  } else {
    find.value = "part" + (round % 40) + ".";
    find.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (let turn = 0; turn < 1000 && !done; turn += 1) await Promise.resolve();
  canvas.getContext("2d").getImageData(0, 0, 1, 1);
  const took = performance.now() - begin;
  watcher.disconnect();
  if (!done) throw new Error("nothing happened");
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 30));
  return took;
}
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        rows = [_measured(browser, Path(folder) / f"{count}.html", count) for count in options.nodes]
        browser.close()
    _RESULTS.write_text(json.dumps(rows, indent=2) + "\n")
    print(pd.DataFrame(rows).to_string(index=False))


def _measured(browser: Any, path: Path, count: int) -> dict[str, float]:
    flame = _flame(count)
    document = run().document()
    assert document.profiles is not None
    profiles = dataclasses.replace(document.profiles, flames=(flame_row(flame),))
    write_report(dataclasses.replace(document, profiles=profiles), path)
    paints = [_first_paint(browser, path) for _ in range(5)]
    page = _opened(browser, path)
    zooms, searches = ([page.evaluate(_TIMED, [kind, i]) for i in range(_TIMES)] for kind in ("zoom", "search"))
    page.close()
    return {
        "nodes": count,
        "names": len(flame.frames),
        "megabytes": round(path.stat().st_size / 1e6, 2),
        "first_paint_ms": round(statistics.median(paints)),
        "zoom_ms": round(statistics.median(zooms), 1),
        "zoom_slowest_ms": round(max(zooms), 1),
        "search_ms": round(statistics.median(searches), 1),
        "search_slowest_ms": round(max(searches), 1),
    }


def _first_paint(browser: Any, path: Path) -> float:
    page = _opened(browser, path)
    took = float(page.evaluate(_PAINT))
    page.close()
    return took


def _opened(browser: Any, path: Path) -> Page:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_function("document.getElementById('flame-crumbs').childElementCount > 0", timeout=120_000)
    page.locator("#flame-canvas").scroll_into_view_if_needed()
    return page


def _flame(count: int) -> Flame:
    """A random call tree like those of services: long chains that branch now and then, a few of them expensive."""
    draw = np.random.default_rng(_SEED)
    names = max(200, count // _NODES_PER_NAME)
    facets = tuple(Facet(pool=f"pool-{n % 3}", endpoint=f"GET /{n}", state="") for n in range(12))
    called = draw.choice(5, size=count, p=(0.14, 0.66, 0.12, 0.05, 0.03))
    parent = np.concatenate([np.full(len(facets), -1), np.repeat(np.arange(count), called)])[:count]
    cost = draw.pareto(1.2, count) * 1e-5
    change = np.where(draw.random(count) < 0.01, draw.normal(0, 1, count) * cost, 0.0)
    nodes = pd.DataFrame(
        {
            "parent": parent,
            "frame": np.where(parent < 0, -1, draw.integers(names, size=count)),
            "facet": np.where(parent < 0, np.arange(count), -1),
            "baseline": cost,
            "candidate": np.maximum(0.0, cost + change),
            "error": cost / 4,
        }
    )
    return Flame(
        event=ProfileKind.CPU,
        frames=tuple(f"com.example.part{n % 40}.Class{n % 997}.method{n}" for n in range(names)),
        application=tuple(n % 3 == 0 for n in range(names)),
        facets=facets,
        nodes=nodes,
    )


if __name__ == "__main__":
    main()
