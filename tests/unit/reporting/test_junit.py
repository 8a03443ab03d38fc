from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.document import Document
from pacecar.reporting.junit import junit
from support.documents import HOSTILE


def test_a_case_for_each_guaranteed_metric(document: Document) -> None:
    suite = ElementTree.fromstring(junit(document)).find("testsuite")
    assert suite is not None
    guaranteed = [metric for metric in document.judgements if metric.role is Role.GUARANTEED]
    assert int(suite.attrib["tests"]) == len(guaranteed) == len(suite.findall("testcase"))
    failed = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert [(case.attrib["classname"], case.attrib["name"]) for case in failed] == [
        ("GET /orders", "p99"),
        ("service", "CPU per request"),
    ]
    assert suite.attrib["failures"] == "2"
    assert len(suite.findall("testcase/skipped")) == int(suite.attrib["skipped"]) == 1
    failure = failed[0].find("failure")
    assert failure is not None
    assert "GET /orders p99 is 12.4% slower" in failure.attrib["message"]


def test_a_tripwire_is_a_case_once_it_regressed(document: Document) -> None:
    tripped = replace(document.judgements[1], role=Role.TRIPWIRE)
    quiet = replace(document.judgements[6], role=Role.TRIPWIRE)
    observed = replace(document.judgements[1], role=Role.OBSERVED)
    suite = ElementTree.fromstring(junit(replace(document, judgements=(tripped, quiet, observed)))).find("testsuite")
    assert suite is not None
    assert [case.attrib["name"] for case in suite.findall("testcase")] == ["CPU per request"]


@pytest.mark.parametrize(
    ("verdict", "element", "counted"),
    [(Verdict.INVALID, "error", "errors"), (Verdict.INCONCLUSIVE, "skipped", "skipped")],
)
def test_a_comparison_without_a_metric_is_a_case_of_its_own(
    document: Document, verdict: Verdict, element: str, counted: str
) -> None:
    reason = "No pair can be trusted; pair 1: the candidate was not measured."
    empty = replace(document, verdict=verdict, headline=reason, reason=reason, judgements=(), findings=())
    suite = ElementTree.fromstring(junit(empty)).find("testsuite")
    assert suite is not None
    assert (suite.attrib["tests"], suite.attrib[counted], suite.attrib["failures"]) == ("1", "1", "0")
    (case,) = suite.findall("testcase")
    assert case.attrib["name"] == "comparison"
    found = case.find(element)
    assert found is not None
    assert found.attrib["message"] == reason


def test_what_is_accepted_fails_no_job(document: Document) -> None:
    accepted = replace(document.judgements[0], accepted="until 2027-01-31 by Ada: it checks addresses now")
    suite = ElementTree.fromstring(junit(replace(document, judgements=(accepted,)))).find("testsuite")
    assert suite is not None
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("0", "1")
    skipped = suite.find("testcase/skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("GET /orders p99 is 12.4% slower: ")
    assert skipped.attrib["message"].endswith("Accepted until 2027-01-31 by Ada: it checks addresses now")


def test_names_that_xml_cannot_hold(document: Document) -> None:
    metric = replace(document.judgements[0], endpoint=HOSTILE + "\x00\uffff", reason="]]>" + HOSTILE)
    suite = ElementTree.fromstring(junit(replace(document, judgements=(metric,)))).find("testsuite")
    assert suite is not None
    case = suite.find("testcase")
    assert case is not None
    assert case.attrib["classname"] == HOSTILE + "\ufffd\ufffd"
