"""Documents and profiles of older versions, brought to today's one version at a time.

A step takes plain JSON that anybody may have written. It refuses what its version did not have where a reader of today
might take it for something else; all the rest the schema of today judges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pacecar.reporting.document.profile_shapes import PROFILES_VERSION
from pacecar.reporting.document.shapes import DOCUMENT_VERSION

#: A document as JSON has it.
PlainDocument = dict[str, Any]

_NONE_CERTAIN = "No cause is certain."
_SCOPE = ("endpoint", "pool", "frame", "dependency", "series", "label")
_FRAMES = (("frames",), ("pool", "gone_to", "come_from"))
#: Where version 4 had "" for what there was not: the way there, and the names.
_BLANK: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    _FRAMES,
    ((), ("baseline_run_id",)),
    (("judgements",), ("accepted",)),
    (("findings", "metric"), ("accepted",)),
    (("pairs",), ("voided",)),
    (("pairs", "forks"), ("jvm_version", "died")),
    (("libraries",), ("baseline", "candidate")),
    (("provenance", "builds"), ("commit", "jvm")),
)


def migrated(data: Any, schema: str) -> Any:
    """`data`, if it is a `document` or `profiles` of an older version, as one of today's.

    Raises:
        ValueError: when it is not what its version was.
    """
    newest, steps = _NEWEST[schema], _STEPS[schema]
    version = data.get("schema_version") if isinstance(data, dict) else None
    if type(version) is not int or version not in steps:
        return data
    for step in range(version, newest):
        data = steps[step](data) | {"schema_version": step + 1}
    return data


def _with_causes(document: PlainDocument) -> PlainDocument:
    """Version 1 had the cause of a finding as one sentence, whether there was one or not."""
    findings = document.get("findings")
    return document | {"findings": [*map(_finding, findings)]} if isinstance(findings, list) else document


def _with_roles(document: PlainDocument) -> PlainDocument:
    """Version 2 knew gated metrics, which had to be shown to be the same, and others, which decided nothing."""
    judgements, findings = document.get("judgements"), document.get("findings")
    changed: PlainDocument = {"earlier_runs": None}
    if isinstance(judgements, list):
        changed["judgements"] = [*map(_in_a_role, judgements)]
    if isinstance(findings, list):
        changed["findings"] = [
            each | {"metric": _in_a_role(each.get("metric"))} if isinstance(each, dict) else each for each in findings
        ]
    return document | changed


def _with_evidence(document: PlainDocument) -> PlainDocument:
    """Version 3 said neither what each side ran on or needed, which libraries differ nor how sure a cause is.

    It was of what was measured.
    """
    if document.get("mode") == "unmeasured" or {"libraries", "ledgers"} & document.keys():
        raise ValueError("a document of version 3 is of what was measured, and knows no libraries or ledgers")
    changed: PlainDocument = {"libraries": [], "ledgers": []}
    provenance, omitted, findings = document.get("provenance"), document.get("omitted"), document.get("findings")
    if isinstance(provenance, dict) and isinstance(builds := provenance.get("builds"), list):
        told = [{"jvm": ""} | each if isinstance(each, dict) else each for each in builds]
        changed["provenance"] = provenance | {"builds": told}
    if isinstance(omitted, dict):
        changed["omitted"] = {"libraries": 0, "ledgers": 0} | omitted
    if isinstance(findings, list):
        changed["findings"] = [*map(_with_facts, findings)]
    if isinstance(pairs := document.get("pairs"), list):
        changed["pairs"] = [*map(_with_dependencies, pairs)]
    return document | changed


def _with_dependencies(pair: Any) -> Any:
    if not isinstance(pair, dict) or not isinstance(forks := pair.get("forks"), list):
        return pair
    return pair | {"forks": [{"dependencies": []} | each if isinstance(each, dict) else each for each in forks]}


def _with_facts(finding: Any) -> Any:
    if not isinstance(finding, dict) or not isinstance(finding.get("causes"), list):
        return finding
    if "not_looked" in finding:
        raise ValueError("a finding of version 3 does not say what was not looked for")
    return finding | {"causes": [*map(_cause_with_facts, finding["causes"])], "not_looked": []}


def _cause_with_facts(cause: Any) -> PlainDocument:
    """Its amounts become facts of which nobody knows how many pairs they rest on; how sure it is, it never said."""
    fields = {"name", "title", "statement", "scope", "amounts"}
    if not isinstance(cause, dict) or cause.keys() != fields or not isinstance(cause["amounts"], list):
        raise ValueError("a cause of version 3 has a name, a title, a statement, a scope and amounts")
    nowhere = dict.fromkeys(_SCOPE)
    return {
        "name": cause["name"],
        "title": cause["title"],
        "statement": cause["statement"],
        "strength": None,
        "share": None,
        "scope": nowhere | cause["scope"] if isinstance(cause["scope"], dict) else cause["scope"],
        "facts": [
            {"scope": nowhere, "pairs": 0, "exact": False} | each if isinstance(each, dict) else each
            for each in cause["amounts"]
        ],
        "consequences": [],
    }


def _in_a_role(metric: Any) -> PlainDocument:
    if not isinstance(metric, dict) or type(metric.get("gated")) is not bool or {"role", "ruled_out"} & metric.keys():
        raise ValueError("a metric of version 2 says whether it is gated")
    rest = {key: value for key, value in metric.items() if key != "gated"}
    return rest | {"role": "guaranteed" if metric["gated"] else "observed", "ruled_out": None}


def _finding(finding: Any) -> PlainDocument:
    if not isinstance(finding, dict) or finding.keys() != {"metric", "cause"} or not isinstance(finding["cause"], str):
        raise ValueError("a finding of version 1 has a metric and a cause, which is a text")
    return {"metric": finding["metric"], "causes": _causes(finding["cause"])}


def _causes(sentence: str) -> list[PlainDocument]:
    if sentence in ("", _NONE_CERTAIN):
        return []
    scope = {"frame": None, "pool": None, "endpoint": None}
    return [{"name": "unknown", "title": "Likely cause", "statement": sentence, "scope": scope, "amounts": []}]


def _with_nulls(document: PlainDocument) -> PlainDocument:
    """Version 4 had "" for what there was not."""
    for way, names in _BLANK:
        document = _without_blanks(document, way, names)
    return document


def _with_nulls_in_frames(profiles: PlainDocument) -> PlainDocument:
    """So had version 1 of the profiles."""
    plain: PlainDocument = _without_blanks(profiles, *_FRAMES)
    return plain


def _with_exchanges(document: PlainDocument) -> PlainDocument:
    """Version 5 did not say which parts of a mean latency took each other's place."""
    ledgers = document.get("ledgers")
    if not isinstance(ledgers, list):
        return document
    return document | {"ledgers": [*map(_with_no_exchange, ledgers)]}


