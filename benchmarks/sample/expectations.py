"""Holds what Pacecar concludes about the sample's patches against what is known about them.

    python benchmarks/sample/expectations.py                      every patch that is not on record yet
    python benchmarks/sample/expectations.py n-plus-one faster    these, again

Each patch is compared once with the tree it applies to, by the sample's `pacecar.toml`. Its expectation file
(`targets/orders/builds/NAME.toml`) says what must move, which frame is to blame and what must not be blamed. Results go
to `benchmarks/sample/results/expectations.json` after every run; the exit status is 1 when an expectation was not met.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from typing import Any

from repeat import RESULTS, ROOT, run_comparison

BUILDS = ROOT / "targets" / "orders" / "builds"
RECORD = RESULTS / "expectations.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = sorted(path.stem for path in BUILDS.glob("*.patch"))
    parser.add_argument("names", nargs="*", metavar="PATCH", help=", ".join(known))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"there is no patch {min(unknown)}")
    results = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name in options.names or [name for name in known if name not in results]:
        expected = tomllib.loads((BUILDS / f"{name}.toml").read_text())
        patch = f"patch:targets/orders/builds/{name}.patch"
        document, wall_s = run_comparison("tree:targets/orders", patch, seed=options.seed)
        results[name] = {
            "seed": options.seed,
            "verdict": document["verdict"],
            "pairs": document["pairs_judged"],
            "wall_s": round(wall_s, 1),
            "not_met": not_met(document, expected),
            "not_measurable": [_title(move) for move in expected["moves"] if _estimate(document, move) is None],
            "moves": {_title(move): _figures(document, move) for move in expected["moves"]},
            "blamed": [[frame["event"], frame["frame"], frame["self_change"]] for frame in _blamed(document)],
            "causes": sorted({finding["cause"] for finding in document["findings"]}),
        }
        RECORD.write_text(json.dumps(results, indent=2) + "\n")
        print(name, json.dumps(results[name]["not_met"]), flush=True)
    sys.exit(any(result["not_met"] for result in results.values()))


def not_met(document: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """What `document` does not say although it should, or says although it should not; one sentence each."""
    return [
        *(problem for move in expected["moves"] if (problem := _not_moved(document, move))),
        *_not_blamed(document, expected),
        *(problem for name in expected["innocent"] if (problem := _wrongly_blamed(document, name))),
    ]


def _not_moved(document: dict[str, Any], move: dict[str, Any]) -> str:
    estimate = _estimate(document, move)
    if estimate is None:  # too few requests at this rate; told apart in the results
        return ""
    sign = 1 if move["direction"] == "up" else -1
    nearer = estimate["low"] if sign > 0 else estimate["high"]
    if nearer is None or sign * nearer <= 0:
        return f"{_title(move)} did not move {move['direction']} for certain"
    if sign * estimate["change"] < move["at_least"]:
        return f"{_title(move)} moved by {estimate['change']:+.0%}, not by {sign * move['at_least']:+.0%} or more"
    return ""


def _not_blamed(document: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    if not expected["blame"]:
        return []
    causes = " ".join(finding["cause"] for finding in document["findings"])
    blamed = _blamed_frames(document)
    if any(frame in causes or frame in blamed for frame in expected["blame"]):
        return []
    return [f"none of {', '.join(expected['blame'])} was blamed, but {', '.join(blamed) or 'none'}"]


def _wrongly_blamed(document: dict[str, Any], name: str) -> str:
    causes = " ".join(finding["cause"] for finding in document["findings"])
    if name.startswith("shop."):
        return f"the frame {name} was blamed" if name in causes or name in _blamed_frames(document) else ""
    for row in document["judgements"]:
        if f"{row['endpoint']} {row['name']}".strip() == name and row["gated"] and row["verdict"] == "regressed":
            return f"{name} was called regressed: {row['reason']}"
    return ""


def _blamed_frames(document: dict[str, Any]) -> list[str]:
    return [frame["frame"] for frame in _blamed(document)]


def _blamed(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Application frames to blame, by kind of profile, in the order of the document."""
    return [frame for frame in document["frames"] if frame["application"] and frame["blamed"]]


def _estimate(document: dict[str, Any], move: dict[str, Any]) -> dict[str, Any] | None:
    for row in document["judgements"]:
        if (row["name"], row["endpoint"]) == (move["metric"], move["endpoint"]):
            estimate: dict[str, Any] | None = row["estimate"]
            return estimate
    return None


def _figures(document: dict[str, Any], move: dict[str, Any]) -> list[float] | None:
    estimate = _estimate(document, move)
    return None if estimate is None else [round(estimate[name], 4) for name in ("change", "low", "high")]


def _title(move: dict[str, Any]) -> str:
    return f"{move['endpoint']} {move['metric']}".strip()


if __name__ == "__main__":
    main()
