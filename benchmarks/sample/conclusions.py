"""What a comparison concludes about a build, and where that differs from what is known about the build."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.sample import whole

Document = dict[str, Any]
Expected = Mapping[str, Any]


def conclusion(document: Document, expected: Expected) -> dict[str, Any]:
    """The part of a document that is kept, and what in it is not as expected."""
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
        "root": next((cause["statement"] for cause in roots(document) if _is(cause, expected.get("root"))), None),
    }


def causes(document: Document) -> list[str]:
    """The statements about causes, each once."""
    return sorted({cause["statement"] for finding in document["findings"] for cause in finding["causes"]})


def not_met(document: Document, expected: Expected) -> list[str]:
    """What `document` lacks but should say, or says but should not; one sentence each."""
    verdict = document["verdict"]
    return [
        *([] if verdict == expected["verdict"] else [f"the verdict is {verdict}, not {expected['verdict']}"]),
        *(problem for move in expected["moves"] if (problem := _not_moved(document, move))),
        *(_not_blamed(document, expected["blame"]) if expected["blame"] else _blamed_nonetheless(document, expected)),
        *(_not_rooted(document, expected["root"]) if "root" in expected else _rooted_nonetheless(document)),
        *(problem for name in expected["innocent"] if (problem := _wrongly_blamed(document, name))),
    ]


def _not_moved(document: Document, move: dict[str, Any]) -> str:
    estimate = estimate_of(document, move)
    if estimate is None:  # too few requests at this rate; listed separately in the results
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


def _blamed_nonetheless(document: Document, expected: Expected) -> list[str]:
    """If the root is not a frame, frames of libraries may show it."""
    return [
        f"the frame {frame['frame']} was blamed by {frame['event']}"
        for frame in blamed(document)
        if frame["application"] or "root" not in expected
    ]


def roots(document: Document) -> list[dict[str, Any]]:
    """The first cause of each finding that names any."""
    return [finding["causes"][0] for finding in document["findings"] if finding["causes"]]


def _not_rooted(document: Document, root: dict[str, str]) -> list[str]:
    """Empty if the root that a report tells first is this one: the first that is certain, or the first."""
    found = roots(document)
    first = [cause for cause in found if cause["strength"] == "certain"][:1] or found[:1]
    if any(_is(cause, root) for cause in first):
        return []
    named = [f"{cause['name']}: {cause['statement']}" for cause in first]
    return [f"the first root is not {', '.join(root.values())}, but {named[0] if named else 'none'}"]


def _is(cause: dict[str, Any], root: dict[str, str] | None) -> bool:
    if root is None:
        return False
    places = {key: value for key, value in root.items() if key != "kind"}
    return cause["name"] == root["kind"] and all(cause["scope"][key] == value for key, value in places.items())


def _rooted_nonetheless(document: Document) -> list[str]:
    return [f"a finding names a cause, {cause['name']}: {cause['statement']}" for cause in roots(document)]


def _wrongly_blamed(document: Document, name: str) -> str:
    for row in document["judgements"]:
        if whole.title(row["name"], row["endpoint"]) == name:
            regressed = row["role"] != "observed" and row["verdict"] == "regressed"
            return f"{name} was called regressed: {row['reason']}" if regressed else ""
    frames = {frame["frame"] for frame in blamed(document)}
    return f"the frame {name} was blamed" if name in " ".join(causes(document)) or name in frames else ""


def first_frames(document: Document) -> dict[str, str]:
    """Kind of profile -> the application frame that heads the list of blamed frames."""
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