def _with_no_exchange(ledger: Any) -> Any:
    if not isinstance(ledger, dict):
        return ledger
    if {"gone", "come"} & ledger.keys():
        raise ValueError("a ledger of version 5 does not say which parts took each other's place")
    return ledger | {"gone": None, "come": None}


def _with_climbs(document: PlainDocument) -> PlainDocument:
    """Version 6 knew no staircases."""
    omitted = document.get("omitted")
    if "climbs" in document or (isinstance(omitted, dict) and "climbs" in omitted):
        raise ValueError("a document of version 6 has no staircases")
    return document | {"climbs": [], "omitted": omitted | {"climbs": 0} if isinstance(omitted, dict) else omitted}


def _with_all_code(document: PlainDocument) -> PlainDocument:
    """Version 7 did not say what all code has in common."""
    findings = document.get("findings")
    if not isinstance(findings, list):
        return document
    if any(isinstance(each, dict) and "all_code" in each for each in findings):
        raise ValueError("a finding of version 7 does not say what all code has in common")
    told = [each | {"all_code": None} if isinstance(each, dict) else each for each in findings]
    return document | {"findings": told}


def _with_pace(document: PlainDocument) -> PlainDocument:
    """Version 8 moved no metric to one pace."""
    if "pace_apart" in document:
        raise ValueError("a document of version 8 moved no metric to one pace")
    return document | {"pace_apart": None}


def _with_requests(profiles: PlainDocument) -> PlainDocument:
    """Version 2 of the profiles told of no single requests."""
    if "requests" in profiles:
        raise ValueError("profiles of version 2 tell of no single requests")
    return profiles | {"requests": []}


def _without_blanks(part: Any, way: Sequence[str], names: Sequence[str]) -> Any:
    """`part` with null in place of "" under `names` of each object that `way` leads to."""
    if isinstance(part, list):
        return [_without_blanks(each, way, names) for each in part]
    if not isinstance(part, dict):
        return part
    if way:
        return part | {way[0]: _without_blanks(part[way[0]], way[1:], names)} if way[0] in part else part
    told = {name: part[name] for name in names if name in part}
    if None in told.values():
        raise ValueError(f'what there is not is "" in {" and ".join(told)}, and not null')
    return part | {name: None for name, value in told.items() if value == ""}


_NEWEST = {"document": DOCUMENT_VERSION, "profiles": PROFILES_VERSION}
#: Schema -> version -> the step to the next one.
_STEPS: dict[str, dict[int, Callable[[PlainDocument], PlainDocument]]] = {
    "document": {
        1: _with_causes,
        2: _with_roles,
        3: _with_evidence,
        4: _with_nulls,
        5: _with_exchanges,
        6: _with_climbs,
        7: _with_all_code,
        8: _with_pace,
    },
    "profiles": {1: _with_nulls_in_frames, 2: _with_requests},
}
