"""Holds what Pacecar concludes about the sample's patches against what is known about them.

    python -m benchmarks.sample.expectations record                 all of them by turns, until each has five runs
    python -m benchmarks.sample.expectations record faster --runs 1 only this one, only once
    python -m benchmarks.sample.expectations judge                  what was recorded, by the judge as it is today

Each patch, and `identical`, is compared with the tree it applies to, by the sample's `pacecar.toml`; run N has the
seed N. The patch's expectation file (`targets/orders/builds/NAME.toml`) says what must move, which frame is to blame,
which cause is the root and what must not be blamed; where nothing is to blame, nothing may be, and where no root is
named, no finding may name one. Results go to
`benchmarks/sample/results/expectations.json` after every run, and a series goes on where it stopped. The exit status of
`judge` is 1 when an expectation was not met.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from typing import Any

from benchmarks.sample import whole

BUILDS = whole.ROOT / "targets" / "orders" / "builds"
RECORD = whole.RESULTS / "expectations.json"
IDENTICAL = "identical"
NAMES = (*sorted(path.stem for path in BUILDS.glob("*.patch")), IDENTICAL)

Document = dict[str, Any]
#: name of a patch -> its runs, by seed
Results = dict[str, list[dict[str, Any]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    recording.add_argument("--runs", type=int, default=5)
    commands.add_parser("judge")
    options = parser.parse_args()
    results: Results = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if options.command == "judge":
        judge(results)
        sys.exit(any(run["not_met"] for runs in results.values() for run in runs))
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"there is no patch {min(unknown)}")
    record(results, names=options.names or NAMES, runs=options.runs)


def record(results: Results, *, names: list[str] | tuple[str, ...], runs: int) -> None:
    """Measure what is missing of so many runs of each."""
    for seed in range(1, runs + 1):
        for name in names:
            of_name = results.setdefault(name, [])
            if any(run["seed"] == seed for run in of_name):
                continue
            candidate = whole.SAMPLE if name == IDENTICAL else f"patch:targets/orders/builds/{name}.patch"
            document = whole.compare(whole.SAMPLE, candidate, seed=seed)
            of_name.append({"seed": seed} | conclusion(document, expected_of(name)))
            keep(results)


def judge(results: Results) -> None:
    """Judge those runs again that are in this machine's archive."""
    for name, runs in results.items():
        for run in runs:
            if (whole.RUNS / run["run"]).exists():
                run |= conclusion(whole.judge(run["run"]), expected_of(name))
                keep(results)
            else:
                print(f"{run['run']} ({name}) is not in this archive; its result stays", file=sys.stderr)


def keep(results: Results) -> None:
    RECORD.write_text(json.dumps(results, indent=2) + "\n")


def expected_of(name: str) -> dict[str, Any]:
    if name == IDENTICAL:
        return {"verdict": "passed", "moves": [], "blame": [], "innocent": []}
    return tomllib.loads((BUILDS / f"{name}.toml").read_text())


def conclusion(document: Document, expected: dict[str, Any]) -> dict[str, Any]:
    """What of a document is kept, and what of it is not as expected."""
    return {
        "run": document["run_id"],
        "verdict": document["verdict"],
        "pairs": document["pairs_judged"],
        "duration_s": round(document["provenance"]["duration_s"], 1),
        "harness_share": round(document["provenance"]["harness_share"], 4),
        "not_met": not_met(document, expected),
        "not_measurable": [title(move) for move in expected["moves"] if estimate_of(document, move) is None],
        "moves": {title(move): figures(document, move) for move in expected["moves"]},
        "first": first_frames(document),
        "blamed": [[frame["event"], frame["frame"], frame["self_change"]] for frame in blamed(document)],
        "causes": causes(document),
        "roots": [cause["name"] for cause in roots(document)],
    }


def causes(document: Document) -> list[str]:
    """What is said of causes, each sentence once."""
    return sorted({cause["statement"] for finding in document["findings"] for cause in finding["causes"]})


def not_met(document: Document, expected: dict[str, Any]) -> list[str]:
    """What `document` does not say although it should, or says although it should not; one sentence each."""
    verdict = document["verdict"]
    return [
        *([] if verdict == expected["verdict"] else [f"the verdict is {verdict}, not {expected['verdict']}"]),
        *(problem for move in expected["moves"] if (problem := _not_moved(document, move))),
        *(_not_blamed(document, expected["blame"]) if expected["blame"] else _blamed_nonetheless(document)),
        *(_not_rooted(document, expected["root"]) if "root" in expected else _rooted_nonetheless(document)),
        *(problem for name in expected["innocent"] if (problem := _wrongly_blamed(document, name))),
    ]


def _not_moved(document: Document, move: dict[str, Any]) -> str:
    estimate = estimate_of(document, move)
    if estimate is None:  # too few requests at this rate; told apart in the results
        return ""
    sign = 1 if move["direction"] == "up" else -1
    nearer = estimate["low"] if sign > 0 else estimate["high"]
    if nearer is None or sign * nearer <= 0:
        return f"{title(move)} did not move {move['direction']} for certain"
    if sign * estimate["change"] < move["at_least"]:
        return f"{title(move)} moved by {estimate['change']:+.0%}, not by {sign * move['at_least']:+.0%} or more"
    return ""


def _not_blamed(document: Document, culprits: list[str]) -> list[str]:
    first = first_frames(document)
    if not first:
        return [f"none of {', '.join(culprits)} was blamed, nor any other"]
    return [
        f"the first frame by {event} is {frame}, not {' or '.join(culprits)}"
        for event, frame in first.items()
        if frame not in culprits
    ]


def _blamed_nonetheless(document: Document) -> list[str]:
    return [f"the frame {frame['frame']} was blamed by {frame['event']}" for frame in blamed(document)]


def roots(document: Document) -> list[dict[str, Any]]:
    """The cause that each finding names first, where it names any."""
    return [finding["causes"][0] for finding in document["findings"] if finding["causes"]]


def _not_rooted(document: Document, root: dict[str, str]) -> list[str]:
    """Nothing where some finding names this root first."""
    if any(_is(cause, root) for cause in roots(document)):
        return []
    named = sorted({cause["name"] for cause in roots(document)})
    return [f"no finding has the root {', '.join(root.values())}; first are {', '.join(named) or 'none'}"]


def _is(cause: dict[str, Any], root: dict[str, str]) -> bool:
    places = {key: value for key, value in root.items() if key != "kind"}
    return cause["name"] == root["kind"] and all(cause["scope"][key] == value for key, value in places.items())


def _rooted_nonetheless(document: Document) -> list[str]:
    return [f"a finding names a cause, {cause['name']}: {cause['statement']}" for cause in roots(document)]


def _wrongly_blamed(document: Document, name: str) -> str:
    if name.startswith("shop."):
        frames = {frame["frame"] for frame in blamed(document)}
        return f"the frame {name} was blamed" if name in " ".join(causes(document)) or name in frames else ""
    for row in document["judgements"]:
        if (
            whole.title(row["name"], row["endpoint"]) == name
            and row["role"] != "observed"
            and row["verdict"] == "regressed"
        ):
            return f"{name} was called regressed: {row['reason']}"
    return ""


def first_frames(document: Document) -> dict[str, str]:
    """By kind of profile, the application frame that heads the list of what is to blame."""
    first: dict[str, str] = {}
    for frame in blamed(document):
        if frame["application"]:
            first.setdefault(frame["event"], frame["frame"])
    return first


def blamed(document: Document) -> list[dict[str, Any]]:
    """Frames to blame, by kind of profile, in the order of the document."""
    return [frame for frame in document["frames"] if frame["blamed"]]


def estimate_of(document: Document, move: dict[str, Any]) -> dict[str, Any] | None:
    for row in document["judgements"]:
        if (row["name"], row["endpoint"]) == (move["metric"], move["endpoint"]):
            estimate: dict[str, Any] | None = row["estimate"]
            return estimate
    return None


def figures(document: Document, move: dict[str, Any]) -> list[float] | None:
    estimate = estimate_of(document, move)
    return None if estimate is None else [round(estimate[name], 4) for name in ("change", "low", "high")]


def title(move: dict[str, Any]) -> str:
    return whole.title(move["metric"], move["endpoint"])


if __name__ == "__main__":
    main()
